"""`symshift audit`: what is left of a model when names are replaced."""

import argparse
import contextlib
from collections.abc import Sequence

import pandas as pd

from symshift.command_line import Parser
from symshift.data import Question, load
from symshift.data.formats.row import Row
from symshift.errors import InputError, errors_at
from symshift.paths import check_writable, user_path, write_file
from symshift.runs import reader
from symshift.runs.audit import audit
from symshift.runs.audit_files import AuditPlan, audit_predictions, write_questions
from symshift.runs.store import Store
from symshift.training.own_stories import own_rows, split_rows, stories_name, stories_of_rows
from symshift.training.recorded_stories import load_recorded_stories

EXAMPLE = """example: symshift audit RUN
          symshift audit --write-questions questions.jsonl --task 1
          symshift audit --predictions answers.jsonl, where a line is {"id": "...", "answer": "kitchen"}"""
DEFAULTS = {"task": 1, "source": "auto", "questions": 200, "renamings": 20, "seed": 0}
WITHOUT_EFFECT = {
    "run": ("task", "source"),
    "write_questions": ("csv",),
    "predictions": ("task", "source", "questions", "renamings", "seed"),  # the ids say them
    "stories": ("task", "source"),
}


def main(arguments: Sequence[str], prog: str) -> int:
    """Audit a run or the answers of a foreign model, or write the questions for one.

    Raises:
        InputError: What is asked for cannot be read, answered or written.
    """
    options = _parse(arguments, prog)
    if written := options.write_questions or options.csv:
        check_writable(written)
        for name in ("stories", "predictions"):
            if (read := getattr(options, name)) and user_path(read).absolute() == user_path(written).absolute():
                raise InputError(f"{written}: is read as --{name}; name another file to write")
    stories = _own_questions(options) if options.stories else None
    if options.write_questions:
        questions = stories or load(options.task, split="test", source=options.source)
        plan = AuditPlan(questions, options.renamings, options.questions, options.seed)
        print(f"{options.write_questions}: {write_questions(plan, options.write_questions)} questions")
        return 0
    if options.predictions:
        table = audit_predictions(options.predictions, stories)
    else:
        questions = stories or _test_questions(Store(options.outputs), options.run)
        model = reader.load(options.run, options.outputs)
        table = audit(model, questions, options.renamings, options.questions, options.seed)
    print(as_text(table))
    if options.csv:
        write_file(options.csv, table.to_csv(index=False, float_format="%.4f").encode())
    return 0


def as_text(table: pd.DataFrame) -> str:
    """Lay out an audit for the terminal, with the intervals in brackets."""
    columns: dict[str, list[str] | pd.Series] = {name: table[name] for name in ("role", "renaming", "questions")}
    for name in ("error", "error_renamed"):
        columns[name.replace("_", " ")] = [f"{value:.1f}" for value in table[name]]
    for name in ("increase", "covariance"):
        values = zip(table[name], table[f"{name}_low"], table[f"{name}_high"], strict=True)
        columns[name] = [f"{value:.1f} [{low:.1f}, {high:.1f}]" for value, low, high in values]
    notes = (
        f"percent; in brackets 95 % intervals over questions; at most {table.renamings.max()} renamings of each kind"
    )
    return f"{pd.DataFrame(columns).to_string(index=False)}\n{notes}"


def _parse(arguments: Sequence[str], prog: str) -> argparse.Namespace:
    about = "Ask a model the questions of a test set with other names."
    form = argparse.RawDescriptionHelpFormatter
    parser = Parser(prog, description=about, epilog=EXAMPLE, formatter_class=form)
    parser.add_argument("run", nargs="?", help="the id of a run with weights")
    parser.add_argument("--write-questions", metavar="FILE", help="write questions as JSON lines: id, story, question")
    parser.add_argument("--predictions", metavar="FILE", help="audit JSON lines of a foreign model: id, answer")
    parser.add_argument("--task", type=int, help="the task of --write-questions; by default 1")
    parser.add_argument("--source", help="of --write-questions: auto, official or generated; by default auto")
    parser.add_argument("--stories", metavar="FILE", help="a file or folder: its test questions in place of a task's")
    parser.add_argument("--questions", type=int, help="at most so many questions; by default 200")
    parser.add_argument("--renamings", type=int, help="draws of each kind of renaming; by default 20")
    parser.add_argument("--seed", type=int, help="of the sample and the names; by default 0")
    parser.add_argument("--csv", metavar="FILE", help="write the table to this file too")
    parser.add_argument("--outputs", help="the folder that keeps the runs; by default $SYMSHIFT_OUTPUTS, or outputs/")
    options = parser.parse_args(arguments)
    if sum(map(bool, (options.run, options.write_questions, options.predictions))) != 1:
        raise InputError("audit wants one of a run, --write-questions FILE or --predictions FILE")
    for option, others in WITHOUT_EFFECT.items():
        for name in others:
            if getattr(options, option) and getattr(options, name) is not None:
                what = "a run" if option == "run" else f"--{option.replace('_', '-')}"
                raise InputError(f"--{name} has no effect on {what}; leave it out")
    for name, default in DEFAULTS.items():
        if getattr(options, name) is None:
            setattr(options, name, default)
    return options


def _test_questions(store: Store, run: str) -> list[Question]:
    """Return the test set of the task or split that a run was trained on."""
    record = store.record(run)
    with errors_at(f"run {run}"):
        data = load_recorded_stories(record)
        if data.checksum != record["provenance"]["data"]:
            title = data.title(record["config"]["task"])
            raise InputError(f"has other stories than {title} here; name its test stories by --stories FILE")
    return list(data.test)


def _own_questions(options: argparse.Namespace) -> list[Question]:
    """Return the test questions of `--stories`, and print how many they are.

    Those are all questions of stories without splits, unless the run was trained on a part of them.
    """
    path = options.stories
    rows, name = own_rows(path), stories_name(path)
    questions = [row.question for row in rows]
    if any(row.split for row in rows):
        questions = split_rows(rows, name)["test"]
        if not questions:
            raise InputError(f"{name}: has no questions of the split test, which are those that an audit asks")
    elif options.run:
        questions = _test_part(Store(options.outputs), options.run, rows) or questions
    print(f"{path}: {len(questions)} test questions")
    return questions


def _test_part(store: Store, run: str, rows: Sequence[Row]) -> list[Question]:
    """Return the test questions of these stories if the run was trained on them, else none."""
    checksum = store.record(run)["provenance"]["data"]
    with contextlib.suppress(InputError):  # of stories that no run can have been trained on
        data = stories_of_rows(rows, "").data
        return list(data.test) if data.checksum == checksum else []
    return []
