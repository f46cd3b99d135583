"""A file that is no file of questions ends with one line that names the file, the line and what would be right."""

import pytest

from symshift.data import Question, read
from symshift.data.formats.row import sentences
from symshift.errors import InputError

JSONL = '{"story": ["A b."], "question": "Who?", "answer": "a"}\n'
CSV = "story,question,answer,supporting\nA b. C d.,Who?,a,0\n"
ROW = '{"story": {"id": ["1", "2"], "type": [0, 1], "text": ["A b.", "Who?"], "supporting_ids": [[], ["1"]], '
BABI_QA = ROW + '"answer": ["", "a"]}}\n'
LONG = '{"target": "a", "question": "Who?", "input": "A b. C d."}\n'
MALFORMED = {
    "no-json": ("jsonl", JSONL + "{", "line 2: '{' is not JSON; write one object on each line"),
    "no-object": ("jsonl", JSONL + "3", "line 2: '3' is no object"),
    "no-answer": ("jsonl", JSONL + '{"story": ["A b."], "question": "Who?"}', "line 2: has no field 'answer'"),
    "empty-answer": ("jsonl", JSONL.replace('"a"', '" "'), "line 1: the answer ' ' is no text"),
    "number": ("jsonl", JSONL.replace('"a"', "3"), "line 1: the answer 3 is no text"),
    "number-as-text": ("jsonl", JSONL.replace('["A b."]', '["3"]').replace('"a"', "3"), "line 1: the answer 3 is no"),
    "not-a-number": ("jsonl", JSONL.replace('"a"', "NaN"), "line 1: the answer (empty) is no text"),
    "no-story": ("jsonl", JSONL.replace('["A b."]', "[]"), "line 1: the story has no sentence"),
    "story-of-numbers": ("jsonl", JSONL.replace('["A b."]', "[1]"), "line 1: the sentence 1 is no text"),
    "no-word": ("jsonl", JSONL.replace("A b.", "..."), "line 1: the sentence '...' has no word"),
    "fact": (
        "jsonl",
        JSONL.replace("}", ', "supporting": [1]}'),
        "line 1: the supporting fact 1 is none of",
    ),
    "true": ("jsonl", JSONL.replace("}", ', "supporting": [true]}'), "line 1: the supporting fact True is none"),
    "facts": ("jsonl", JSONL.replace("}", ', "supporting": 1}'), "line 1: the field supporting is 1; a list"),
    "facts-zero": ("jsonl", JSONL.replace("}", ', "supporting": 0}'), "line 1: the field supporting is 0; a list"),
    "facts-false": ("jsonl", JSONL.replace("}", ', "supporting": false}'), "line 1: the field supporting is False"),
    "facts-object": ("jsonl", JSONL.replace("}", ', "supporting": {}}'), "line 1: the field supporting is {}"),
    "nobody-knows": ("jsonl", '{"text": "A b."}', "line 1: has the fields text; those of"),
    "columns-of-pandas": (
        "json",
        '{"story": {"0": ["A b."]}, "question": {"0": "Who?"}, "answer": {"0": "a"}}',
        'line 1: is one object, a table of pandas; to_json(..., orient="records") is right',
    ),
    "index-of-pandas": ("json", f'{{"0": {JSONL.strip()}}}', "line 1: is one object, a table of pandas"),
    "wrapped-row": ("jsonl", f'{{"data": {JSONL.strip()}}}', "line 1: has the fields data; those of"),
    "splits-in-one-object": (
        "json",
        f'{{"train": [{JSONL.strip()}], "test": []}}',
        "line 1: has the fields train, test; an object for each question, whose field split is train, valid or test",
    ),
    "splits-over-lines": (
        "json",
        '{\n"train": [],\n"test": []\n}',
        "line 1: has the fields train, test; an object for",
    ),
    "empty": ("jsonl", "\n", "line 1: holds no object"),
    "list": ("json", "[" + JSONL, "line 2: the list is not JSON"),
    "deep": ("jsonl", "[" * 100_000, "line 1: the list is not JSON"),
    "latin-1": ("jsonl", JSONL.encode() + b"\xe9", "line 2: is not UTF-8"),
    "header": ("csv", "story;question;answer\n", "line 1: the header has no 'story'"),
    "cells": ("csv", CSV + "A, b.,Who?,a,\n", "line 3: has 5 cells, while the header has 4"),
    "csv-fact": (
        "csv",
        CSV.replace(",0", ",2"),
        "line 2: the supporting fact 2 is none of the story",
    ),
    "csv-fact-word": ("csv", CSV.replace(",0", ",first"), "line 2: the supporting fact 'first' is none"),
    "csv-answer": ("csv", CSV.replace(",a,", ",,"), "line 2: the answer '' is no text"),
    "csv-list-of-numpy": (
        "csv",
        CSV.replace("A b. C d.", "['A b.' 'C d.']"),
        "line 2: the story \"['A b.' 'C d.']\" is no",
    ),
    "csv-list-open": (
        "csv",
        CSV.replace("A b. C d.", "[A b. C d.]"),
        "line 2: the story '[A b. C d.]' is no list of texts",
    ),
    "csv-list-of-numbers": ("csv", CSV.replace("A b. C d.", "[1]"), "line 2: the sentence 1 is no text"),
    "csv-list-empty": ("csv", CSV.replace("A b. C d.", "[]"), "line 2: the story has no sentence"),
    "csv-quote": ("csv", CSV + '"A b.', "line 3: is not CSV"),
    "csv-empty": ("csv", "", "line 1: holds no question"),
    "csv-header-alone": ("csv", "story,question,answer\n", "line 2: holds no question"),
    "lengths": (
        "json",
        BABI_QA.replace('"type": [0, 1]', '"type": [0]'),
        "line 1: the lists of the story differ",
    ),
    "type": ("json", BABI_QA.replace("[0, 1]", "[0, 2]"), "line 1: the type 2 is unknown"),
    "supporting-id": ("json", BABI_QA.replace('["1"]', '["2"]'), "line 1: the supporting id '2' is of no sentence"),
    "supporting-number": (
        "json",
        BABI_QA.replace('["1"]', "1"),
        "line 1: the field supporting_ids has 1; a list of ids is right",
    ),
    "supporting-text": ("json", BABI_QA.replace('["1"]', '"1"'), "line 1: the field supporting_ids has '1'; a list"),
    "supporting-object": (
        "json",
        BABI_QA.replace('["1"]', '{"1": 1}'),
        "line 1: the field supporting_ids has {'1': 1}; a",
    ),
    "supporting-list": ("json", BABI_QA.replace('["1"]', '[["1"]]'), "line 1: the supporting id ['1'] is of no"),
    "null-sentence": ("json", BABI_QA.replace('"A b."', "null"), "line 1: the sentence None is no text"),
    "list-as-sentence": ("json", BABI_QA.replace('"A b."', '["A b."]'), "line 1: the sentence ['A b.'] is no text"),
    "id-twice": (
        "json",
        '{"story": [{"id": 1, "type": 0, "text": "A b."}, {"id": "1", "type": 0, "text": "C d."}]}',
        "line 1: the id '1' stands twice",
    ),
    "field-twice": ("jsonl", JSONL.replace("}", ', "answer": "b"}'), "line 1: has the field 'answer' twice"),
    "no-field": ("jsonl", "{}", "line 1: has the fields none; those of"),
    "end-of-lists": ("jsonl", JSONL.replace('"a"', '"--"'), "line 1: the answer '--' ends a list"),
    "csv-column-twice": ("csv", "story,question,answer,Answer\n", "line 1: the header has the column 'answer' twice"),
    "babi-end-of-lists": ("txt", "1 A b.\n2 Who?\t--\n", "line 2: the answer '--' ends a list"),
    "babi-no-sentence": ("txt", "1 Who?\ta\n", "line 1: a question before the first sentence of its story"),
    "old-mac": ("txt", "1 A b.\r2 Who?\ta\r", "line 1: lines end with CR alone, as of an old Mac; save"),
    "old-mac-long": ("txt", "1 A b.\r2 Who?\ta\r" * 1000, "line 1: lines end with CR alone, as of an old Mac; save"),
    "no-questions": ("json", BABI_QA.replace("[0, 1]", "[0, 0]"), "line 1: the story has no line of type question"),
    "nested": ("json", '{"story": {"text": []}}', "line 1: the story has no list 'id'"),
    "long": ("json", LONG + LONG.replace('"A b. C d."', "3"), "line 2: the field input is 3; a text is right"),
    "long-field": ("json", LONG + '{"input": "A b.", "target": "a"}', "line 2: has no field 'question'"),
}


@pytest.mark.parametrize(("suffix", "content", "fault"), MALFORMED.values(), ids=MALFORMED)
def test_read_names_the_line_at_fault(suffix, content, fault, tmp_path):
    file = tmp_path / f"own.{suffix}"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(InputError) as caught:
        read(file)
    assert str(caught.value).startswith(f"{file}, {fault}")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("form", "where"), [("[{}]", ": an object"), ("\n{}\n", ", line 1:")], ids=["list", "object"])
def test_field_that_stands_twice_is_one_line(form, where, tmp_path):
    twice = JSONL.replace("}", ', "answer": "b"}').replace(", ", ",\n")
    (tmp_path / "own.json").write_text(form.format(twice))
    with pytest.raises(InputError, match=rf"own.json{where} has the field 'answer' twice; once is right$"):
        read(tmp_path / "own.json")


@pytest.mark.parametrize(("suffix", "content"), [("tsv", b"story\tquestion\nA b.\tWho?\n"), ("gz", b"\x1f\x8b\x08")])
def test_read_names_the_endings_that_it_knows(suffix, content, tmp_path):
    (tmp_path / f"own.{suffix}").write_bytes(content)
    with pytest.raises(InputError, match=rf"own.{suffix}: is no bAbI text, and .* says no format; .txt, .csv, .jsonl"):
        read(tmp_path / f"own.{suffix}")


def test_read_takes_babi_text_of_any_ending(tmp_path):
    (tmp_path / "own.tsv").write_text("1 A b.\n2 Who?\ta\n")
    assert len(read(tmp_path / "own.tsv")) == 1


EXPECTED = [Question(("A b.", "C d."), "Who?", "a", (0,), 0, "file")]
FORMS = {
    "one-text": ("jsonl", '{"story": "A b. C d.", "question": "Who?", "answer": "A", "supporting": [0]}'),
    "list": ("json", '[{"story": ["A b.", "C d."], "question": "Who?", "answer": ["a"], "supporting": [0]}]'),
    "over-lines": ("json", '{"story": "A b. C d.",\n"question": "Who?",\n"answer": "a", "supporting": [0]\n}'),
    "marked": ("jsonl", '\ufeff{"story": "A b.\\nC d.", "question": "Who? ", "answer": "a", "supporting": [0]}'),
    "csv": ("csv", CSV),
    "csv-lines": ("csv", 'Question,story,answer,supporting,more\nWho?,"A b.\nC d.\n",a,"[0]",x\n'),
    "csv-list-of-pandas": ("csv", "story,question,answer,supporting\n\"['A b.', 'C d.']\",Who?,a,[0]\n"),
    "csv-list-of-json": ("csv", 'story,question,answer,supporting\n"[""A b."", ""C d.""]",Who?,a,0\n'),
    "csv-windows": ("csv", CSV.replace("\n", "\r\n")),
    "lines-of-a-story": (
        "json",
        '{"story": [{"id": "1", "type": "context", "text": "A b."}, {"id": "2", "type": "context", "text": "C d."}, '
        '{"id": "3", "type": "question", "text": "Who?", "answer": "a", "supporting_ids": ["1"]}]}',
    ),
}


@pytest.mark.parametrize(("suffix", "content"), FORMS.values(), ids=FORMS)
def test_read_takes_the_forms_that_people_write(suffix, content, tmp_path):
    (tmp_path / f"own.{suffix}").write_bytes(content.encode())
    assert read(tmp_path / f"own.{suffix}") == EXPECTED


def test_csv_list_has_all_supporting_facts_from_0(tmp_path):
    row = """"['Its ""A"" [b].', 'C, d.', 'Zoë \\u00e9.']",Who?,a,"[0, 2]"\n"""
    (tmp_path / "own.csv").write_text(f"story,question,answer,supporting\n{row}")
    (question,) = read(tmp_path / "own.csv")
    assert question.story == ('Its "A" [b].', "C, d.", "Zoë é.")
    assert question.supporting == (0, 2)


def test_sentences_end_at_a_full_stop_without_a_space():
    assert sentences("ゾーイ は 台所 へ 行った。ジョン は 庭 へ 行った。 「行く。」 と 言った。") == [
        "ゾーイ は 台所 へ 行った。",
        "ジョン は 庭 へ 行った。",
        "「行く。」 と 言った。",
    ]
    assert sentences("It is 3.5 m. Go!") == ["It is 3.5 m.", "Go!"]


@pytest.mark.parametrize("task", [-1, True])
def test_read_refuses_what_is_no_task(task, tmp_path):
    (tmp_path / "own.csv").write_text(CSV)
    with pytest.raises(InputError, match=f"^task is {task!r}; a whole number, 0 for no task, is right$"):
        read(tmp_path / "own.csv", task=task)
