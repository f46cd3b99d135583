"""Runs are asked stories of both kinds, whichever they learnt from."""

import pytest
from IPython.display import Markdown

from symshift import configure, load, train
from symshift.data import generate
from symshift.results.generalisation import figures as generalisation_figures
from symshift.results.generalisation import tables as generalisation
from symshift.training.data import Data

TESTS = {"these": generate(1, 30, "these"), "those": generate(1, 30, "those")}


@pytest.fixture(scope="module")
def outputs(tmp_path_factory) -> str:
    """A run from stories of each kind, and one of neither, which look like runs of full length."""
    folder = str(tmp_path_factory.mktemp("outputs"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(generalisation, "preset_runs", lambda runs: runs)
        config = configure({"model": "tpr", "updates": 2, "evaluate_every": 1, "source": "generated"})
        for name in ("official, part 1", "official, part 2", "generated for official", "200 names"):
            train(config, [0], folder, "cpu", Data(generate(1, 40, name), generate(1, 10, "test"), name=name))
        yield folder


def test_each_run_has_its_error_on_each_test(outputs):
    errors = generalisation.cross_source_errors("tpr", 1, TESTS, outputs)
    assert errors.learnt.tolist() == ["generated for official", "official", "official"]
    for row in errors.itertuples():
        reader = load(row.id, outputs)
        for name, questions in TESTS.items():
            wrong = [str(reader.ask(asked.story, asked.question).word) != asked.answer for asked in questions]
            assert getattr(row, name) == pytest.approx(100 * sum(wrong) / len(wrong))


def test_the_picture_has_a_point_each_run(outputs):
    errors = generalisation.cross_source_errors("tpr", 1, TESTS, outputs)
    (ax,) = generalisation_figures.cross_source_errors(errors, "Both").axes
    points = [tuple(point) for drawn in ax.collections for point in drawn.get_offsets().tolist()]
    assert sorted(points) == sorted(zip(errors.these, errors.those, strict=True))


def test_only_runs_with_weights_of_this_model_and_task_are_asked(outputs, tmp_path):
    assert generalisation.cross_source_errors("tpr", 2, TESTS, outputs).empty
    assert isinstance(
        generalisation_figures.cross_source_errors(
            generalisation.cross_source_errors("tpr", 1, TESTS, str(tmp_path)), "None"
        ),
        Markdown,
    )
