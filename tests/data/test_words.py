"""One rule of what a word is, in any script, for stories, questions, answers, worlds and renaming."""

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symshift.data import Question, World, generate, tokenize
from symshift.data.renaming import rename
from symshift.data.text import from_text, rename_word
from symshift.data.words import clean, normalize_answer, rename_words, same_answer
from symshift.errors import InputError

NAMES = {
    "Devanagari": "मोहन",
    "Bengali": "সীতা",
    "Tamil": "கண்ணன்",
    "Thai": "สมชาย",
    "Arabic": "مُحَمَّد",
    "Hebrew": "שָׂרָה",
    "Greek": "Νίκος",
    "Cyrillic": "Мар'яна",
    "Turkish": "İpek",
    "Vietnamese": "Nguyễn",
    "Catalan": "Gal·la",
    "Chinese": "小明",
    "Yoruba": "Ọlá",
}


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES.keys())
@pytest.mark.parametrize("form", ["NFC", "NFD", "NFKC", "NFKD"])
def test_name_is_one_word_in_every_form(name: str, form: str) -> None:
    spelled = unicodedata.normalize(form, name)
    (word,) = tokenize(f"{spelled} slept.")[:-1]
    assert tokenize(spelled) == (word,) == tokenize(name) == tokenize(word)
    question = Question((f"{spelled} slept.",), f"Did {name} sleep?", f"{spelled}.", (0,), 0, "file")
    assert question.answer == word
    assert rename([question], {name: "Ines"})[0].story[0].lower() == "ines slept."
    assert tokenize(rename_word(from_text("Ines slept.\nWho slept?"), "ines", spelled).story[0]) == (word, "slept")
    assert tokenize(generate(1, 1, world=World(people=(spelled, "Ann")))[0].question)[2] in (word, "ann")


def test_names_that_differ_in_marks_stay_two() -> None:
    assert tokenize("सीता सेतु") == ("सीता", "सेतु")
    assert len(set(tokenize("Jose José Joše Josè"))) == 4
    assert len(World(people=("सीता", "सेतु")).people) == 2


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Café", "Cafe\u0301"),
        ("O’Brien", "O'Brien"),
        ("guest‑room", "guest-room"),
        ("ＡＮＮ", "ann"),
        ("soft\u00adly", "softly"),
        ("می\u200cروم", "میروم"),
        ("\u200fשרה\u200f", "שרה"),
        ("\ufeffAnn", "Ann"),
    ],
)
def test_spellings_of_one_name_are_one_word(one: str, other: str) -> None:
    assert tokenize(one) == tokenize(other)
    assert len(tokenize(one)) == 1
    with pytest.raises(InputError, match="each name may stand once"):
        World(people=(one, other))


@settings(deadline=None, max_examples=200)
@given(text=st.text())
def test_words_and_answers_are_read_again_as_they_are(text: str) -> None:
    assert all(tokenize(word) == (word,) for word in tokenize(text))
    assert tokenize(clean(text)) == tokenize(text)
    answer = normalize_answer(text)
    assert normalize_answer(answer) == answer
    assert rename_words(text, {"no such word": "x"}) == text


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("Cellar.", "cellar"),
        ("'cellar'", "cellar"),
        ("«Cellar»", "cellar"),
        ("रसोई।", "रसोई"),
        ("apple, milk", "apple,milk"),
        ("Apple and milk.", "apple,milk"),
        ("apple, milk, and football", "apple,milk,football"),
        ("apple;milk", "apple,milk"),
        ("['apple', 'milk']", "apple,milk"),
        ("سیب، شیر", "سیب,شیر"),
        ("s,e", "s,e"),
        ("Buenos Aires", "buenos aires"),
        ("New York, Paris", "new york,paris"),
        ("(2,9)", "(2,9)"),
        ("( 2, -9 )", "(2,-9)"),
        ("-5", "-5"),
        ("3.14", "3.14"),
        ("10:30", "10:30"),
        ("C++", "c++"),
        ("", ""),
    ],
)
def test_normalize_answer_reads_answers_as_people_write_them(text: str, answer: str) -> None:
    assert normalize_answer(text) == answer
    assert Question((), "", text, (), 0, "file").answer == answer


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("milk, apple", "apple and milk", True),
        ("n,e", "e,n", False),
        ("(2, 9)", "(2,9)", True),
        ("(2,9)", "(9,2)", False),
        ("milk", "milk,apple", False),
    ],
)
def test_same_answer_knows_lists_paths_and_coordinates(one: str, other: str, same: bool) -> None:
    assert same_answer(one, other) == same


def test_rename_words_keeps_capitals_and_all_else() -> None:
    story = "मोहन रसोई में गयी. “John” ran… ½ mile, John's dog—JOHN."
    renamed = "सीता रसोई में गयी. “Élan” ran… ½ mile, John's dog—Élan."
    assert rename_words(story, {"मोहन": "सीता", "john": "élan"}) == renamed
