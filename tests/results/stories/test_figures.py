"""Pictures of stories: what supports stands on colour, and each task has its panel."""

import matplotlib as mpl
import pytest
from matplotlib.colors import to_hex

from symshift.data import generate
from symshift.data.assignments import assignments
from symshift.data.encoding import Vocabulary
from symshift.data.question import Question
from symshift.data.statistics import MEASURES
from symshift.results.stories import figures as story_figures
from symshift.runs.reader import Reader
from tests.helpers.small import network


def test_supporting_facts_stand_on_colour():
    rows = [(generate(task, 8)[7], generate(task, 8, seed=1)[7]) for task in (2, 18)]
    picture = story_figures.stories(rows, "Examples")
    assert len(picture.axes) == 4
    for ax, asked in zip(picture.axes, [asked for row in rows for asked in row], strict=True):
        colours = [to_hex(text.get_bbox_patch().get_facecolor(), keep_alpha=True) for text in ax.texts]
        marked = [line for line, colour in enumerate(colours) if colour == story_figures.SUPPORT.lower() + "ff"]
        assert marked == sorted(set(asked.supporting))
        assert asked.answer in ax.texts[-1].get_text()


def test_columns_are_named_by_task_and_source_or_as_said():
    row = [generate(2, 1)[0], *assignments(10, "test")[:1]]
    titles = [ax.get_title(loc="left") for ax in story_figures.stories([row], "Examples").axes]
    assert titles == ["task 2, generated", "generated"]
    named = story_figures.stories([row], "Examples", names=[["a task", "10 variables"]])
    assert [ax.get_title(loc="left") for ax in named.axes] == ["a task", "10 variables"]


@pytest.mark.parametrize("name", [*MEASURES, "word"])
def test_each_task_has_a_panel_that_adds_up(name):
    sets = {"one": generate(1, 100) + generate(4, 100), "other": generate(1, 100, seed=1) + generate(4, 100, seed=1)}
    picture = story_figures.shares(sets, name, "Shares", "value")
    assert [ax.get_title(loc="left") for ax in picture.axes] == ["task 1", "task 4"]
    for ax in picture.axes:
        assert sum(bar.get_height() for bar in ax.patches) == pytest.approx(200, abs=10)
    assert mpl.rcParams["axes.titleweight"] != "bold"


def test_attention_stands_beside_the_sentences_that_were_read():
    asked = Question(("a b", "c d", "e f", "g h"), "who", "b", (1, 3), 1, "generated")
    vocabulary = Vocabulary((*"abcdefgh", "who"), 3, 2, 1)
    answer = Reader(network("prehoc", vocabulary=vocabulary).float(), vocabulary, 3).ask(asked.story, "who")
    picture = story_figures.attention([(asked, answer)], "Attention")
    (ax,) = picture.axes
    texts = [text.get_text() for text in ax.texts]
    assert texts[:4] == ["c d", "e f", "g h", f"who  \N{RIGHTWARDS ARROW} {answer.word} (b)"]
    percents = [float(text.removesuffix(" %")) for text in texts[4:]]
    assert percents == pytest.approx([100 * share for share in answer.attention.iloc[-1]], abs=0.5)
    assert sum(bar.get_width() for bar in ax.patches) == pytest.approx(0.25, abs=1e-5)
    assert [text.get_bbox_patch().get_facecolor()[3] for text in ax.texts[:3]] == [1, 0, 1]
