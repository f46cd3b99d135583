"""`symshift ask`: a trained model answers in the terminal."""

import re
from collections.abc import Sequence
from pathlib import Path

from symshift.command_line import Parser
from symshift.data import tokenize
from symshift.data.files import QUESTION_SUFFIXES
from symshift.errors import InputError
from symshift.paths import read_text
from symshift.runs.reader import load

EXAMPLE = 'example: symshift ask RUN story.txt "Where is Zoe?", where each line of story.txt is a sentence'
LIKELIEST = 3


def main(arguments: Sequence[str], prog: str) -> int:
    """Print the answer, the likeliest words, and the words never seen in training."""
    parser = Parser(prog, description="Ask a trained model about a story.", epilog=EXAMPLE)
    parser.add_argument("run", help="the id of a run, which `symshift train` prints")
    parser.add_argument("story", type=Path, help="a text file with one sentence on each line, numbered or not")
    parser.add_argument("question", help="a question, answered by one word")
    parser.add_argument("--outputs", help="the folder that keeps the runs; by default $SYMSHIFT_OUTPUTS, or outputs/")
    options = parser.parse_args(arguments)
    reader, story = load(options.run, options.outputs), read_story(options.story)
    answer = reader.ask(story, options.question)
    print(answer)
    likeliest = answer.distribution.head(LIKELIEST).itertuples()
    print("likeliest:", ", ".join(f"{row.word} {row.probability:.0%}" for row in likeliest))
    last = reader.sentences
    if len(story) > last:
        print(f"not read: the first {len(story) - last} sentences; this model reads the last {last}")
    if answer.unseen:
        print("never seen in training:", ", ".join(answer.unseen))
    return 0


def read_story(path: Path) -> list[str]:
    """The sentences of a file, without the numbers that may stand before them.

    Lines are numbered where all begin with a number, the first with 1. Numbers may be left out: in bAbI's files they
    are those of questions.

    Raises:
        InputError: The file cannot be read, is one of questions, has a question of bAbI's format, no sentence or one
            without a word, or its numbers do not count up.
    """
    if path.suffix.lower() in QUESTION_SUFFIXES:
        raise InputError(f"{path.name}: {path.suffix} is a file of questions; leave sentences only, one on each line")
    lines = [(number, line.strip()) for number, line in enumerate(read_text(path).splitlines(), 1) if line.strip()]
    for number, line in lines:
        if not tokenize(line):
            raise InputError(f"{path.name}, line {number}: {line[:40]!r} has no word; leave sentences only")
        if "\t" in line:
            raise InputError(f"{path.name}, line {number}: a question of bAbI's format; leave sentences only")
    if not lines:
        raise InputError(f"{path.name}: has no sentence; write one on each line")
    ids = [_split_id(line)[0] for _, line in lines]
    if ids[0] != 1 or 0 in ids:
        return [line for _, line in lines]
    for before, after, (number, _) in zip(ids, ids[1:], lines[1:], strict=False):
        if after <= before:
            raise InputError(f"{path.name}, line {number}: ID {after} after ID {before}; leave the lines of one story")
    return [_split_id(line)[1] for _, line in lines]


def _split_id(line: str) -> tuple[int, str]:
    """Split a line into the number that it begins with, 0 where it has none, and its sentence."""
    match = re.fullmatch(r"(\d{1,9})\s+(.+)", line)
    return (int(match[1]), match[2]) if match else (0, line)
