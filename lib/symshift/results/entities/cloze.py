"""The Children's Book Test (Hill et al. 2016; EntNet, Henaff et al. 2017, section 5.3 and Table 4): errors by kind.

The stories of a run are `names of books` or `nouns of books`: which kind of word is left out.
"""

from collections.abc import Collection

import pandas as pd

from symshift.results.generalisation.tables import PRINTED, ordered, with_origin
from symshift.results.papers.published import published
from symshift.runs.selection import one_run_per_seed, with_budget

KINDS = ("names", "nouns")
COLUMNS = ["left out", "origin", "model", "error", "n", "questions", "budget"]


def errors_by_kind(runs: pd.DataFrame, new_ids: Collection[str] = ()) -> pd.DataFrame:
    """Tabulate test errors by the kind of word that is left out, ours and the published ones.

    Args:
        runs: The runs of a store. Those used have an id in `new_ids`, or changed at most the budget of their preset.
        new_ids: Ids of the runs that were trained in this session.

    Returns:
        One row for what is `left out` (names or nouns), origin, model and number of training `questions`: the mean
        `error` in percent, `n` seeds, and how the budget differs from the preset's. The paper prints one number for
        each model, from the test's own questions.
    """
    ours = with_origin(runs, new_ids, one_run_per_seed)
    ours = ours[ours.stories.isin([f"{kind} of books" for kind in KINDS])]
    ours = ours.assign(questions=ours.examples, **{"left out": ours.stories.str.removesuffix(" of books")})
    by = ["left out", "origin", "model", "questions"]
    groups = with_budget(ours, by).groupby([*by, "budget"], as_index=False)
    means = groups.agg(error=("error_test", "mean"), n=("seed", "size"))
    paper = published().query("paper == 'Henaff et al. 2017' and table == 'Table 4'")
    paper = paper.rename(columns={"test": "left out"}).assign(origin=PRINTED, budget="", n=1)
    both = pd.concat([part for part in (means, paper) if len(part)], ignore_index=True).reindex(columns=COLUMNS)
    both["questions"] = both.questions.astype("Int64")
    return ordered(both).sort_values(COLUMNS[:3], ignore_index=True)
