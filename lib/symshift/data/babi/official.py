"""The official bAbI tasks v1.2 (Weston et al., 2015, arXiv 1502.05698): where they lie, and what each file must hold.

Folders: `en` (1,000 training questions per task) and `en-10k`, with one test set of 1,000; `en-valid` and
`en-valid-10k` split the training stories into 90% `fit` and 10% `valid`; `hn` (Hindi in Latin letters) and `shuffled`
(letters permuted), each also with `-10k`. Any of them may lie alone, unpacked or in an archive (tar or zip).
Every file of the `en` folders is checked by its sha256. Two files that the shared archive lacks are checked otherwise:
`en-10k` task 3 `train` by the md5 that others published (ParlAI, issue 1805), `en-valid-10k` task 3 `fit` by being what
`valid` leaves of `train`. No digests of `hn` and `shuffled` are known to us, so these are read as they are.
"""

import hashlib
import io
import os
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from symshift.data.babi.archive import files_in, read_file
from symshift.data.formats import babi
from symshift.data.question import Question, by_story
from symshift.errors import InputError
from symshift.paths import ROOT, user_path

NAME = "tasks_1-20_v1-2"
ARCHIVE = f"{NAME}.tar.gz"
ADDRESS = f"https://s3.amazonaws.com/text-datasets/babi_{ARCHIVE}"
UNKNOWN = "unknown"
VARIANTS = ("en", "hn", "shuffled")
FOLDERS = ("en", "en-10k", "en-valid", "en-valid-10k", "hn", "hn-10k", "shuffled", "shuffled-10k")


def official(
    task: int, examples: int, split: str, path: str | Path | None = None, variant: str = "en"
) -> list[Question]:
    """Read the questions of one official file; the archive is downloaded if no official file lies anywhere.

    Args:
        task: 1 to 20.
        examples: 1000 or 10000.
        split: Train, test, fit or valid.
        path: The archive or folder; by default what `find_official` finds.
        variant: En, hn or shuffled.

    Raises:
        InputError: The file is missing or is not the official one.
    """
    name = file_name(task, examples, split, variant)
    root = find_official(path, name) or find_official(path) or download()
    content = fetch(root, name).replace(b"\r\n", b"\n")
    source = "official" if variant == "en" else f"official, {variant}"
    rows = babi.rows(io.BytesIO(content), f"{root}: {name}", task, source, strict=variant == "en")
    questions = [row.question for row in rows]
    digest = manifest().get(name)
    if digest == UNKNOWN:
        train, valid = (official(task, examples, part, root) for part in ("train", "valid"))
        genuine = Counter(map(tuple, by_story(questions) + by_story(valid))) == Counter(map(tuple, by_story(train)))
    else:
        genuine = digest is None or digest == _digest(content, len(digest))
    if not genuine:
        sha256 = _digest(content, 64)
        other = next((other for other, known in manifest().items() if known == sha256), "")
        fault = f"is {other}, not {name}" if other else f"{name} is not the official file"
        raise InputError(f"{root}: {fault}; get it from {ADDRESS}")
    return questions


def find_official(path: str | Path | None = None, name: str = "") -> Path | None:
    """Find the first archive or folder with official files, or with the file of a name.

    Args:
        path: Where to look; by default `SYMSHIFT_DATA`, else `data/` and `../shared` of the repository.
        name: As `en/qa1_single-supporting-fact_train.txt`; by default any official file.

    Raises:
        InputError: No official file lies at `path` or in `SYMSHIFT_DATA`, or an archive cannot be read.
    """
    chosen = path or os.environ.get("SYMSHIFT_DATA")
    starts = (user_path(chosen),) if chosen else _default_paths()
    roots = [root for start in starts for root in _candidate_paths(start) if _official_files(root)]
    if chosen and not roots:
        parameter = "path" if path else "SYMSHIFT_DATA"
        reason = "holds no bAbI tasks" if user_path(chosen).exists() else "is not there"
        raise InputError(
            f"{parameter} {str(chosen)!r} {reason}; name {ARCHIVE}, a folder with {', '.join(FOLDERS[:2])} "
            "or the like in it, or a folder of qa*.txt"
        )
    return next((root for root in roots if not name or name in _official_files(root)), None)


def download() -> Path:
    """Download the archive from its public address to `data/`, where it is found from then on.

    Raises:
        InputError: It cannot be downloaded.
    """
    import pooch

    try:
        pooch.retrieve(ADDRESS, known_hash=None, fname=ARCHIVE, path=ROOT / "data")
    except Exception as error:  # pooch and the network promise no type of error
        searched = " or ".join(str(path) for path in _default_paths())
        raise InputError(
            f"no official bAbI tasks: SYMSHIFT_DATA is not set, {searched} does not hold them and {ADDRESS} "
            f"fails ({type(error).__name__}); put {ARCHIVE} there or take source='generated'"
        ) from None
    return ROOT / "data" / ARCHIVE


def fetch(root: Path, name: str) -> bytes:
    """Return the bytes of an official file in an archive or folder.

    Raises:
        InputError: The file is not there, or cannot be read.
    """
    files = _official_files(root)
    if name not in files:
        folders = sorted({other.partition("/")[0] for other in files} & set(FOLDERS)) or ["no official file"]
        raise InputError(
            f"{root} (which holds {', '.join(folders)}) has no {name}; unpack {ADDRESS} into {ROOT / 'data'} and set "
            "SYMSHIFT_DATA to it"
        )
    return read_file(root, files[name])


@cache
def manifest() -> dict[str, str]:
    """Return the digest of each official file by its name: the sha256, or else the md5, or else `UNKNOWN`."""
    lines = Path(__file__).with_name("babi.sha256").read_text().splitlines()
    return {name.removeprefix("./"): digest for digest, name in (line.split() for line in lines)}


def file_name(task: int, examples: int, split: str, variant: str = "en") -> str:
    """Return the name of the official file of a split, as `en-10k/qa1_single-supporting-fact_train.txt`.

    Raises:
        InputError: There is no such task or split.
    """
    if variant != "en" and split in ("fit", "valid"):
        raise InputError(f"split {split!r}: {variant} has train and test alone; take valid from train")
    size = "-10k" if examples == 10_000 else ""
    folder = f"en-valid{size}" if split in ("fit", "valid") else f"en{size}"
    part = "train" if split == "fit" else split
    names = (name for name in manifest() if name.startswith(f"{folder}/qa{task}_") and name.endswith(f"_{part}.txt"))
    if not (first := next(names, "")):
        right = "tasks 1 to 20 and the splits train, test, fit and valid are right"
        raise InputError(f"task {task!r}, split {split!r}: there is no such official file; {right}")
    return first.replace("en", variant, 1)


def _digest(content: bytes, length: int) -> str:
    return hashlib.new("sha256" if length == 64 else "md5", content).hexdigest()


def _default_paths() -> tuple[Path, Path]:
    return ROOT / "data", ROOT.parent / "shared" / "data" / ARCHIVE


def _candidate_paths(path: Path) -> Iterator[Path]:
    """Yield the archives and folders at or in a path that may have official files."""
    yield path
    if path.is_dir():
        yield path / NAME
        yield from sorted(file for file in path.glob(f"*{NAME}.*") if file.is_file())


def _official_files(root: Path) -> dict[str, str]:
    """Return the files of an archive or folder by their official names.

    A file in a folder that is named otherwise may be the one of any folder; its digest decides which.
    """
    files: dict[str, str] = {}
    for file in files_in(root):
        *parents, base = file.split("/")
        parent = parents[-1] if parents else root.name
        if base.startswith("qa") and base.endswith(".txt"):
            for folder in (parent,) if parent in FOLDERS else FOLDERS:
                files.setdefault(f"{folder}/{base}", file)
    return files
