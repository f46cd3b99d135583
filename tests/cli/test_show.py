"""`symshift show`: everything that a preset sets, as YAML."""

import pytest
import yaml

from symshift.cli import main
from symshift.config import configure


@pytest.mark.parametrize("model", ["stpr-sm", "mn-inputs", "entnet-tied"])
def test_show_prints_the_whole_preset(model, capsys):
    assert main(["show", model]) == 0
    said = capsys.readouterr().out
    open_to_runs = {"task", "examples", "source"}
    settings = configure({"model": model}).settings()
    assert yaml.safe_load(said) == {name: value for name, value in settings.items() if name not in open_to_runs}
    assert "# Paper: " in said
    assert f"{model}.yaml" in said
    assert "# Network: symshift.models." in said


def test_show_marks_what_differs_from_the_base(capsys):
    assert main(["show", "mn-inputs"]) == 0
    marked = [line for line in capsys.readouterr().out.splitlines() if line.endswith("  # differs from mn-plain")]
    assert [line.split(":")[0] for line in marked] == ["network", "dim", "dropout"]


def test_show_names_a_preset_that_is_unknown(capsys):
    assert main(["show", "strp"]) == 2
    assert capsys.readouterr().err == "model 'strp' is unknown; did you mean 'stpr'?\n"


def test_show_has_the_stories_that_a_preset_sets(tmp_path, monkeypatch, capsys):
    (tmp_path / "mine.yaml").write_text("base: stpr\nmodel: mine\ntask: 2\nexamples: 100\n")
    monkeypatch.setenv("SYMSHIFT_PARAMS", str(tmp_path))
    assert main(["show", "mine"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert {"task: 2  # differs from stpr", "examples: 100  # differs from stpr"} <= {*lines}
    assert not any(line.startswith("source:") for line in lines)
