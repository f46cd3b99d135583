"""Reports: notebooks run by papermill, each kept as NAME.ipynb and NAME.html in `reports/` beside the store's runs.

`python -m symshift.reports.run` runs every notebook as it stands and writes index.html. With `--model` it runs
05_train alone, with this model, on a `--task`, `--stories` of one's own or a `--split`, with settings NAME=VALUE. A
notebook that fails is named at the end; the others go on.
"""

import argparse
import io
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TextIO

import papermill
from nbformat import NotebookNode
from papermill.exceptions import PapermillExecutionError
from traitlets.config import Config

from symshift.command_line import Parser
from symshift.config import configure
from symshift.errors import InputError
from symshift.paths import ROOT, prepare_folder, user_path, write_atomically
from symshift.reports.html import index, page
from symshift.runs.store import Store
from symshift.training.arguments import check_seed_count, read_settings
from symshift.training.own_stories import check_effect, choose_stories, stories_name

NOTEBOOKS = ROOT / "notebooks"
FAILURES = (PapermillExecutionError, RuntimeError)  # the second of a kernel that dies, or does not start
SECONDS_TO_START = 600  # of a kernel, on a machine with much else to do; papermill's own 60 were too few
KERNELS = {
    "KernelManager": {"transport": "ipc"},  # over TCP each kernel warns of eavesdroppers
    "NotebookClient": {"extra_arguments": ["--log-level=CRITICAL"]},  # kernels call it an error to be told to stop
}


def report(
    path: Path, folder: Path, name: str, parameters: Mapping[str, Any], printed: TextIO | io.StringIO | None = None
) -> NotebookNode:
    """Run a notebook with these parameters and keep it as a notebook and as a page.

    A notebook that fails is kept as NAME-failed.ipynb, beside what there was. While a notebook runs, its file is in a
    folder of its own, so that two reports of one name do not disturb each other.

    Args:
        path: The notebook.
        folder: Where NAME.ipynb and NAME.html are written; it is made where there is none.
        name: Of both files, without their ending.
        parameters: Of the notebook, by name.
        printed: Where its output is also written as it comes; by default nowhere.

    Returns:
        The notebook as it ran.

    Raises:
        PapermillExecutionError: A cell failed.
        RuntimeError: The kernel died, or did not start.
    """
    folder.mkdir(parents=True, exist_ok=True)
    failed = folder / f"{name}-failed.ipynb"
    with tempfile.TemporaryDirectory(prefix="symshift-") as own_folder:
        run = Path(own_folder) / f"{name}.ipynb"
        try:
            notebook = papermill.execute_notebook(
                path,
                run,
                dict(parameters),
                progress_bar=False,
                stdout_file=printed,
                start_timeout=SECONDS_TO_START,
                config=Config(KERNELS),
            )
        except BaseException:  # also one that is stopped by hand
            if run.exists():
                write_atomically(failed, run.read_bytes())
            raise
        write_atomically(folder / f"{name}.html", page(notebook, name).encode())
        write_atomically(folder / f"{name}.ipynb", run.read_bytes())
    failed.unlink(missing_ok=True)  # of an earlier report
    return notebook


def reports(paths: Sequence[Path], folder: Path) -> list[str]:
    """Run notebooks as they stand and index those that ran.

    Args:
        paths: The notebooks.
        folder: Of the pages and of index.html.

    Returns:
        One line for each notebook that failed.
    """
    done, failed = {}, []
    for path in paths:
        started = time.monotonic()
        try:
            done[path.stem] = report(path, folder, path.stem, {})
        except FAILURES as error:
            failed.append(f"{path.stem} failed: {_message(error)}")
        how = "done" if path.stem in done else "failed"
        print(f"{path.stem}: {how} after {time.monotonic() - started:.0f} s", flush=True)
    write_atomically(folder / "index.html", index(done).encode())
    return failed


def _parameters(path: Path, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings as parameters of a notebook: what it does not list itself goes into its `overrides`."""
    own = papermill.inspect_notebook(path)
    overrides = {name: value for name, value in settings.items() if name not in own}
    parameters = {name: value for name, value in settings.items() if name in own}
    return parameters | ({"overrides": overrides} if overrides else {})


def _one_model(path: Path, options: argparse.Namespace, named: dict[str, Any], prog: str) -> tuple[str, dict[str, Any]]:
    """Return the name of a report on one model and the parameters of its notebook, once all of them are right."""
    settings = read_settings(options.settings, ["model", "task", "stories", "split", "seeds"], prog)
    sources = {source: named.get(source) for source in ("stories", "split")}
    check_effect(sources, named, "--")
    check_effect(sources, settings)
    chosen = {"model": options.model} | named
    if options.stories:
        chosen["stories"] = str(user_path(options.stories).absolute())  # the notebook runs elsewhere
        on = stories_name(options.stories)
    elif options.split:
        on = f"split-{options.split}"
    else:
        chosen |= {"task": named.get("task", 1)}
        on = f"task{chosen['task']}"
    config = configure(settings | {name: chosen[name] for name in ("model", "task") if name in chosen})
    if "seeds" in named:
        check_seed_count(named["seeds"])
    if any(sources.values()):
        choose_stories(config, options.stories, options.split)  # before the model's name becomes that of a file
    return f"{options.model}-{on}", chosen | _parameters(path, settings)


def _message(error: Exception) -> str:
    return f"{error.ename}: {error.evalue}" if isinstance(error, PapermillExecutionError) else str(error)


def main(arguments: Sequence[str] | None = None, prog: str = "python -m symshift.reports.run") -> int:
    """Run the command.

    Returns:
        0: all ran. 1: some failed. 2: nothing could begin.
    """
    about = "Run notebooks, and keep each as a notebook and a page."
    parser = Parser(prog, description=about, epilog=f"example: {prog} --model stpr-sm --task 2 updates=6000")
    budget = "without updates=..., the report trains 2,000 updates at most; updates=null trains the preset's own number"
    parser.add_argument(
        "settings", nargs="*", default=[], metavar="NAME=VALUE", help=f"what differs from the preset; {budget}"
    )
    parser.add_argument("--model", help="a preset: report on it alone, by 05_train; by default, every notebook")
    parser.add_argument("--task", type=int, help="the task of this report, 1 to 20; by default 1")
    parser.add_argument("--stories", metavar="FILE", help="questions of your own, in place of a task's")
    parser.add_argument("--split", metavar="NAME", help="a split of params/splits, in place of a task")
    parser.add_argument("--seeds", type=int, help="how many models, from seeds 0, 1, ...; by default 2")
    options = parser.parse_intermixed_args(arguments)  # settings may stand behind options
    folder = Store().outputs / "reports"
    named = {name: getattr(options, name) for name in ("task", "stories", "split", "seeds")}
    named = {name: value for name, value in named.items() if value is not None}
    if options.model is None and (named or options.settings):
        first = next((f"{name} {value}" for name, value in named.items()), "")
        what = f"setting {options.settings[0]!r}" if options.settings else first
        print(f"{what} is of no model; name a preset by --model", file=sys.stderr)
        return 2
    path = NOTEBOOKS / "05_train.ipynb"
    try:
        if options.model is not None:
            name, parameters = _one_model(path, options, named, prog)
        prepare_folder(folder)
    except InputError as error:
        print(error, file=sys.stderr)
        return 2
    except OSError as error:
        print(f"{folder}: reports cannot be kept there ({error.strerror})", file=sys.stderr)
        return 2
    if options.model is None:
        failed = reports(sorted(NOTEBOOKS.glob("*.ipynb")), folder)
        print(f"The reports: {folder / 'index.html'}", *failed, sep="\n")
        return bool(failed)
    try:
        report(path, folder, name, parameters, sys.stdout)
    except FAILURES as error:
        print(_message(error), file=sys.stderr)
        return 1
    print(f"The report: {folder / name}.html (and {name}.ipynb); the runs behind it: {folder.parent / 'runs'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
