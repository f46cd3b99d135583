"""What training stores of a run, in short."""

import pandas as pd
import torch

from symshift.config import data_key, run_id

CURVE = pd.DataFrame({"update": [5, 10], "loss": [0.1 + 0.2, 1 / 3]})
WEIGHTS = {"a": torch.arange(6.0).view(2, 3), "b": torch.tensor(0.5)}
WORDS = {"vocabulary": "{}", "sentences": "70"}


def record(**values):
    """Return a record, with these entries in place of its own."""
    return {
        "config": {"model": "tpr", "task": 1},
        "seed": 0,
        "error": {"train": 0.0, "valid": 1.0, "test": 2.5},
        "chosen": {"update": 5, "rule": "the best"},
        "seconds": 1.0,
        "updates_per_second": 10.0,
        "restarts": 0,
        "provenance": {"stories": "generated", "data": ""},
        **values,
    }


def id_of_seed(seed):
    """Return the id of the run that `record` is of, with another seed."""
    values = record(seed=seed)
    provenance = values["provenance"]
    return run_id(values["config"], seed, data_key(provenance["data"], provenance["stories"]))
