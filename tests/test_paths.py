"""Files that a person names: what cannot be written is one line, and leaves nothing behind."""

import os

import pytest

from symshift.errors import InputError
from symshift.paths import check_writable, relative_note, remove, write_file

UNWRITABLE = {
    "folder": ("folder", "is a folder", "Is a directory"),
    "in-a-file": ("file/own.csv", "is no folder that can be written to", "File exists"),
    "deep-in-a-file": ("file/a/own.csv", "is no folder that can be written to", "Not a directory"),
}


@pytest.mark.parametrize(("name", "before", "after"), UNWRITABLE.values(), ids=UNWRITABLE)
def test_file_that_cannot_be_written_is_one_line(name, before, after, tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("a")
    with pytest.raises(InputError, match=f"{name}: .*{before}"):
        check_writable(tmp_path / name)
    with pytest.raises(InputError, match=f"{name}: cannot be written .{after}"):
        write_file(tmp_path / name, b"b")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["file", "folder"]


def test_file_in_folders_that_are_missing_is_written(tmp_path):
    check_writable(tmp_path / "a" / "b" / "own.csv")
    assert not list(tmp_path.iterdir())
    write_file(tmp_path / "a" / "b" / "own.csv", b"b")
    assert (tmp_path / "a" / "b" / "own.csv").read_bytes() == b"b"


def test_only_drafts_of_killed_writes_are_removed(tmp_path):
    """Other hidden files, such as those of an editor, stay; the name of a file may have brackets."""
    file = tmp_path / "my[1].csv"
    draft, *others = (tmp_path / f".my[1].csv.{end}" for end in ("0123456789ab", "swp", "backup", "0123456789abc"))
    for path in (draft, *others):
        path.write_text("a")
        os.utime(path, (0, 0))
    write_file(file, b"b")
    assert sorted(tmp_path.iterdir()) == sorted([file, *others])
    draft.write_text("a")
    remove(file)
    assert sorted(tmp_path.iterdir()) == sorted(others)


def test_relative_path_of_a_variable_is_shown_in_full(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert relative_note("a/own.py") == f" (looked for as {tmp_path}/a/own.py; for notebooks an absolute path is right)"
    assert relative_note(str(tmp_path / "own.py")) == relative_note("~/own.py") == ""
