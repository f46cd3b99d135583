"""`symshift ask`: a trained model answers in the terminal."""

import argparse
import re
from collections.abc import Sequence
from pathlib import Path

from symshift.errors import InputError
from symshift.paths import read_text
from symshift.runs.reader import load

EXAMPLE = 'example: symshift ask RUN story.txt "Where is Zoe?", where each line of story.txt is a sentence'
LIKELIEST = 3


def main(arguments: Sequence[str], prog: str) -> int:
    """Print the answer, the likeliest words, and the words never seen in training."""
    parser = argparse.ArgumentParser(prog, description="Ask a trained model about a story.", epilog=EXAMPLE)
    parser.add_argument("run", help="the id of a run, which `symshift train` prints")
    parser.add_argument("story", type=Path, help="a text file with one sentence on each line, numbered or not")
    parser.add_argument("question", help="a question, answered by one word")
    parser.add_argument("--outputs", help="the folder that keeps the runs; by default $SYMSHIFT_OUTPUTS, or outputs/")
    options = parser.parse_args(arguments)
    answer = load(options.run, options.outputs).ask(read_story(options.story), options.question)
    print(answer)
    likeliest = answer.distribution.head(LIKELIEST).itertuples()
    print("likeliest:", ", ".join(f"{row.word} {row.probability:.0%}" for row in likeliest))
    if answer.unseen:
        print("never seen in training:", ", ".join(answer.unseen))
    return 0


def read_story(path: Path) -> list[str]:
    """The sentences of a file, without the numbers that may stand before them."""
    story = []
    for number, line in enumerate(read_text(path).splitlines(), 1):
        if "\t" in line.strip():
            raise InputError(f"{path.name}, line {number}: a question of bAbI's format; leave sentences only")
        if sentence := re.sub(r"^\s*\d+\s+", "", line).strip():
            story.append(sentence)
    if not story:
        raise InputError(f"{path.name}: has no sentence; write one on each line")
    return story
