"""The README's picture: one story told with other names, and what trained networks answer.

Renaming must not change which sentence answers the question. Each network reads a story of task 1 with words of its
training, then with a person that it has never seen, then with a room that it has never seen too.

`python -m symshift.results.generalisation.renaming` draws it from the weights that the repository carries.
"""

import sys
from pathlib import Path

import pandas as pd

from symshift.errors import InputError
from symshift.paths import ROOT
from symshift.results.picture import Picture, single_panel, themed
from symshift.runs.reader import load
from symshift.runs.runs_with_weights import choose, runs_with_weights

FIGURE = ROOT / "docs" / "renaming.png"
RIGHT_COLOUR, WRONG_COLOUR = "#CFE8CF", "#F6D2CC"
MODELS = ("prehoc", "tpr", "stpr", "gstpr")
STORY = (
    "John went to the garden.",
    "{person} moved to the {room}.",
    "Daniel travelled to the office.",
    "John journeyed to the hallway.",
)
QUESTION = "Where is {person}?"
NAMES = {  # what was seen in training -> (person, room)
    "both names known": ("Mary", "kitchen"),
    "a person never seen": ("Zoe", "kitchen"),
    "a person and a room never seen": ("Zoe", "attic"),
}


def answers(outputs: str | Path | None = None) -> pd.DataFrame:
    """Ask every model about the story under every choice of names.

    Returns:
        Columns model, names, person, room, answer, probability (0 to 1), right.

    Raises:
        InputError: A model has no run of task 1 with weights.
    """
    runs = runs_with_weights(outputs)
    rows = []
    for model in MODELS:
        run_id = choose(runs, model, 1)
        reader = load(run_id, runs.store[run_id])
        for names, (person, room) in NAMES.items():
            story = [sentence.format(person=person, room=room) for sentence in STORY]
            answer = reader.ask(story, QUESTION.format(person=person))
            row = {"model": model, "names": names, "person": person, "room": room}
            rows.append(row | {"answer": answer.word, "probability": answer.probability, "right": answer.word == room})
    return pd.DataFrame(rows)


@themed
def renaming(table: pd.DataFrame) -> Picture:
    """Draw the table of `answers`: a column for each choice of names, a row for each model."""
    picture, ax = single_panel("One story, other names: what does each network answer?", "", "", width=11.0, height=4.0)
    ax.set(xlim=(-0.62, len(NAMES)), ylim=(len(MODELS), -3.0))
    ax.axis("off")
    for column, (names, (person, room)) in enumerate(NAMES.items()):
        lines = [sentence.format(person=person, room=room) for sentence in (*STORY, QUESTION)]
        ax.text(column + 0.02, -2.9, names, va="top", weight="bold", size=12)
        ax.text(column + 0.02, -2.45, "\n".join(lines), va="top", size=10.5, linespacing=1.45)
    for row, model in enumerate(MODELS):
        ax.text(-0.08, row + 0.5, model, va="center", ha="right", weight="bold", size=12)
    for cell in table.itertuples():
        column, row = list(NAMES).index(cell.names), MODELS.index(cell.model)
        colour = RIGHT_COLOUR if cell.right else WRONG_COLOUR
        box = {"boxstyle": "round,pad=0.45", "facecolor": colour, "edgecolor": "none"}
        verdict = "right" if cell.right else "wrong"
        text = f"{cell.answer}, {cell.probability:.0%}: {verdict}"
        ax.text(column + 0.04, row + 0.5, text, va="center", size=12, bbox=box)
    return picture


def main() -> int:
    """Draw the picture into docs/; 0: written, 2: a model has no weights."""
    try:
        renaming(answers()).savefig(FIGURE, dpi=110, bbox_inches="tight", metadata={"Software": None})
    except InputError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
