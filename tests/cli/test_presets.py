"""`symshift presets`: the list, and the README of params/ as it is written."""

from symshift.cli import main
from symshift.cli.presets import changes, markdown
from symshift.config import presets
from symshift.paths import ROOT
from symshift.preset_files import PARAMS, read


def test_readme_of_params_is_up_to_date():
    assert (ROOT / "params" / "README.md").read_text() == markdown(), "symshift presets --markdown > params/README.md"


def test_presets_have_a_reading_and_a_paper():
    assert [name for name in presets() if not (read(name).about and read(name).paper)] == []


def test_changes_are_those_of_a_base():
    assert changes(read("mn-bag")) == "mn-plain: positions none"
    assert changes(read("mn")) == ""


def test_presets_lists_those_of_a_user_too(tmp_path, monkeypatch, capsys):
    (tmp_path / "mine.yaml").write_text("# Small\nbase: stpr\nmodel: mine\nentity: 3\n")
    monkeypatch.setenv("SYMSHIFT_PARAMS", str(tmp_path))
    assert main(["presets"]) == 0
    said = capsys.readouterr().out
    assert [line.split(" (")[0] for line in said.splitlines() if not line.startswith(" ")][:2] == ["mn", "mn-bag"]
    assert f"mine ({tmp_path / 'mine.yaml'})\n    Small. Changes stpr: entity 3\n" in said
    assert main(["presets", "--markdown"]) == 0
    assert capsys.readouterr().out == (ROOT / "params" / "README.md").read_text()


def test_a_preset_may_have_an_incomplete_base(tmp_path, monkeypatch, capsys):
    lstm = (PARAMS / "lstm.yaml").read_text()
    (tmp_path / "half.yaml").write_text("model: half\nnetwork: lstm\nupdates: 10\n")
    (tmp_path / "whole.yaml").write_text(lstm.replace("model: lstm", "model: whole\nbase: half"))
    monkeypatch.setenv("SYMSHIFT_PARAMS", str(tmp_path))
    assert main(["presets"]) == 2
    said = capsys.readouterr()
    assert "whole (" in said.out
    assert said.err.startswith("the preset half does not set")


def test_presets_lists_the_others_and_then_the_faulty(tmp_path, monkeypatch, capsys):
    (tmp_path / "broken.yaml").write_text("base: stpr\nmodel: broken\nentitty: 3\n")
    (tmp_path / "sound.yaml").write_text("base: stpr\nmodel: sound\n")
    monkeypatch.setenv("SYMSHIFT_PARAMS", str(tmp_path))
    assert main(["presets"]) == 2
    said = capsys.readouterr()
    assert f"sound ({tmp_path / 'sound.yaml'})" in said.out
    (line,) = said.err.splitlines()
    assert line.startswith("broken.yaml: ")
    assert "entitty" in line
