"""What the playground shows of an answer, as a view, as HTML and as a picture."""

import dataclasses
import re

import pandas as pd
import pytest

from symshift.data.encoding import Vocabulary
from symshift.data.question import Question
from symshift.playground.figures import view_panels
from symshift.playground.html import html
from symshift.playground.view import View, build_view
from symshift.runs.reader import Reader
from tests.helpers.small import network

VOCABULARY = Vocabulary((*"abcdefgh", "who"), 3, 2, 1)
ASKED = Question(("a b", "c d", "e zoe", "g h"), "who", "b", (0, 3), 1, "generated")
STEPS = {"mn": "hop", "smn": "hop", "prehoc": "hop", "tpr": "read", "stpr": "read", "gstpr": "read", "lstm": None}


def view(preset: str, asked: Question = ASKED) -> View:
    """A question as a small network reads it, the last three sentences of it."""
    return build_view(preset, Reader(network(preset, vocabulary=VOCABULARY).float(), VOCABULARY, 3), asked)


@pytest.fixture(params=STEPS)
def shown(request) -> View:
    return view(request.param)


def test_a_view_has_what_was_read_and_what_supports_it(shown):
    assert [[word.text for word in line] for line in shown.lines] == [["c", "d"], ["e", "zoe"], ["g", "h"], ["who"]]
    assert shown.facts == {2}
    assert [word.text for line in shown.lines for word in line if word.unseen] == ["zoe"]


def test_view_has_shares_of_sentences(shown):
    """A view has the shares of the sentences where the model has any."""
    step = STEPS[shown.name]
    assert (shown.shares is None) == (step is None)
    if step:
        assert (shown.shares.index.name, shown.shares.shape[1]) == (step, 3)
        assert shown.shares.sum(axis=1).to_numpy() == pytest.approx(1)


def test_a_network_that_is_taught_the_facts_answers_from_them():
    assert view("prehoc-teacher").shares.to_numpy().tolist() == [[0, 0, 1]]


def test_view_notes_unknown_words(shown):
    """Words have an alpha in symbolic models, which know new words; other models say that they do not."""
    symbolic = shown.name in ("smn", "stpr", "gstpr")
    assert {word.alpha is not None for line in shown.lines for word in line} == {symbolic}
    left_out, unknown = shown.notes
    assert left_out == f"The first 1 sentences are left out: {shown.name} reads the last 3."
    known = "known by its symbol alone" if symbolic else "read as a blank, and cannot be answered"
    assert unknown == f"zoe is an unknown word, {known}."
    semantic = shown.answer.distribution.set_index("word").semantic
    assert semantic["zoe"] == 0


def test_a_network_whose_words_are_all_symbols_has_no_alpha():
    shown = view("lexinv")
    assert shown.notes[1] == "zoe is an unknown word, known by its symbol alone."
    assert "orange under a word" not in html(shown)
    assert "symbolic part orange" in html(shown)


def test_html_shows_words_marks_and_shares_offline(shown):
    """Each word, mark and share is shown, and nothing is asked from outside."""
    text = html(shown)
    assert re.sub(r"<style>.*?</style>|<[^>]*>", " ", text, flags=re.DOTALL).count("zoe") >= 2
    assert text.count("★") == 2  # the fact, and what the star means
    for share in [] if shown.shares is None else shown.shares.to_numpy().flat:
        assert f">{share:.0%}</span>" in text
    assert not re.search(r"https?:|<script|<link|@import", text)


def test_what_a_person_writes_is_no_markup():
    shown = view("gstpr", Question(("<b>a</b> b",), "<i>who</i>", "<u>", (), 1, "own"))
    text = html(dataclasses.replace(shown, name="<u>"))
    assert not re.search(r"<[biu]>", text)
    assert "&lt;u&gt;" in text


def test_a_picture_has_a_panel_for_each_view_and_its_answers(shown):
    picture = view_panels([shown, view("gstpr")], "Two readers")
    one, other, answers, _ = picture.axes
    assert one.get_title(loc="left") == f"{shown.name}: {shown.answer}"
    written = [text.get_text() for text in one.texts]
    assert [word for word in written if word in {*"cdegh", "zoe", "who"}] == ["c", "d", "e", "zoe", "g", "h", "who"]
    assert written.count("*") == 1
    bold = [text.get_text() for text in other.texts if text.get_weight() == "bold"]
    assert sorted(bold) == ["*", "zoe"]
    top = shown.answer.distribution.head(len(answers.get_yticks()))
    assert sum(bar.get_width() for bar in answers.patches) == pytest.approx(top.probability.sum(), abs=1e-5)


def test_the_shade_under_a_word_is_its_alpha():
    shown = view("smn")
    means = shown.answer.words.alpha.map(lambda alpha: pd.Series(alpha).mean())
    assert [word.alpha for line in shown.lines for word in line] == pytest.approx(means.tolist())
    assert f"rgba(213, 94, 0, {means.iloc[0]:.2f})" in html(shown)
