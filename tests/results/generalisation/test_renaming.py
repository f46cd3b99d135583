"""The README's picture of a story under other names."""

from symshift.paths import ROOT
from symshift.results.generalisation import renaming


def test_gstpr_alone_keeps_its_answers():
    """The README says so of these four runs."""
    table = renaming.answers(ROOT / "outputs")
    right = table.groupby("model").right.sum()
    assert right.to_dict() == {"prehoc": 1, "tpr": 1, "stpr": 2, "gstpr": 3}
    assert table.probability.between(0, 1).all()


def test_picture_says_what_is_right_and_wrong():
    """In words, not by colour alone."""
    table = renaming.answers(ROOT / "outputs")
    texts = [text.get_text() for text in renaming.renaming(table).axes[0].texts]
    assert sum(text.endswith(": right") for text in texts) == table.right.sum()
    assert sum(text.endswith(": wrong") for text in texts) == (~table.right).sum()
