"""YAML of a stranger: no alias, no value that is none, always one line."""

from pathlib import Path

import pytest

from symshift import yaml_files
from symshift.errors import InputError

NESTED = "".join(f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 9)}]\n" for level in range(1, 9))


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("model: &m mn\npreset: *m\n", 2),
        ("a0: &a0 [x]\n" + NESTED, 2),
        ("a: &a {b: 1}\nc:\n  <<: *a\n", 3),
    ],
    ids=["one alias", "aliases of aliases", "merge key"],
)
def test_read_refuses_aliases(text: str, line: int, tmp_path: Path) -> None:
    (tmp_path / "own.yaml").write_text(text)
    with pytest.raises(InputError, match=rf"^own.yaml, line {line}: has an alias \(`\*name`\); write out the value"):
        yaml_files.read(tmp_path / "own.yaml")


@pytest.mark.parametrize(
    ("text", "number"), [("1e-3", 1e-3), ("1E5", 1e5), ("-5.e-4", -5e-4), (".5e+1", 5.0), ("1.0e-3", 1e-3), ("3", 3)]
)
def test_read_takes_numbers_with_an_exponent(text, number, tmp_path):
    """Those of YAML 1.2; PyYAML alone takes 1e-3 for a word."""
    (tmp_path / "own.yaml").write_text(f"a: {text}")
    assert repr(yaml_files.read(tmp_path / "own.yaml")) == repr({"a": number})


@pytest.mark.parametrize("text", ["1e", "e3", "1e3x", "a1e3", "1e-3-", "_1e3", "٣e٣", "'1e3'", "1_0e3"])
def test_read_leaves_words_that_are_no_numbers(text):
    assert isinstance(yaml_files.parse(text), str)


@pytest.mark.parametrize(
    "text",
    [
        "a: " + "9" * 5000,
        "a: 2026-13-45",
        "a: 0x_",
        "a: !!int abc",
        "a: !!bool abc",
        "a: !!timestamp abc",
        "[" * 20_000,
    ],
    ids=["5,000 digits", "month 13", "hex", "int", "bool", "time", "brackets"],
)
def test_read_refuses_values_that_are_none(text: str, tmp_path: Path) -> None:
    (tmp_path / "own.yaml").write_text(text)
    with pytest.raises(InputError, match=r"^own.yaml") as error:
        yaml_files.read(tmp_path / "own.yaml")
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("text", ["0100", "-010", "1:30", "00", "1:30:00"])
def test_numbers_that_only_yaml_reads_so_are_refused(text, tmp_path):
    (tmp_path / "own.yaml").write_text(f"a: 1\nb: {text}\n")
    with pytest.raises(InputError, match=rf"^own.yaml, line 2: has {text}; a number without zeros before it or colons"):
        yaml_files.read(tmp_path / "own.yaml")


def test_whole_numbers_are_read_as_people_do():
    assert yaml_files.parse("[0, 10, -3, +7, 0x1F, 1_000, '010']") == [0, 10, -3, 7, 31, 1000, "010"]
