"""A question as a text, and a word of it renamed."""

import pytest

from symshift.data import generate
from symshift.data.text import as_text, from_text, rename_word, words
from symshift.errors import InputError

ASKED = generate(5, 20)[10]


def test_from_text_reads_as_text():
    for task in range(1, 21):
        for asked in generate(task, 5):
            read = from_text(f"\n{as_text(asked)}\n \n")
            assert (read.story, read.question) == (asked.story, asked.question)
            assert (read.answer, read.supporting, read.source) == ("", (), "own")


def test_words_lists_people_then_things_first():
    asked = from_text("The box is in the hall.\nHugo went to Mary.\nWhere is Hugo?")
    assert words(asked)[:4] == ["hugo", "mary", "box", "the"]
    assert sorted(words(asked)) == ["box", "hall", "hugo", "in", "is", "mary", "the", "to", "went", "where"]


def test_rename_word_renames_everywhere():
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
def test_from_text_refuses_text_without_question(text, said):
    with pytest.raises(InputError) as raised:
        from_text(text)
    assert str(raised.value) == said


@pytest.mark.parametrize(
    ("new", "said"), [("", "one word"), (None, "one word"), ("Zoe Ann", "one word"), ("mary", "has already")]
)
def test_rename_word_wants_one_new_word(new, said):
    with pytest.raises(InputError, match=said):
        rename_word(from_text("Mary left John.\nWho left?"), "john", new)
