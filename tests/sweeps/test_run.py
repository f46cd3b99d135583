"""A sweep: its file, its plan, and that it goes on after a failure in one place."""

import json
import os
import shlex
import subprocess
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
import torch
import yaml

from symshift import cli
from symshift.config import configure
from symshift.data import combinations, generate, write
from symshift.models.transformer.symbolic import PARTS
from symshift.paths import ROOT
from symshift.runs.selection import BUDGET
from symshift.runs.store import Store
from symshift.sweeps import estimate, executors
from symshift.sweeps.estimate import Speeds
from symshift.sweeps.executors import Processes, outcomes
from symshift.sweeps.run import main
from symshift.sweeps.spec import read
from symshift.training.stopping import MAX_ATTEMPTS
from tests.helpers.checkpointed_sweep import die
from tests.helpers.sweeps import GRID, QUICK, SMALL, command, contents, written

ABLATION = ROOT / "params" / "sweeps" / "stransformer-ablation.yaml"
TABLES = sorted({*ABLATION.parent.glob("*.yaml")} - {ABLATION})
CPU = torch.device("cpu")
SMALL_OF_ANY = {"batch": 4, "updates": 4, "evaluate_every": 2}


def cells(left):
    """The model, task and seed of every run."""
    return {(kept["config"]["model"], kept["config"]["task"], kept["seed"]) for kept, *_ in left.values()}


def test_every_cell_of_the_grid_is_a_run(undisturbed):
    assert cells(undisturbed) == {
        (model, task, seed) for model in GRID["models"] for task in (1, 15) for seed in (0, 1)
    }
    assert len({kept["updates"] for kept, *_ in undisturbed.values()}) > 1  # so some leave a stack before others


def test_a_dry_run_says_what_there_is_and_trains_nothing(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(estimate, "BENCH", tmp_path / "none.csv")
    outputs = tmp_path / "outputs"
    assert main([*command(written(tmp_path), outputs), "--dry-run"]) == 0
    first, _, *models, last = capsys.readouterr().out.splitlines()
    assert first.startswith("sweep.yaml: 8 cells in 4 groups")
    assert first.endswith(", 0 in the store, 8 to train")
    assert [line.split() for line in models] == [[name, "60", "generated", *"2240", "-"] for name in GRID["models"]]
    assert last == "-: no estimate: run make bench"
    assert not outputs.exists()


def test_only_what_the_store_lacks_is_trained(tmp_path, capsys):
    outputs, once = tmp_path / "outputs", {"models": ["tpr-sm"], "tasks": [1]}
    assert main(command(written(tmp_path, **once), outputs)) == 0
    kept = [(path, path.stat().st_mtime_ns) for path in outputs.rglob("*") if path.is_file()]
    capsys.readouterr()
    more = command(written(tmp_path, **once, seeds=[0, 1, 2]), outputs)
    assert main(more) == 0
    planned, _, line, *_, ended, _, last = capsys.readouterr().out.splitlines()
    assert planned.endswith("3 cells in 1 groups (a group's seeds train as one stack), 2 in the store, 1 to train")
    assert line.split()[:-1] == ["tpr-sm", "60", "generated", "1", "1", "3", "2"]
    assert ended.startswith("1 of 1 groups after ")
    assert last.split() == ["tpr-sm", "60", "generated", "1", "2", "0"]
    assert [(path, path.stat().st_mtime_ns) for path, _ in kept] == kept
    assert cells(contents(outputs)) == {("tpr-sm", 1, seed) for seed in (0, 1, 2)}


def test_estimate_counts_a_record_without_its_number_of_updates(tmp_path):
    """Earlier versions wrote none."""
    assert main(command(written(tmp_path, models=["tpr-sm"], seeds=[0]), tmp_path / "outputs")) == 0
    for file in (tmp_path / "outputs").glob("runs/*/run.json"):
        record = json.loads(file.read_text())
        del record["updates"]
        file.write_text(json.dumps(record))
    store = Store(tmp_path / "outputs")
    speed = store.runs().set_index("task").updates_per_second
    speeds = Speeds(store, CPU, tmp_path / "none.csv")
    assert speeds.seconds(configure({"model": "tpr-sm", "updates": 100, "task": 15}), 3) == pytest.approx(
        300 / speed[15]
    )


def test_estimate_uses_runs_then_bench_then_the_slowest(tmp_path, monkeypatch):
    """The estimate is from runs of the task, else from its benchmark, else from the slowest that there is."""
    assert main(command(written(tmp_path, models=["tpr-sm"], seeds=[0]), tmp_path / "outputs")) == 0
    store, bench = Store(tmp_path / "outputs"), tmp_path / "bench.csv"
    cases = {
        "stpr-sm T10": 4.0,
        "stpr-sm T70": 9.0,
        "stpr-sm task 3": 8.0,
        "tpr-sm task 15": 0.001,
        "tpr-sm T10": 0.001,
    }
    pd.DataFrame({"case": [*cases], "stacked10_ms": [*cases.values()]}).to_csv(bench)
    speed = store.runs().set_index("task").updates_per_second
    tpr = {"model": "tpr-sm", "updates": 100}
    trials_left_out = Speeds(store, CPU, bench)
    assert trials_left_out.seconds(configure(tpr | {"task": 15}), 3) == pytest.approx(3 * 100 * 1e-6)
    monkeypatch.setattr(estimate, "LEAST_UPDATES", 1)
    speeds = Speeds(store, CPU, bench)
    assert speeds.seconds(configure(tpr | {"task": 15}), 3) == pytest.approx(3 * 100 / speed[15])
    assert speeds.seconds(configure(tpr | {"task": 2}), 3) == pytest.approx(3 * 100 / speed.min())
    stpr = {"model": "stpr-sm", "updates": 100}
    assert speeds.seconds(configure(stpr | {"task": 3}), 3) == pytest.approx(3 * 100 * 0.008)
    assert speeds.seconds(configure(stpr), 3) == pytest.approx(3 * 100 * 0.009)
    again = configure(tpr | {"task": 15, "restart_at": 18, "evaluate_every": 5})  # attempts are over at update 20
    assert speeds.seconds(again, 3) == pytest.approx(3 * (100 + 20 * (MAX_ATTEMPTS - 1)) / speed[15])
    never = configure(tpr | {"task": 15, "restart_at": 101})  # at most 100 updates, as of the setting at 8,000
    assert speeds.seconds(never, 3) == pytest.approx(3 * 100 / speed[15])
    assert speeds.seconds(configure({"model": "mn"}), 3) is None
    assert Speeds(store, CPU, tmp_path / "none.csv").seconds(configure({"model": "stpr-sm"}), 3) is None


MISTAKES = {
    "not-yaml": ("models: [", "sweep.yaml, line 1: is not YAML"),
    "no-mapping": ("- 3", "sweep.yaml: a sweep is a mapping with models, tasks"),
    "empty": ("", "sweep.yaml: a sweep is a mapping with models, tasks"),
    "a-key-twice": ("tasks: [1]\nmodels: [mn]\ntasks: [2]", "sweep.yaml, line 3: has 'tasks' twice"),
    "a-list-for-a-key": ("? [1]\n: [mn]", "sweep.yaml, line 1: "),
    "misspelt-key": ({"seed": [0]}, "sweep.yaml: 'seed' is unknown; did you mean 'seeds'?"),
    "key-of-another-type": ("3: [0]", "sweep.yaml: 3 is unknown; a sweep has models, tasks"),
    "seeds-in-words": ({"seeds": "zero"}, "sweep.yaml: seeds is 'zero'; it wants a list such as [0, 1, 2]"),
    "a-seed-in-words": ({"seeds": ["zero"]}, "sweep.yaml: seeds is ['zero']; it wants a list such as [0, 1, 2]"),
    "no-seeds": ({"seeds": []}, "sweep.yaml: seeds is []; it wants a list"),
    "a-seed-twice": ({"seeds": [1, 0, 1]}, "sweep.yaml: seeds has 1 twice"),
    "a-large-seed": ({"seeds": [0, 10**6]}, "sweep.yaml: seeds has 1000000; a seed is below 1000000"),
    "a-seed-below-0": ({"seeds": [0, -1]}, "sweep.yaml: seeds has -1; a seed is 0 or more"),
    "task-21": ({"tasks": [1, 21]}, "sweep.yaml: task is 21, but bAbI's tasks are 1 to 20"),
    "task-true": ({"tasks": [True]}, "sweep.yaml: tasks is [True]; it wants a list such as [1, 2, 3]"),
    "one-task": ({"tasks": 1}, "sweep.yaml: tasks is 1; it wants a list such as [1, 2, 3]"),
    "misspelt-preset": ({"models": ["strp-sm"]}, "sweep.yaml: model 'strp-sm' is unknown; did you mean 'stpr-sm'?"),
    "source-of-ones-own": (
        {"sources": ["own.csv"]},
        "sweep.yaml: source is 'own.csv'; choose from auto, official, generated; stories: [FILE] in place of tasks, "
        "examples and sources trains on one's own",
    ),
    "stories-and-tasks": (
        {"stories": ["own.csv"]},
        "sweep.yaml: tasks and stories are both there; one of them is right",
    ),
    "stories-and-examples": (
        "models: [mn]\nstories: [own.csv]\nexamples: [1000]\nseeds: [0]",
        "sweep.yaml: examples has no effect beside stories; leave one out",
    ),
    "one-story": (
        "models: [mn]\nstories: own.csv\nseeds: [0]",
        "sweep.yaml: stories is 'own.csv'; it wants a list such",
    ),
    "splits-without-sources": (
        "models: [mn]\nsplits: [length]\nexamples: [1000]\nseeds: [0]",
        "sweep.yaml: sources is None; it wants a list such as [official]",
    ),
    "misspelt-source": ({"sources": ["offical"]}, "sweep.yaml: source is 'offical'; choose from auto, official"),
    "misspelt-override": (
        {"overrides": {"updatse": 3}},
        "sweep.yaml: parameter 'updatse' is unknown to tpr-sm; did you",
    ),
    "overrides-in-words": ({"overrides": "none"}, "sweep.yaml: overrides is 'none'; it wants names and values"),
    "overridden-list": ({"overrides": {"task": 3}}, "sweep.yaml: overrides has 'task', which the lists give"),
    "overrides-in-words-in-a-list": (
        {"overrides": [{}, "none"]},
        "sweep.yaml: overrides is 'none'; it wants names and values",
    ),
    "overrides-twice": (
        {"overrides": [{"updates": 3}, {"updates": 3}]},
        "sweep.yaml: overrides has {'updates': 3} twice",
    ),
    "no-overrides": ({"overrides": []}, "sweep.yaml: overrides is []; it wants a list such as [{}, {updates: 2000}]"),
    "no-models": ({"models": {}}, "sweep.yaml: models is {}; it wants presets such as {stpr-sm:"),
    "a-model-s-misspelt-override": (
        {"models": {"mn": {}, "tpr-sm": {"updatse": 3}}},
        "sweep.yaml: models, tpr-sm: parameter 'updatse' is unknown to tpr-sm; did you mean 'updates'?",
    ),
    "a-model-s-update-in-words": (
        {"models": {"tpr-sm": {"updates": "many"}}},
        "sweep.yaml: models, tpr-sm: updates is 'many', a str; it wants a whole number",
    ),
    "a-model-s-overrides-left-out": (
        {"models": {"mn": None}},
        "sweep.yaml: models, mn is None; it wants names and values such as {updates: 2000}",
    ),
    "a-model-s-overridden-list": (
        {"models": {"mn": {"task": 3}}},
        "sweep.yaml: models, mn has 'task', which the lists give",
    ),
    "a-misspelt-preset-with-overrides": (
        {"models": {"strp-sm": {}}},
        "sweep.yaml: models, strp-sm: model 'strp-sm' is unknown; did you mean 'stpr-sm'?",
    ),
}


@pytest.mark.parametrize(("wrong", "says"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_is_one_line(wrong, says, tmp_path, capsys):
    file = written(tmp_path, **(wrong if isinstance(wrong, dict) else {}))
    if isinstance(wrong, str):
        file.write_text(wrong)
    assert main([str(file)]) == 2
    out, error = capsys.readouterr()
    assert out == ""
    assert error.startswith(says)
    assert error.count("\n") == 1


def file_of(folder, **values):
    """The file of a sweep of two small models that has these lists."""
    file = folder / "sweep.yaml"
    values = {"models": ["tpr-sm", "mn"], "seeds": [0], "overrides": SMALL_OF_ANY} | values
    file.write_text(yaml.safe_dump(values, sort_keys=False))
    return file


def test_stories_of_ones_own_are_cells(tmp_path, capsys):
    """The runs are those that `symshift train --stories` makes; what a file lacks is said once."""
    own, outputs = tmp_path / "own.csv", tmp_path / "outputs"
    write([replace(question, supporting=()) for question in generate(1, 60)], own)
    sweep = command(file_of(tmp_path, stories=[str(own)]), outputs)
    assert main(sweep) == 0
    said = capsys.readouterr().out.splitlines()
    assert [line.split()[:4] for line in said if line.split()[0] in ("tpr-sm", "mn")][:2] == [
        ["tpr-sm", "50", "own.csv", "1"],
        ["mn", "50", "own.csv", "1"],
    ]
    assert sum("has no supporting facts" in line for line in said) == 1
    assert any("groups after" in line and "tpr-sm on own.csv: test error" in line for line in said)
    runs = Store(outputs).runs()
    assert set(zip(runs.model, runs.source, runs.stories, strict=True)) == {
        ("tpr-sm", "file", "own.csv"),
        ("mn", "file", "own.csv"),
    }
    settings = [f"{name}={value}" for name, value in SMALL_OF_ANY.items()]
    assert cli.main(["train", "mn", "--stories", str(own), "--outputs", str(outputs), *settings]) == 0
    assert len(Store(outputs).runs()) == len(runs)
    assert main(sweep) == 0
    assert "2 in the store, 0 to train" in capsys.readouterr().out


def test_splits_are_cells(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(combinations, "TEST_QUESTIONS", 20)
    file = file_of(tmp_path, splits=["length"], examples=[50], sources=["generated"])
    assert main(command(file, tmp_path / "outputs")) == 0
    assert "tpr-sm on split length, 50 generated: test error" in capsys.readouterr().out
    assert set(Store(tmp_path / "outputs").runs().stories) == {"split length"}


def test_stories_that_cannot_be_read_fail_alone(tmp_path, capsys):
    """So do those without the facts that a network learns from."""
    own = tmp_path / "own.csv"
    write([replace(question, supporting=()) for question in generate(1, 60)], own)
    stories = [str(tmp_path / "none.csv"), str(own)]
    file = file_of(tmp_path, models=["prehoc-teacher"], stories=stories, overrides={"updates": 1})
    assert main([*command(file, tmp_path / "outputs"), "--dry-run"]) == 1
    said = [line for line in capsys.readouterr().out.splitlines() if line.startswith("failed: ")]
    assert said[0].startswith("failed: prehoc-teacher on none.csv: ")
    assert said[0].endswith("No such file or directory; give a file of questions")
    lacking = "own.csv: has no supporting facts, from which prehoc-teacher answers; add them"
    assert said[1] == f"failed: prehoc-teacher on own.csv: {lacking}"


def test_a_missing_list_is_one_line(tmp_path, capsys):
    file = tmp_path / "sweep.yaml"
    file.write_text(yaml.safe_dump({name: values for name, values in GRID.items() if name != "tasks"}))
    assert main([str(file)]) == 2
    assert capsys.readouterr().err == "sweep.yaml: tasks is None; it wants a list such as [1, 2, 3]\n"


WRONG_OPTIONS = {
    "no-file": (["none.yaml"], "none.yaml: cannot be read (No such file or directory)"),
    "no-workers": (["{}", "--workers", "0"], "workers is 0; at least 1 process is needed"),
    "another-device": (["{}", "--device", "abacus"], "device 'abacus' is not on this machine; choose auto or cpu"),
    "no-scheduler": (["{}", "--scheduler", "tcp"], "scheduler 'tcp' does not answer; `dask scheduler` starts one"),
}


@pytest.mark.parametrize(("words", "says"), WRONG_OPTIONS.values(), ids=WRONG_OPTIONS)
def test_a_wrong_option_is_one_line(words, says, tmp_path, capsys):
    file = written(tmp_path)
    assert main([word.format(file) for word in words]) == 2
    error = capsys.readouterr().err
    assert error.startswith(says)
    assert error.count("\n") == 1


def test_a_cell_that_always_fails_fails_alone(tmp_path, capsys, undisturbed, monkeypatch):
    monkeypatch.setenv("SYMSHIFT_DATA", str(tmp_path))
    (lost,) = (run for run, (kept, *_) in undisturbed.items() if cells({run: [kept]}) == {("tpr-sm", 1, 0)})
    Store(tmp_path).fail(lost, {"attempts": MAX_ATTEMPTS, "update": 5, "reason": "weights are not finite"})
    assert main(command(written(tmp_path, sources=["official", "generated"], tasks=[1]), tmp_path)) == 1
    said = capsys.readouterr().out.splitlines()
    assert [line.split()[2:] for line in said[-6:-2]] == [
        ["official", *"002"],
        ["official", *"002"],
        ["generated", *"101"],
        ["generated", *"200"],
    ]
    unread, diverged = said[-2:]
    assert unread.startswith("failed: tpr-sm task 1, 60 official; gstpr-sm task 1, 60 official: SYMSHIFT_DATA ")
    expected = f"failed: tpr-sm task 1, 60 generated: tpr-sm on task 1 diverged {MAX_ATTEMPTS} times with"
    assert diverged.startswith(expected)
    (tmp_path / "runs" / lost / "error.json").unlink()
    left = contents(tmp_path)
    assert left == {run: undisturbed[run] for run in left}
    assert len(left) == 3


@pytest.fixture(scope="module")
def ends(tmp_path_factory):
    """How calls in processes end, and how often each process died; a process is tried twice."""
    deaths = {"never": 0, "wrong": "no number", "once": 1, "always": 99}
    folders = {name: tmp_path_factory.mktemp(name) for name in deaths}
    with pytest.MonkeyPatch.context() as patch, Processes(3) as executor:
        patch.setattr(executors, "MAX_DEATHS", 2)
        errors = dict(outcomes(executor, die, list(zip(deaths.values(), folders.values(), strict=True))))
    return {name: (errors[place], len(list(folders[name].iterdir()))) for place, name in enumerate(deaths)}


def test_a_call_that_fails_fails_alone():
    errors = dict(outcomes(None, int, [("1",), ("one",), ("2",)]))
    assert {place: type(error) for place, error in errors.items()} == {0: type(None), 1: ValueError, 2: type(None)}


def test_a_call_that_fails_in_a_process_fails_alone(ends):
    assert isinstance(ends["wrong"][0], TypeError)
    assert ends["never"] == (None, 0)


def test_dead_process_is_tried_again_alone(ends):
    """A process that dies is tried again and takes no other with it."""
    assert ends["never"] == (None, 0)
    assert ends["once"] == (None, 1)
    error, deaths = ends["always"]
    assert isinstance(error, ChildProcessError)
    assert (str(error), deaths) == ("its process died 2 times", 2)


def test_a_process_has_the_environment_of_its_call(monkeypatch):
    with Processes(1) as executor:
        for value in ("one", "other"):
            monkeypatch.setenv("SYMSHIFT_TASKS", value)
            assert executor.submit(os.getenv, "SYMSHIFT_TASKS").result() == value


def test_overrides_of_a_model_go_before_those_of_all(tmp_path):
    """A model's own overrides are its alone and go before those of all models."""
    models = {"tpr-sm": {"updates": 30, "patience": 7}, "gstpr-sm": {}}
    protocols = {
        group.config.model: group.config.training for group in read(written(tmp_path, models=models, tasks=[1]))
    }
    assert {name: (p.updates, p.patience, p.batch) for name, p in protocols.items()} == {
        "tpr-sm": (30, 7, 4),
        "gstpr-sm": (60, 25, 4),
    }


def test_each_of_a_list_of_overrides_is_trained(tmp_path):
    listed = [{**SMALL, **QUICK, "updates": updates} for updates in (10, 20)]
    groups = read(written(tmp_path, overrides=listed, tasks=[1]))
    assert [(group.config.training.updates, group.config.model) for group in groups] == [
        (10, "tpr-sm"),
        (10, "gstpr-sm"),
        (20, "tpr-sm"),
        (20, "gstpr-sm"),
    ]
    (plain, changed) = read(written(tmp_path, models=["mn"], overrides=[{}, {"hops": 2}], tasks=[1]))
    assert (str(plain), str(changed)) == ("mn task 1, 60 generated", "mn task 1, 60 generated, hops 2")


def test_models_without_overrides_are_the_same_cells_as_a_list(tmp_path):
    listed = read(written(tmp_path))
    assert read(written(tmp_path, models={model: {} for model in GRID["models"]})) == listed


def test_our_ablation_changes_one_setting_at_a_time():
    """Each part is taken out once, and every kind of decay and dropout is changed once."""
    groups, whole = read(ABLATION), configure({"model": "stransformer-nodrop"}).settings()
    changes = [
        {name: value for name, value in group.config.settings().items() if value != whole[name]} for group in groups
    ]
    changes = [{name: value for name, value in change.items() if name not in ("task", "source")} for change in changes]
    assert {len(change) for change in changes} == {0, 1}
    assert {change["without"] for change in changes if "without" in change} == set(PARTS)
    assert set().union(*changes) == {"without", "word_dropout", "recency", "answer_dropout", "weight_decay"}
    assert len(groups) == 5 * len({str(change) for change in changes})


@pytest.mark.parametrize("file", TABLES, ids=lambda file: file.stem)
def test_our_tables_change_at_most_the_budget(file: Path):
    """A sweep of a table of ours changes of its presets at most their budget."""
    groups = read(file)
    assert {group.config.task for group in groups} == set(range(1, 21))
    reduced = {}
    for group in groups:
        given, preset = group.config.flat(), configure({"model": group.config.model}).flat()
        changed = {name: value for name, value in given.items() if value != preset[name]}
        changed = {name: value for name, value in changed.items() if name not in ("task", "examples", "source")}
        reduced.setdefault(group.config.model, changed)
        assert changed == reduced[group.config.model]
        assert changed.keys() <= {*BUDGET}
    budget = {"updates": 24000, "patience": 8000}
    small = {"stpr-sm": budget, "tpr-sm": budget, "mn": {"updates": 16000, "patience": 6000}}
    small |= {"tpr-hidden": {"updates": 12000, "patience": 4000}}
    expected = small if file.stem == "table1-1k" else {}
    assert {model: changed for model, changed in reduced.items() if changed} == expected


def test_gpu_tables_trains_every_model_it_names(tmp_path, capsys):
    """`make gpu-tables` is a command that trains every model it names."""
    made = subprocess.run(
        ["make", "--no-print-directory", "-n", "gpu-tables"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    words = shlex.split(made.splitlines()[-1].partition(" -m symshift.sweeps.run ")[2])
    assert words[1:3] == ["--device", "cuda"]
    models = yaml.safe_load((ROOT / words[0]).read_text())["models"]
    tiny = {"batch": 4, "updates": 2, "evaluate_every": 1, "restart_at": 0}
    file = written(tmp_path, models=models, tasks=[15], seeds=[0, 1], overrides=tiny)
    assert main([str(file), "--device", "cpu", "--outputs", str(tmp_path)]) == 0
    assert cells(contents(tmp_path)) == {(model, 15, seed) for model in models for seed in (0, 1)}
    if not torch.cuda.is_available():
        capsys.readouterr()
        assert main([str(ROOT / words[0]), *words[1:]]) == 2
        assert capsys.readouterr().err == "device 'cuda' is not on this machine; choose auto or cpu\n"
