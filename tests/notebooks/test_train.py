"""05_train as its readers run it: from another directory, with every preset, tasks of every shape and every mistake.

A few runs go through papermill itself. The many go through its parameters and the same cells in this process, because
a kernel costs more to start than these trainings."""

import ast
import subprocess
import sys
import warnings
from pathlib import Path
from types import ModuleType
from typing import Any

import nbformat
import pytest
import seaborn
import yaml
from click.testing import CliRunner
from matplotlib.figure import Figure
from papermill.cli import papermill as command
from papermill.iorw import load_notebook_node
from papermill.parameterize import parameterize_notebook

from symshift import preset_files, yaml_files
from symshift.config import configure, names, presets
from symshift.data import combinations, generate, splits, write
from symshift.data.babi.official import find_official
from symshift.errors import InputError
from symshift.notebook import settings
from symshift.runs.store import Store
from symshift.training.own_stories import WITHOUT_EFFECT
from tests.helpers.opened import opened, refused

ROOT = Path(__file__).parents[2]
NOTEBOOK = ROOT / "notebooks" / "05_train.ipynb"
QUICK = {"updates": 4, "evaluate_every": 2, "source": "generated", "examples": 100, "seeds": 2}


@pytest.fixture
def run_cells(tmp_path, monkeypatch):
    """Runs the code cells of 05_train with injected parameters, and shows what each would show, pictures unpainted.

    To lay out the pictures, as `layout` says, takes half of the time.
    """

    def run(layout: bool = True, **parameters: Any) -> Store:
        if not layout:  # a heat map lays out its labels to see whether they overlap
            monkeypatch.setattr(seaborn.matrix, "axis_ticklabels_overlap", lambda labels: False)
        injected = parameterize_notebook(load_notebook_node(str(NOTEBOOK)), parameters | {"outputs": str(tmp_path)})
        module = ModuleType("a_notebook")
        monkeypatch.setitem(sys.modules, "a_notebook", module)
        module.In = []
        for cell in injected.cells:
            if cell.cell_type == "code":
                module.In.append(cell.source)
                *lines, last = ast.parse(cell.source).body
                exec(compile(ast.Module(lines, []), "cell", "exec"), module.__dict__)
                shows = ast.Expression(last.value) if isinstance(last, ast.Expr) else ast.Module([last], [])
                shown = eval(compile(shows, "cell", "eval" if isinstance(last, ast.Expr) else "exec"), module.__dict__)
                if isinstance(shown, Figure) and layout:
                    shown.draw_without_rendering()
                elif not isinstance(shown, Figure):
                    getattr(shown, "_repr_mimebundle_", shown.__repr__)()
        return Store(tmp_path)

    return run


def papermill(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """05_train by papermill, called in `folder`, its store there too."""
    words = [sys.executable, "-m", "papermill", str(NOTEBOOK), "out.ipynb", "-p", "outputs", str(folder)]
    return subprocess.run([*words, *arguments], cwd=folder, capture_output=True, text=True, check=False)


def declared() -> set[str]:
    """The parameters that the notebook lists."""
    (cell,) = [cell for cell in nbformat.read(NOTEBOOK, 4).cells if "parameters" in cell.metadata.get("tags", [])]
    return {line.split(":")[0] for line in cell.source.splitlines()}


def test_papermill_makes_a_report_in_another_directory(tmp_path):
    quick = [word for name, value in QUICK.items() for word in ("-p", name, str(value))]
    done = papermill(tmp_path, "-f", str(ROOT / "params" / "gstpr-sm.yaml"), *quick)
    assert done.returncode == 0, done.stderr
    report = nbformat.read(tmp_path / "out.ipynb", 4)
    said = [output for cell in report.cells[:6] for output in cell.get("outputs", [])]
    assert said[0].data["text/markdown"].startswith("**Generated stories**")
    assert sorted(Store(tmp_path).runs().seed) == [0, 1]


def test_papermill_ends_a_typo_with_one_line(tmp_path):
    done = papermill(tmp_path, "-p", "model", "strp")
    assert done.returncode != 0
    said = [line for line in done.stderr.splitlines() if "strp" in line]
    assert said == [done.stderr.rstrip().splitlines()[-1]]
    assert said[0].startswith("InputError: model 'strp' is unknown; did you mean 'stpr'?")
    assert not (tmp_path / "runs").exists()


def test_papermill_explains_every_parameter():
    done = CliRunner().invoke(command, ["--help-notebook", str(NOTEBOOK)])
    assert done.exit_code == 0
    known = {
        "seeds",
        "device",
        "outputs",
        "overrides",
        "stories",
        "split",
        *(name for model in presets() for name in names(model)),
    }
    explained = {line.split(":")[0].strip() for line in done.stdout.splitlines() if "(default" in line}
    assert explained == declared()
    assert explained <= known


@pytest.mark.parametrize("model", presets())
def test_every_preset_runs(model, run_cells, monkeypatch):
    """Pictures differ by the model in colour alone, so those of two are laid out."""
    monkeypatch.setattr(splits, "TEST_QUESTIONS", 100)
    runs = run_cells(layout=model in ("mn", "stpr"), model=model, **QUICK).runs()
    assert (set(runs.model), sorted(runs.seed), set(runs.updates)) == ({model}, [0, 1], {4})


def test_file_of_a_variant_may_be_injected(run_cells):
    text = yaml.safe_load((ROOT / "params" / "variants" / "mn-inputs.yaml").read_text())
    runs = run_cells(**text | QUICK).runs()
    assert (set(runs.model), set(runs.dim), set(runs.positions)) == ({"mn-inputs"}, {30}, {"learned"})


@pytest.mark.parametrize("model", presets())
def test_file_of_every_preset_is_the_preset(model, monkeypatch):
    module = opened("05_train", 3, monkeypatch, **{"updates": None} | yaml_files.read(preset_files.read(model).path))
    assert configure(settings(vars(module)).overrides) == configure({"model": model})


def test_overrides_set_what_is_not_listed(run_cells):
    runs = run_cells(model="mn", overrides={"hops": 2, "batch": 8}, **QUICK).runs()
    assert (set(runs.hops), set(runs.batch)) == ({2}, {8})


@pytest.mark.parametrize("format", ["babi", "csv", "jsonl", "babi_qa", "babilong"])
def test_stories_of_every_format_run(format, run_cells, tmp_path, capsys):
    file = tmp_path / {"babi": "own.txt", "csv": "own.csv"}.get(format, "own.json")
    with warnings.catch_warnings(action="ignore"):
        write(generate(1, 100), file, format=format)
    quick = {name: value for name, value in QUICK.items() if name not in WITHOUT_EFFECT["stories"]}
    runs = run_cells(model="mn", stories=str(file), **quick | {"seeds": 1}).runs()
    assert (runs.task[0], runs.source[0], runs.stories[0]) == (0, "file", file.name)
    assert f"{file.name} has no split: 20 of 100 questions" in capsys.readouterr().out


@pytest.mark.parametrize(("source", "name"), [("stories", "examples"), ("stories", "task"), ("split", "task")])
def test_parameter_without_effect_is_one_line(source, name, run_cells):
    with pytest.raises(InputError, match=f"^{name} has no effect on {source} some; leave one out$"):
        run_cells(**{source: "some", name: 20})


@pytest.mark.parametrize("split", ["length", "person-task"])
def test_splits_run(split, run_cells, monkeypatch):
    monkeypatch.setattr(combinations, "TEST_QUESTIONS", 40)
    runs = run_cells(model="stpr", split=split, **QUICK | {"seeds": 1}).runs()
    assert runs.stories[0] == f"split {split}"
    assert 0 <= runs.error_combination[0] <= 100


@pytest.mark.parametrize("task", [3, 8, 15, 19, 20], ids=["long", "lists", "no-objects", "paths", "odd-lengths"])
def test_tasks_of_every_shape_run(task, run_cells):
    if find_official() is None:
        pytest.skip("needs the official bAbI text, which is not on this machine")
    runs = run_cells(model="tpr", task=task, updates=2, seeds=1).runs()
    assert (runs.task[0], runs.stories[0]) == (task, "official")


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"split": "lenght"}, "split 'lenght' is unknown; did you mean 'length'?"),
        ({"stories": "nowhere.csv"}, "'nowhere.csv': No such file or directory; give a file of questions"),
        ({"stories": "a.csv", "split": "length"}, "stories and split are both set; one of them is right"),
        ({"model": "strp"}, "model 'strp' is unknown; did you mean 'stpr'?"),
        ({"task": 21}, "task is 21, but bAbI's tasks are 1 to 20"),
        ({"seeds": "zero"}, "seeds is 'zero'; it wants a whole number such as 3"),
        ({"modle": "mn"}, "parameter 'modle' is unknown to this notebook; did you mean 'model'?"),
        ({"hops": 3}, "parameter 'hops' is unknown to stpr"),
        ({"dropout": "high"}, "dropout is 'high'"),
        ({"source": "offical"}, "source is 'offical'"),
        ({"device": "tpu"}, "device 'tpu' is not on this machine"),
        ({"updates": 0}, "updates is 0"),
        ({"updates": True}, "updates is True"),
        ({"batch": 0}, "batch is 0"),
        ({"overrides": {"hops": 3}}, "parameter 'hops' is unknown to stpr"),
        ({"overrides": {"hiden": 3}}, "parameter 'hiden' is unknown to stpr; did you mean 'hidden'?"),
        ({"overrides": {"hidden": "many"}}, "hidden is 'many'"),
        ({"overrides": {"updates": 5}}, "overrides has 'updates', which this notebook has as a parameter"),
        ({"overrides": 5}, "overrides is 5; it wants a mapping"),
    ],
    ids=lambda value: str(value) if isinstance(value, dict) else "",
)
def test_a_mistake_is_one_line_and_leaves_no_record(parameters, said, run_cells, tmp_path):
    with refused(said):
        run_cells(**parameters)
    assert not (tmp_path / "runs").exists()


def test_a_broken_data_file_is_named(run_cells, tmp_path, monkeypatch):
    monkeypatch.setenv("SYMSHIFT_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(InputError, match=r"SYMSHIFT_DATA '.*nowhere' is not there"):
        run_cells()
    folder = tmp_path / "tasks" / "en"
    folder.mkdir(parents=True)
    (folder / "qa2_two-supporting-facts_train.txt").touch()
    monkeypatch.setenv("SYMSHIFT_DATA", str(tmp_path / "tasks"))
    with pytest.raises(InputError, match=r"has no en/qa1_single-supporting-fact_train.txt"):
        run_cells()
    file = folder / "qa1_single-supporting-fact_train.txt"
    file.write_text("1 Mary went to the office.\n2 Where is Mary? office 1\n")
    with pytest.raises(InputError, match=r"qa1_single-supporting-fact_train.txt, line 2: a question without its tab"):
        run_cells()
    file.write_text("1 Mary went to the office.\n2 Where is Mary?\toffice\t1\n")
    with pytest.raises(InputError, match=r"qa1_single-supporting-fact_train.txt is not the official file"):
        run_cells()
    assert not (tmp_path / "runs").exists()
