"""The official bAbI tasks v1.2 (Weston et al., 2015, arXiv 1502.05698): where they lie, and what each file must hold.

Folders: `en` (1,000 training questions a task) and `en-10k`, with one test set of 1,000; `en-valid` and `en-valid-10k`
part the training stories into 90% `fit` and 10% `valid`. Two files that the shared archive lacks are checked otherwise
than by their sha256: `en-10k` task 3 `train` by the md5 that others published (ParlAI, issue 1805), `en-valid-10k`
task 3 `fit` by being what `valid` leaves of `train`.
"""

import hashlib
import io
import os
import tarfile
from collections import Counter
from functools import cache
from pathlib import Path

from symshift.data.files import parse
from symshift.data.question import Question, by_story
from symshift.errors import InputError
from symshift.paths import ROOT

ARCHIVE = "tasks_1-20_v1-2.tar.gz"
ADDRESS = f"https://s3.amazonaws.com/text-datasets/babi_{ARCHIVE}"
UNKNOWN = "unknown"
FILES = {
    "train": ("en", "train"), "test": ("en", "test"), "fit": ("en-valid", "train"), "valid": ("en-valid", "valid"),
}  # fmt: skip


def official(task: int, examples: int, split: str, place: str | Path | None = None) -> list[Question]:
    """The questions of one official file, from the place that holds the tasks; downloaded if none does."""
    found = find(place) or download()
    name = file_name(task, examples, split)
    data = fetch(found, name).replace(b"\r\n", b"\n")
    questions = parse(io.BytesIO(data), f"{found}: {name}", task, "official")
    digest = manifest()[name]
    if digest == UNKNOWN:
        train, valid = (official(task, examples, part, found) for part in ("train", "valid"))
        genuine = Counter(map(tuple, by_story(questions) + by_story(valid))) == Counter(map(tuple, by_story(train)))
    else:
        genuine = digest == hashlib.new("sha256" if len(digest) == 64 else "md5", data).hexdigest()
    if not genuine:
        raise InputError(f"{found}: {name} is not the official file; get it from {ADDRESS}")
    return questions


def find(place: str | Path | None = None) -> Path | None:
    """The archive or folder of the tasks: at the place given, in `SYMSHIFT_DATA`, `data/` or `../shared`."""
    if chosen := place or os.environ.get("SYMSHIFT_DATA"):
        if found := _holding(Path(chosen)):
            return found
        named = "place" if place else "SYMSHIFT_DATA"
        raise InputError(f"{named} {str(chosen)!r} holds no bAbI tasks; name {ARCHIVE} or a folder with en/ in it")
    return next((found for local in _local_places() if (found := _holding(local))), None)


def download() -> Path:
    """Fetch the archive from its public address into `data/`, where it is found from then on."""
    import pooch

    try:
        pooch.retrieve(ADDRESS, known_hash=None, fname=ARCHIVE, path=ROOT / "data")
    except Exception as error:
        searched = " or ".join(str(place) for place in _local_places())
        raise InputError(
            f"no official bAbI tasks: SYMSHIFT_DATA is not set, {searched} does not hold them and {ADDRESS} "
            f"fails ({type(error).__name__}); put {ARCHIVE} there or take source='generated'"
        ) from None
    return ROOT / "data" / ARCHIVE


def fetch(place: Path, name: str) -> bytes:
    """The bytes of an official file in the archive or folder at a place."""
    try:
        if place.is_dir():
            return (place / name).read_bytes()
        with tarfile.open(place) as archive:
            member = next(member for member in archive if member.name.endswith(f"/{name}"))
            return archive.extractfile(member).read()
    except (FileNotFoundError, StopIteration):
        raise InputError(
            f"{place}: has no {name}; unpack {ADDRESS} into {ROOT / 'data'} and set SYMSHIFT_DATA to it"
        ) from None
    except (OSError, EOFError, tarfile.TarError) as error:
        raise InputError(f"{place}: cannot be read ({type(error).__name__}); get it again from {ADDRESS}") from None


@cache
def manifest() -> dict[str, str]:
    """The digest of each official file by its name: the sha256, or else the md5, or else `UNKNOWN`."""
    lines = Path(__file__).with_name("babi.sha256").read_text().splitlines()
    return {name.removeprefix("./"): digest for digest, name in (line.split() for line in lines)}


def file_name(task: int, examples: int, split: str) -> str:
    """The official file of a split, as `en-10k/qa1_single-supporting-fact_train.txt`."""
    folder, part = FILES[split]
    folder += "-10k" if examples == 10_000 else ""
    return next(name for name in manifest() if name.startswith(f"{folder}/qa{task}_") and name.endswith(f"_{part}.txt"))


def _local_places() -> tuple[Path, Path]:
    return ROOT / "data", ROOT.parent / "shared" / "data" / ARCHIVE


def _holding(place: Path) -> Path | None:
    """The archive, or the folder with `en/`, at or in a place."""
    if place.is_file():
        return place
    inner = (place, place / "tasks_1-20_v1-2", place / ARCHIVE)
    return next((path for path in inner if path.is_file() or (path / "en").is_dir()), None)
