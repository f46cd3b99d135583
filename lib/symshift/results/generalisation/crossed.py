"""What a model learnt from one kind of stories does on the other: its errors on both, and one beside the other.

If a generator speaks the language of the official stories, a model errs as often on its stories as on official ones,
wherever it learnt and however well."""

from collections.abc import Mapping, Sequence

import pandas as pd
import seaborn as sns
from IPython.display import Markdown

from symshift.data import Question
from symshift.results.generalisation.tables import KINDS, kind
from symshift.results.stories.figures import SETS
from symshift.results.style import Picture, canvas, themed
from symshift.runs.answers import answers
from symshift.runs.reader import Reader, load
from symshift.runs.selection import preset_runs
from symshift.runs.store import Store


def crossed(model: str, task: int, tests: Mapping[str, Sequence[Question]], outputs: str | None = None) -> pd.DataFrame:
    """A row each run of full length that has its weights here: its id, the stories it `learnt` from, and its error in
    percent on each of `tests`."""
    store = Store(outputs)
    runs = preset_runs(store.runs().query("model == @model and task == @task"))
    runs = runs.assign(learnt=kind(runs.stories))
    runs = runs[runs.learnt.isin(KINDS)]
    runs = runs.loc[[store.has_weights(run) for run in runs.id]]
    readers = [load(run, outputs) for run in runs.id]
    errors = {name: [_error(reader, questions) for reader in readers] for name, questions in tests.items()}
    return runs[["id", "learnt"]].assign(**errors).sort_values(["learnt", *tests]).reset_index(drop=True)


def picture(errors: pd.DataFrame, title: str) -> Picture | Markdown:
    """`crossed` of two tests: a point each run; on the line both errors are equal."""
    if errors.empty:
        return Markdown("The store has no such run with its weights, so there is no figure of errors on both.")
    return _picture(errors, title)


@themed
def _picture(errors: pd.DataFrame, title: str) -> Picture:
    x, y = errors.columns[-2:]
    drawn, ax = canvas(title, f"error on {x} (percent)", f"error on {y} (percent)", width=6.6)
    most = 1.1 * errors[[x, y]].max(axis=None)
    ax.plot([0, most], [0, most], color="0.5", linewidth=1, linestyle=":")
    look = {"palette": list(SETS[:2]), "hue_order": KINDS, "style_order": KINDS, "s": 70}
    sns.scatterplot(errors, x=x, y=y, hue="learnt", style="learnt", markers=["o", "s"], ax=ax, **look)
    ax.set(xlim=(0, most), ylim=(0, most), aspect="equal")
    ax.legend(title="learnt from stories", loc="upper left", bbox_to_anchor=(1, 1), frameon=False)
    return drawn


def _error(reader: Reader, questions: Sequence[Question]) -> float:
    given = answers(reader, questions)
    return float(100 * (given.given != given.right).mean())
