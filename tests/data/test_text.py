"""A question as a text, and a word of it renamed."""

import pytest

from symshift.data import generate
from symshift.data.text import as_text, from_text, rename_word, words
from symshift.errors import InputError

ASKED = generate(5, 20)[10]


def test_a_text_asks_what_it_was_written_from():
    for task in range(1, 21):
        for asked in generate(task, 5):
            read = from_text(f"\n{as_text(asked)}\n \n")
            assert (read.story, read.question) == (asked.story, asked.question)
            assert (read.answer, read.supporting, read.source) == ("", (), "own")


def test_people_come_first_among_the_words():
    asked = from_text("The box is in the hall.\nHugo went to Mary.\nWhere is Hugo?")
    assert words(asked)[:3] == ["hugo", "mary", "the"]
    assert sorted(words(asked)) == ["box", "hall", "hugo", "in", "is", "mary", "the", "to", "went", "where"]


def test_a_word_is_renamed_wherever_it_stands_and_facts_stay():
    name = next(word for word in words(ASKED) if word == ASKED.answer or word in ASKED.question.lower())
    new = rename_word(ASKED, name, " Zoe ")
    assert name not in words(new)
    assert "zoe" in words(new)
    assert as_text(new).count("Zoe") + as_text(new).count("zoe") == as_text(ASKED).lower().count(name)
    assert new.supporting == ASKED.supporting
    assert rename_word(new, "zoe", name) == ASKED


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "the story is empty; write one sentence a line, and the question as the last line"),
        ("Where is Mary?", "the story is empty; write one sentence a line, and the question as the last line"),
        ("Mary left.\n?", "line 2 is '?'; write a sentence with a word"),
        ("...\nWhere is Mary?", "line 1 is '...'; write a sentence with a word"),
    ],
)
def test_a_text_that_asks_nothing_is_refused_in_one_line(text, said):
    with pytest.raises(InputError) as raised:
        from_text(text)
    assert str(raised.value) == said


@pytest.mark.parametrize(("new", "said"), [("", "one word"), ("Zoe Ann", "one word"), ("mary", "has already")])
def test_a_new_name_is_one_word_that_the_story_has_not(new, said):
    with pytest.raises(InputError, match=said):
        rename_word(from_text("Mary left John.\nWho left?"), "john", new)
