"""The official tasks: found in order, checked by the manifest, refused when altered or missing."""

import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from symshift.data import fingerprint, load
from symshift.data.babi import archive
from symshift.data.babi import official as babi
from symshift.errors import InputError

shared = pytest.mark.skipif(not babi.find_official(), reason="needs the official tasks")
PLACE = babi.find_official()
NAME = "en/qa1_single-supporting-fact_train.txt"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with one official file in it, as unpacked from the archive."""
    (tmp_path / "en").mkdir()
    (tmp_path / NAME).write_bytes(babi.fetch(babi.find_official(), NAME))
    return tmp_path


def copy_official(name: str, path: Path) -> None:
    """Copy an official file, wherever it lies."""
    place = PLACE
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(babi.fetch(place, name))


@pytest.fixture
def nowhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A repository beside which no data lies."""
    monkeypatch.delenv("SYMSHIFT_DATA", raising=False)
    monkeypatch.setattr(babi, "ROOT", tmp_path / "repository")
    return tmp_path / "repository"


def test_file_name_names_every_file() -> None:
    for split, files in (("train", 20), ("test", 20), ("fit", 20), ("valid", 20)):
        for examples in (1000, 10_000):
            names = {babi.file_name(task, examples, split) for task in range(1, 21)}
            assert len(names) == files
            assert all(name.startswith("en-valid" if split in ("fit", "valid") else "en") for name in names)


@shared
@pytest.mark.parametrize("inside", [".", "tasks_1-20_v1-2", "tasks_1-20_v1-2.tar.gz"])
def test_path_is_a_folder_or_an_archive(folder: Path, tmp_path: Path, inside: str) -> None:
    place = tmp_path / "place"
    place.mkdir()
    if inside.endswith(".gz"):
        with tarfile.open(place / inside, "w:gz") as archive:
            archive.add(folder / "en", "tasks_1-20_v1-2/en")
    else:
        (place / inside).mkdir(exist_ok=True)
        (folder / "en").rename(place / inside / "en")
    assert fingerprint(load(1, path=place)) == fingerprint(load(1, source="official"))


@shared
def test_environment_names_the_path(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SYMSHIFT_DATA", str(folder))
    assert babi.find_official() == folder
    with pytest.raises(InputError, match=r"has no en/qa2_two-supporting-facts_train.txt"):
        load(2, source="official")


@shared
def test_find_order_of_places(folder: Path, nowhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert babi.find_official() is None
    beside = nowhere.parent / "shared" / "data" / babi.ARCHIVE
    beside.parent.mkdir(parents=True)
    with tarfile.open(beside, "w:gz") as archive:
        archive.add(folder / "en", "tasks_1-20_v1-2/en")
    assert babi.find_official() == beside
    (nowhere / "data" / "en").mkdir(parents=True)
    assert babi.find_official() == beside
    (nowhere / "data" / NAME).write_bytes((folder / NAME).read_bytes())
    assert babi.find_official() == nowhere / "data"
    monkeypatch.setenv("SYMSHIFT_DATA", str(folder))
    assert babi.find_official() == folder
    assert babi.find_official(beside) == beside


@shared
def test_official_refuses_altered_file(folder: Path) -> None:
    file = folder / NAME
    file.write_text(file.read_text().replace("bathroom", "ballroom", 1))
    with pytest.raises(InputError, match=f"{NAME} is not the official file"):
        load(1, path=folder)


@shared
def test_fit_without_digest_is_checked_by_valid(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fit = "en-valid/qa1_train.txt"
    (folder / "en-valid").mkdir()
    for name in (fit, "en-valid/qa1_valid.txt"):
        (folder / name).write_bytes(babi.fetch(babi.find_official(), name))
    known = babi.manifest() | {fit: babi.UNKNOWN}
    monkeypatch.setattr(babi, "manifest", lambda: known)
    assert len(load(1, split="fit", path=folder)) == 900
    file = folder / fit
    file.write_text(file.read_text().replace("bathroom", "ballroom", 1))
    with pytest.raises(InputError, match=f"{fit} is not the official file"):
        load(1, split="fit", path=folder)


def twins(content: bytes) -> Iterator[tuple[bytes, int, str]]:
    """A file with one fault each, its line at fault and what is said of it."""
    lines = content.splitlines(keepends=True)
    asked = next(number for number, line in enumerate(lines) if b"\t" in line)
    question, answer, _ = lines[asked].rstrip().split(b"\t")
    own = question.split()[0]
    faults = {
        question[: len(question) // 2]: "full stop",
        question + b"\t" + answer: "TAB",
        question + b" " + answer: "without its tab",
        question + b"\t" + answer + b"\t" + own: "points to a question",
        question + b"\t" + answer + b"\t" + own + b"9": "points to no earlier line",
        b"9" + question: "after ID",
        question.replace(b" ", b" \xe9", 1): "UTF-8",
        question + b"a" * 100_000: "longer than",
    }
    for line, fault in faults.items():
        yield b"".join([*lines[:asked], line, b"\n", *lines[asked + 1 :]]), asked + 1, fault
    yield b"", 1, "holds no question"
    yield content.decode().encode("utf-16"), 1, "UTF-8"


@shared
@pytest.mark.parametrize("task", range(1, 21))
def test_official_refuses_malformed_twins(task: int, tmp_path: Path) -> None:
    name = babi.file_name(task, 1000, "train")
    (tmp_path / "en").mkdir()
    for content, line, fault in twins(babi.fetch(babi.find_official(), name)):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(InputError) as caught:
            load(task, path=tmp_path)
        assert str(caught.value).startswith(f"{tmp_path}: {name}, line {line}: ")
        assert fault in str(caught.value)
        assert "\n" not in str(caught.value)


@shared
def test_official_takes_windows_line_ends(folder: Path) -> None:
    file = folder / NAME
    file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))
    assert load(1, path=folder) == load(1, source="official")


@shared
@pytest.mark.parametrize("split", ["train", "fit"])
def test_official_names_missing_files(split: str) -> None:
    with pytest.raises(InputError, match=rf"has no {babi.file_name(3, 10_000, split)}; unpack https://"):
        load(3, 10_000, split, source="official")


def test_find_refuses_path_without_tasks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match=rf"path '{tmp_path}' holds no bAbI tasks"):
        load(1, path=tmp_path)
    monkeypatch.setenv("SYMSHIFT_DATA", str(tmp_path / "nothing"))
    with pytest.raises(InputError, match=r"SYMSHIFT_DATA '.*nothing' is not there"):
        load(1)


def test_official_refuses_broken_archive(tmp_path: Path) -> None:
    (tmp_path / babi.ARCHIVE).write_bytes(b"no archive")
    with pytest.raises(InputError, match="cannot be read"):
        load(1, path=tmp_path)


@pytest.mark.usefixtures("nowhere")
def test_auto_generates_where_nothing_lies() -> None:
    assert {asked.source for asked in load(1)} == {"generated"}


def test_download_names_places_where_it_fails(nowhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def retrieve(*_: object, **__: object) -> None:
        raise OSError("no network")

    monkeypatch.setattr("pooch.retrieve", retrieve)
    with pytest.raises(InputError) as error:
        load(1, source="official")
    assert "\n" not in str(error.value)
    for place in ("SYMSHIFT_DATA", str(nowhere / "data"), str(nowhere.parent / "shared"), babi.ADDRESS):
        assert place in str(error.value)


@shared
def test_en_10k_alone_serves_ten_thousand(tmp_path: Path, nowhere: Path) -> None:
    """Official files that lie there are never passed over for generated ones in silence."""
    name = babi.file_name(1, 10_000, "train")
    copy_official(name, nowhere / "data" / name)
    questions = load(1, 10_000)
    assert len(questions) == 10_000
    assert {question.source for question in questions} == {"official"}
    for wrong in ({"examples": 1000}, {"examples": 10_000, "split": "test"}, {"task": 2, "examples": 10_000}):
        with pytest.raises(InputError, match=r"data \(which holds en-10k\) has no en"):
            load(**({"task": 1} | wrong))
    with pytest.raises(InputError, match="holds no bAbI tasks"):
        load(1, path=tmp_path / "repository")


@shared
@pytest.mark.parametrize("inside", ["en/{base}", "babi-files/{base}", "deep/en/{base}"])
def test_path_may_be_the_folder_of_the_files(tmp_path: Path, inside: str) -> None:
    file = tmp_path / inside.format(base=NAME.partition("/")[2])
    copy_official(NAME, file)
    assert fingerprint(load(1, path=file.parent)) == fingerprint(load(1, source="official"))
    other = babi.file_name(1, 10_000, "train")
    with pytest.raises(InputError, match=rf"is {NAME}, not {other}|has no {other}"):
        load(1, 10_000, path=file.parent)


@shared
@pytest.mark.parametrize("inside", ["tasks_1-20_v1-2/", "", "a/b/"])
def test_path_may_be_a_zip(tmp_path: Path, inside: str) -> None:
    with zipfile.ZipFile(tmp_path / "babi.zip", "w") as archive:
        archive.writestr(inside + NAME, babi.fetch(babi.find_official(), NAME))
    assert fingerprint(load(1, path=tmp_path / "babi.zip")) == fingerprint(load(1, source="official"))


@pytest.mark.parametrize("variant", ["hn", "shuffled"])
def test_variant_names_the_folder(variant: str, tmp_path: Path) -> None:
    """Its source does too, so that no table takes its runs for runs on the English stories."""
    file = tmp_path / variant / NAME.partition("/")[2]
    file.parent.mkdir()
    file.write_text("1 Sita rasoi mein gayi.\n2 Sita kahan hai?\trasoi\t1\n")
    (question,) = load(1, path=tmp_path, variant=variant)
    assert (question.answer, question.source) == ("rasoi", f"official, {variant}")
    with pytest.raises(InputError, match=f"split 'fit': {variant} has train and test alone"):
        load(1, split="fit", path=tmp_path, variant=variant)
    with pytest.raises(InputError, match="variant 'hindi': one of en, hn, shuffled"):
        load(1, path=tmp_path, variant="hindi")


def test_path_knows_the_home_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "babi" / "hn").mkdir(parents=True)
    (tmp_path / "babi" / "hn" / "qa1_single-supporting-fact_train.txt").write_text("1 A slept.\n2 Who slept?\ta\n")
    assert len(load(1, path="~/babi", variant="hn")) == 1
    monkeypatch.setenv("SYMSHIFT_DATA", "~/babi")
    assert len(load(1, variant="hn")) == 1


def hostile(name: str, path: Path) -> None:
    """An archive that a stranger made to do harm."""
    with tarfile.open(path, "w:gz") as packed:
        member = tarfile.TarInfo(f"tasks_1-20_v1-2/{NAME}")
        member.type = {"symlink": tarfile.SYMTYPE, "hard link": tarfile.LNKTYPE, "folder": tarfile.DIRTYPE}.get(
            name, tarfile.FIFOTYPE
        )
        member.linkname = member.name if name == "symlink" else "/etc/passwd"
        packed.addfile(member)


@pytest.mark.parametrize("kind", ["symlink", "hard link", "folder", "fifo", "cut", "not an archive"])
def test_hostile_archives_are_refused_in_one_line(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "tasks.tar.gz"
    hostile("folder" if kind in ("cut", "not an archive") else kind, path)
    if kind == "cut":
        path.write_bytes(path.read_bytes()[:60])
    if kind == "not an archive":
        path.write_bytes(b"PK\x03\x04 or the like")
    with pytest.raises(InputError, match=r"cannot be read|holds no bAbI tasks") as error:
        load(1, path=path)
    assert "\n" not in str(error.value)


def test_a_file_that_unpacks_to_too_much_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "LARGEST_FILE", 1000)
    bomb = tmp_path / "bomb"
    bomb.write_text("1 Mary went to the kitchen.\n" * 250)
    with zipfile.ZipFile(tmp_path / "tasks.zip", "w", zipfile.ZIP_DEFLATED) as zipped:
        zipped.write(bomb, f"tasks_1-20_v1-2/{NAME}")
    with pytest.raises(InputError, match="is larger than 1,000 bytes, which no official file is"):
        load(1, path=tmp_path / "tasks.zip")
    with tarfile.open(tmp_path / "tasks.tar.gz", "w:gz") as packed:
        packed.add(bomb, f"tasks_1-20_v1-2/{NAME}")
    with pytest.raises(InputError, match="holds no bAbI tasks"):
        load(1, path=tmp_path / "tasks.tar.gz")


def test_an_archive_of_too_many_files_is_not_read_through(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MAX_FILES", 3)
    with zipfile.ZipFile(tmp_path / "tasks.zip", "w") as zipped:
        for name in ("a", "b", "c", NAME):
            zipped.writestr(f"tasks_1-20_v1-2/{name}", "1 Mary went to the kitchen.\n2 Where is Mary?\tkitchen\t1\n")
    with pytest.raises(InputError, match="holds no bAbI tasks"):
        load(1, path=tmp_path / "tasks.zip")
