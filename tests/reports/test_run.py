"""Reports run notebooks, go on after one that fails, and name it at the end."""

import io
import os
from pathlib import Path

import nbformat
import pytest

from symshift.data import generate
from symshift.data import write as write_stories
from symshift.reports import run as reports
from tests.helpers.small_notebooks import two_that_draw, write


def write_with_parameters(folder, name, parameters, code):
    """A notebook whose parameters are the first of two cells."""
    path = write(folder, name, parameters)
    notebook = nbformat.read(path, 4)
    notebook.cells[-1].metadata.tags = ["parameters"]
    notebook.cells.append(nbformat.v4.new_code_cell(code))
    nbformat.write(notebook, path)
    return path


def test_reports_go_on_after_a_failing_notebook(tmp_path, monkeypatch, capsys):
    """A failing notebook is named at the end, and the others go on."""
    write(tmp_path, "a_failing", "raise ValueError('model is 3; it wants a word')")
    write(tmp_path, "b_dying", "import os\nos._exit(1)")
    two_that_draw(tmp_path)
    monkeypatch.setattr(reports, "NOTEBOOKS", tmp_path)
    monkeypatch.setenv("SYMSHIFT_OUTPUTS", str(tmp_path))
    assert reports.main([]) == 1
    said = capsys.readouterr().out.splitlines()
    assert [line.partition(" after")[0] for line in said[:4]] == [
        "a_failing: failed", "b_dying: failed", "first: done", "second: done",
    ]  # fmt: skip
    assert said[4:] == [
        f"The reports: {tmp_path / 'reports' / 'index.html'}",
        "a_failing failed: ValueError: model is 3; it wants a word",
        "b_dying failed: Kernel died",
    ]
    written = (tmp_path / "reports" / "index.html").read_text()
    assert written.count("<article>") == 2
    assert 'alt="Errors of first: error (percent) by updates"' in written
    assert {path.name for path in (tmp_path / "reports").glob("[fs]*")} == {
        "first.ipynb", "first.html", "second.ipynb", "second.html",
    }  # fmt: skip


def test_a_report_of_one_model_takes_its_parameters(tmp_path):
    path = write_with_parameters(tmp_path, "first", "updates: int = 5", "print(updates, 'updates')\nupdates")
    printed = io.StringIO()
    run = reports.report(path, tmp_path / "new", "other", {"updates": 7}, printed)
    assert run.cells[-1].outputs[1].data["text/plain"] == "7"
    assert printed.getvalue() == "7 updates\n"
    assert "<title>other</title>" in (tmp_path / "new" / "other.html").read_text()


def test_a_running_report_has_no_file_among_the_pages(tmp_path):
    """A second report of this name would write the same file, and whoever ended first would take it away."""
    folder = tmp_path / "pages"
    path = write(tmp_path, "first", f"import os\nos.listdir({str(folder)!r})")
    run = reports.report(path, folder, "other", {})
    assert run.cells[-1].outputs[0].data["text/plain"] == "[]"
    assert {file.name for file in folder.iterdir()} == {"other.ipynb", "other.html"}


def test_report_passes_settings_to_the_notebook(tmp_path, monkeypatch, capfd):
    listed = "model: str = 'stpr'\ntask: int = 1\nupdates: int = 2000\ndropout: float = None\noverrides: dict = {}"
    write_with_parameters(tmp_path, "05_train", listed, "print(model, task, updates, dropout, overrides)")
    monkeypatch.setattr(reports, "NOTEBOOKS", tmp_path)
    monkeypatch.setenv("SYMSHIFT_OUTPUTS", str(tmp_path))
    assert reports.main(["updates=null", "--model", "stpr-sm", "dropout=1e-1", "batch=8"]) == 0
    out, error = capfd.readouterr()
    assert out.startswith("stpr-sm 1 None 0.1 {'batch': 8}\n")
    assert error == ""


def test_report_on_stories_of_ones_own(tmp_path, monkeypatch, capfd):
    """The notebook is told of the file and of no task, and its page is named after the file."""
    listed = "model: str = 'stpr'\ntask: int = 1\nstories: str = None\nseeds: int = 2\noverrides: dict = {}"
    write_with_parameters(tmp_path, "05_train", listed, "print(model, task, stories, seeds)")
    write_stories(generate(1, 60), tmp_path / "own.csv")
    monkeypatch.setattr(reports, "NOTEBOOKS", tmp_path)
    monkeypatch.setenv("SYMSHIFT_OUTPUTS", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    assert reports.main(["--model", "mn", "--stories", "own.csv", "--seeds", "3"]) == 0
    assert capfd.readouterr().out.startswith(f"mn 1 {tmp_path / 'own.csv'} 3\n")
    assert (tmp_path / "reports" / "mn-own.csv.html").exists()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--model", "stpr", "updatse=3"], "parameter 'updatse' is unknown to stpr; did you mean 'updates'?"),
        (["--model", "stpr", "updates"], "'updates' is no setting; give one as updates=2000"),
        (
            ["--model", "stpr", "task=3"],
            "'task=3': task is an argument; give it once, as `report --help` says",
        ),
        (["updates=3"], "setting 'updates=3' is of no model; name a preset by --model"),
        (["--stories", "own.csv"], "stories own.csv is of no model; name a preset by --model"),
        (
            ["--model", "mn", "stories=own.csv"],
            "'stories=own.csv': stories is an argument; give it once, as `report --help` says",
        ),
        (
            ["--model", "mn", "--stories", "none.csv"],
            "'none.csv': No such file or directory; give a file of questions",
        ),
        (
            ["--model", "mn", "--task", "2", "--stories", "own.csv"],
            "--task has no effect on --stories own.csv; leave one out",
        ),
        (
            ["--model", "mn", "--stories", "own.csv", "examples=50"],
            "examples has no effect on stories own.csv; leave one out",
        ),
        (["--model", "mn", "--split", "lenght"], "split 'lenght' is unknown; did you mean 'length'?"),
        (["--model", "mn", "--seeds", "0"], "seeds is 0; at least 1 is needed to train anything"),
    ],
    ids=[
        "misspelt",
        "no-value",
        "argument",
        "no-model",
        "stories-no-model",
        "stories-as-setting",
        "no-file",
        "task-and-stories",
        "examples-and-stories",
        "misspelt-split",
        "no-seeds",
    ],
)
def test_report_ends_a_wrong_setting_with_one_line(words, says, capsys):
    assert reports.main(words, "report") == 2
    assert capsys.readouterr().err == f"{says}\n"


def test_a_report_that_fails_leaves_the_one_before_as_it_was(tmp_path):
    path = write(tmp_path, "first", "1 / 1")
    reports.report(path, tmp_path, "other", {})
    before = [(tmp_path / f"other.{kind}").read_bytes() for kind in ("ipynb", "html")]
    with pytest.raises(reports.FAILURES):
        reports.report(write(tmp_path, "first", "1 / 0"), tmp_path, "other", {})
    assert [(tmp_path / f"other.{kind}").read_bytes() for kind in ("ipynb", "html")] == before
    assert "ZeroDivisionError" in (tmp_path / "other-failed.ipynb").read_text()


def test_a_mistake_is_one_line_and_no_page(capfd):
    assert reports.main(["--model", "strp"]) == 2
    (said,) = capfd.readouterr().err.splitlines()
    assert said == "model 'strp' is unknown; did you mean 'stpr'?"
    assert not (Path(os.environ["SYMSHIFT_OUTPUTS"]) / "reports" / "strp-task1.html").exists()


def test_a_model_names_no_file_elsewhere(capsys):
    assert reports.main(["--model", "../x"]) == 2
    assert capsys.readouterr().err.startswith("model '../x' is unknown; choose from ")
    assert not list(Path(os.environ["SYMSHIFT_OUTPUTS"]).glob("x-*"))


def test_reports_that_cannot_be_kept_are_one_line(tmp_path, monkeypatch, capsys):
    (tmp_path / "reports").write_text("")
    monkeypatch.setenv("SYMSHIFT_OUTPUTS", str(tmp_path))
    for words in ([], ["--model", "mn"]):
        assert reports.main(words) == 2
        assert capsys.readouterr().err == f"{tmp_path / 'reports'}: reports cannot be kept there (File exists)\n"


def test_a_task_without_a_model_is_one_line(capsys):
    assert reports.main(["--task", "21"]) == 2
    assert capsys.readouterr().err == "task 21 is of no model; name a preset by --model\n"
