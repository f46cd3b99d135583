"""Numbers that papers print, as data: our own numbers are compared with them and never mixed into them.

Sources: Salinas & Elsahar, Symbol-Shift Equivariant Neural Networks (2021), tables 1 to 4 and the caption of figure 1;
its Table 2 does not say how many examples it trains on: we read 10,000, for TPR errs there in 0.2 and 0.5 on the
original tests, in 0.1 and 0.8 from 10,000 and in 27.4 and 2.1 from 1,000 in Tables 3 and 4. Henaff et al., Tracking the
World State with Recurrent Entity Networks (2017), tables 1, 2 and 4; the errors of its Table 1 are there from 0 to 1,
and its Table 4 prints accuracies. Schlag & Schmidhuber, Learning to Reason with Third-Order Tensor Products (2018),
tables 1 to 3 and its appendix B; of how many seeds its Table 2 is, it does not say, and the LSTM's tasks in it average
to 33.4, while it prints 36.4: both are kept. Dehghani et al., Universal Transformers (2019), table 1 and appendix E:
its transformer, ut and ut-halting are the best of 10 seeds by validation in table 1; appendix E has ut-halting task by
task, best and mean, and what stands behind its means, printed as variances, is left out. Seo et al., Query-Reduction
Networks (2017), table 1, the network 2r. What the temporal attention paper prints is in `supporting_facts.tables`.

A best of 10 seeds is another statistic than a mean of 10, a bound (below, above) is neither, one network may have
learnt all tasks at once, and failed tasks are counted, so each row says which it is.
"""

from pathlib import Path

import pandas as pd


def published() -> pd.DataFrame:
    """Return one row per printed number.

    Columns: paper, table, model, task (none: over all tasks), examples (none: not said), test set (original, room,
    object, people, T=10), statistic, and error and its standard deviation in percent, or how many tasks failed.
    """
    return pd.read_csv(Path(__file__).with_suffix(".csv"), dtype={"task": "Int64", "examples": "Int64"})


def means() -> pd.DataFrame:
    """Return the printed mean of 10 seeds of each model, task, number of examples and test set.

    Where two tables print one, it is that of all tasks.
    """
    rows = published().query("statistic == 'mean of 10' and task.notna()")
    return rows.drop_duplicates(["model", "task", "examples", "test"], keep="last")
