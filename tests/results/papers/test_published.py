"""The published numbers agree with each other as the paper's own tables do."""

import pytest

from symshift.results.papers.published import means, published

MEANS = means().query("test == 'original'")


def test_every_task_of_every_model_is_there_once():
    counts = MEANS.groupby(["model", "examples"]).task.nunique()
    assert len(counts) == 14
    assert set(counts) == {20}
    assert not MEANS.duplicated(["model", "examples", "task"]).any()


def test_task_means_average_to_the_printed_aggregate():
    averages = MEANS.groupby(["model", "examples"]).error.mean()
    printed = (
        published().query("table == 'Table 1' and statistic == 'mean of 10'").set_index(["model", "examples"]).error
    )
    assert averages[printed.index].to_numpy() == pytest.approx(printed.to_numpy(), abs=0.11)


@pytest.mark.parametrize(
    ("model", "task", "examples", "error"),
    [("stpr-sm", 16, 1000, 0.3), ("tpr", 19, 10000, 35.8), ("mn", 1, 1000, 0.4), ("smn", 20, 10000, 0.0)],
)
def test_cells_read_from_the_paper(model, task, examples, error):
    assert MEANS.set_index(["model", "task", "examples"]).error[model, task, examples] == error


def test_zero_shot_numbers_name_their_test_set():
    rows = published().query("table == 'Table 2' and model == 'stpr' and task == 2").set_index("test")
    assert rows.error.to_dict() == {"original": 0.0, "room": 0.1, "object": 22.8, "people": 18.9}


def test_entity_networks_average_to_the_printed_mean():
    """The printed entity networks solve every task and average to the printed mean."""
    rows = published().query("paper == 'Henaff et al. 2017' and table == 'Table 2'")
    tasks, mean = rows[rows.task.notna()], rows[rows.task.isna()].error.item()
    assert sorted(tasks.task) == list(range(1, 21))
    assert tasks.error.max() < 5
    assert tasks.error.mean() == pytest.approx(mean, abs=0.06)


def test_universal_transformer_averages_to_what_is_printed():
    rows = published().query("paper == 'Dehghani et al. 2019' and table == 'Appendix E'")
    tasks, printed = rows[rows.task.notna()], rows[rows.task.isna()]
    averages = tasks.groupby(["statistic", "examples"]).error.mean()
    assert printed.set_index(["statistic", "examples"]).error.to_dict() == pytest.approx(averages.to_dict(), abs=0.011)
    best = published().query("model == 'ut-halting' and table == 'Table 1' and statistic.str.startswith('best')")
    assert {*best.error} <= {*printed.error}


TPR = published().query("paper == 'Schlag & Schmidhuber 2018'")


def test_tensor_products_average_to_what_is_printed_of_them():
    rows = TPR.query("table == 'Table 2' and not statistic.str.startswith('failed')")
    columns = rows.model + " " + rows.statistic
    averages = rows[rows.task.notna()].groupby(columns).error.mean()
    printed = rows[rows.task.isna()].groupby(columns).error.sum()
    off = (averages - printed).abs() > 0.06
    assert off[off].index.tolist() == ["lstm best"]  # printed so
    assert (round(averages["lstm best"], 1), printed["lstm best"]) == (33.4, 36.4)
    failed = TPR.query("table == 'Table 2' and statistic == 'failed tasks (best)'").set_index("model").error
    counts = rows.query("statistic == 'best' and error > 5 and task.notna()").groupby("model").size()
    assert counts.reindex(failed.index, fill_value=0).to_dict() == failed.to_dict()


def test_the_network_of_all_tasks_has_its_mean_in_both_places():
    (mean,) = set(TPR.query("model == 'tpr-large' and task.isna() and statistic.str.startswith('mean')").error)
    assert mean == 1.34


def test_what_fails_without_an_operation():
    failed = TPR.query("table == 'Table 3'").groupby("model").task.agg(list).to_dict()
    assert failed == {"tpr-w": [3, 6, 9, 10, 12, 13, 17, 19], "tpr-wm": [9, 10, 13, 17], "tpr-wb": [3]}
