"""`symshift export`: finished runs become published ones."""

import shutil

from symshift import load
from symshift.cli import main
from symshift.runs.store import Store

STORY = ["John moved to the garden."]


def test_export_publishes_runs_that_can_be_asked(trained, tmp_path, capsys):
    outputs, _ = trained
    runs = Store(outputs).runs().id.tolist()
    command = ["export", "--from", str(outputs), "--outputs", str(tmp_path), "--weights"]
    table = tmp_path / "published" / "runs.csv"
    assert main(command) == 0
    *added, total = capsys.readouterr().out.splitlines()
    assert added == [f"added {run}" for run in runs]
    assert total == f"{table}: {len(runs)} runs, {len(runs)} of them added"
    answers = [load(runs[0], folder).ask(STORY, "Where is John?") for folder in (outputs, tmp_path)]
    assert answers[0].probability == answers[1].probability
    assert main(command) == 0
    assert capsys.readouterr().out == f"{table}: {len(runs)} runs, 0 of them added\n"


def test_export_names_runs_whose_weights_are_missing(trained, tmp_path, capsys):
    source, target = tmp_path / "source", tmp_path / "target"
    shutil.copytree(trained[0], source)
    first, *others = Store(source).runs().id
    Store(source).own.weights_path(first).unlink()
    assert main(["export", "--from", str(source), "--outputs", str(target), "--weights"]) == 0
    *added, _ = capsys.readouterr().out.splitlines()
    assert added == [f"added {first}, without weights: its folder has none", *(f"added {run}" for run in others)]


def test_export_names_a_folder_without_runs(tmp_path, capsys):
    assert main(["export", "--outputs", str(tmp_path)]) == 2
    assert capsys.readouterr().err.endswith("has no finished run; name the folder that holds runs/\n")
