"""The data conditions of the papers' generalisation experiments, each as the `stories` of `symshift.train`."""

from collections.abc import Iterable, Sequence
from itertools import chain
from pathlib import Path
from random import Random

from symshift.data import Question, load
from symshift.data.assignments import assignments
from symshift.data.cbt.format import Cloze, candidates_first, read
from symshift.data.names import people
from symshift.data.new_people import TASKS, TRAINED, new_people
from symshift.data.world_model import MINIMUM_LENGTH, walks
from symshift.errors import InputError
from symshift.training.data import Data
from symshift.training.splits import VALID_SHARE

TEST_LENGTHS = (10, 20, 30, 40, 50, 60, 70, 80)  # of walks, in sentences
BY_QUESTION, ALL_TASKS, NEW_PEOPLE = "split by question", "all tasks", "new people"


def more_names(count: int, examples: int = 10_000) -> Data:
    """Generate task 1 with `count` people (symbol-shift paper, Figure 1)."""
    world = people(count)
    train, test = (load(1, examples, split, "generated", world=world) for split in ("train", "test"))
    return Data(train, test, name=f"{count} names")


def more_symbols(count: int, examples: int = 10_000) -> Data:
    """Generate assignments over `count` variables and as many values (symbol-shift paper, Figure 7)."""
    return Data(assignments(count, "train", examples), assignments(count, "test"), name=f"{count} variables")


def generated_for_official(task: int, examples: int = 1000, seed: int = 0) -> Data:
    """Train on generated stories and test on official ones too, as `error.official`.

    Args:
        task: 1 to 20.
        examples: Training questions.
        seed: Seed of the stories; one small set may teach more or less than another by chance.
    """
    train, test = (load(task, examples, split, "generated", seed=seed) for split in ("train", "test"))
    return Data(train, test, {"official": load(task, split="test", source="official")}, name="generated for official")


def official_part(task: int, part: int, examples: int = 1000) -> Data:
    """Train on one part of the 10,000 official questions.

    Part 0 of 1,000 examples is the official set of 1,000; task 3 could not be compared, as its file was not at hand.

    Args:
        task: 1 to 20.
        part: Its index, from 0; each part has `examples` questions.
        examples: Training questions.
    """
    train = load(task, 10_000, source="official")[part * examples : (part + 1) * examples]
    return Data(train, load(task, split="test", source="official"), name=f"official, part {part}")


def split_by_question(task: int) -> Data:
    """Select on a tenth of the official 1K questions, sampled without regard to stories.

    The symbol-shift paper may have sampled its tenth so. Validation then asks about stories of the training set.
    """
    questions = load(task, source="official")
    shuffled = Random(f"questions of task {task}").sample(questions, len(questions))
    valid = round(VALID_SHARE * len(questions))
    test = load(task, split="test", source="official")
    return Data(shuffled[valid:], test, name=BY_QUESTION, valid=shuffled[:valid])


def new_people_in_some_tasks(
    examples: int = 1000, count: int = 500, tasks: Sequence[int] = TASKS, source: str = "auto"
) -> Data:
    """Train on all tasks at once, with five new people who appear in some of them (TPR-RNN, Figure 5).

    `error` has two entries for each new person: `Mike new` over the tasks where Mike was not trained, `Mike trained`
    over the others. Alex is trained in all. Where only some of the eight tasks are joined, the stories' name has them.

    Args:
        examples: Training questions of each task.
        count: Stories of each new person in a task.
        tasks: Some of 1, 6, 7, 8, 9, 11, 12, 13.
        source: As in `symshift.data.load`.

    Raises:
        InputError: There is another task among them.
    """
    if not tasks or not set(tasks) <= set(TASKS):
        raise InputError(f"tasks {list(tasks)}: some of {', '.join(map(str, TASKS))} would be right")
    train, test = (_joined(load(task, examples, split, source) for task in tasks) for split in ("train", "test"))
    train_cells, test_cells = new_people(train, "train", count), new_people(test, "test", count)
    unseen = {}
    for name in TRAINED:
        cells = {(person, task): questions for (person, task), questions in test_cells.items() if person == name}
        unseen[f"{name} trained"] = _joined(questions for cell, questions in cells.items() if cell in train_cells)
        unseen[f"{name} new"] = _joined(questions for cell, questions in cells.items() if cell not in train_cells)
    tests = {name: questions for name, questions in unseen.items() if questions}
    some = set(tasks) != set(TASKS)
    name = f"{NEW_PEOPLE}, tasks {', '.join(map(str, sorted(tasks)))}" if some else NEW_PEOPLE
    return Data([*train, *_joined(train_cells.values())], test, tests, name=name)


def all_tasks(examples: int = 10_000, tasks: Sequence[int] = range(1, 21), source: str = "auto") -> Data:
    """Train one network on all tasks (TPR-RNN, Table 1); `error` has an entry for each, `task 1` to `task 20`.

    Where there are fewer than all twenty, the stories' name has them.
    """
    train = _joined(load(task, examples, source=source) for task in tasks)
    tests = {f"task {task}": load(task, examples, "test", source) for task in tasks}
    name = ALL_TASKS if len(set(tasks)) == 20 else f"tasks {', '.join(map(str, sorted(tasks)))} at once"
    return Data(train, _joined(tests.values()), tests, name=name)


def world_model(lengths: Sequence[int] = range(MINIMUM_LENGTH, 21), examples: int = 10_000) -> Data:
    """Train on walks of the world model (EntNet, section 5.1) and test on walks of 10 to 80 sentences.

    `error` has an entry for each tested length, `T=10` to `T=80`; `test` is the longest length of training. The default
    is training at T up to 20; `(10,)`, `(20,)` and `(40,)` are the columns of the paper's table.

    Args:
        lengths: Sentences of a training walk; each length has the same share of the examples.
        examples: Training walks in all.

    Raises:
        InputError: There is no length, or there are more lengths than examples.
    """
    if not lengths or examples < len(lengths):
        raise InputError(f"lengths {list(lengths)}: from one length to as many as there are examples would be right")
    shares = [examples // len(lengths) + (number < examples % len(lengths)) for number in range(len(lengths))]
    train = _joined(walks(length, "train", share) for length, share in zip(lengths, shares, strict=True))
    tests = {f"T={length}": walks(length, "test") for length in TEST_LENGTHS}
    return Data(train, walks(max(lengths), "test"), tests, name=f"walks, T={_range_text(sorted(lengths))}")


def cloze(kind: str, examples: int = 10_000, tested: int = 1000, path: str | Path | None = None) -> Data:
    """Leave names or nouns out of books (EntNet, Table 4), with the extra `cloze` installed.

    The Children's Book Test's validation books are learned from, but for the last, which is selected on; its test books
    are tested on.

    Args:
        kind: Names or nouns.
        examples: At most this many training questions, and as many to select on.
        tested: At most this many test questions.
        path: The archive of the books.

    Raises:
        InputError: The kind or a count is wrong, the archive cannot be read, or its books give no question.
    """
    from symshift.data.cbt.builder import blanks, books

    *train_books, valid_book = books("valid", path)
    return _cloze_data(
        train=blanks(train_books, kind, examples),
        valid=blanks([valid_book], kind, examples),
        test=blanks(books("test", path), kind, tested),
        name=f"{kind} of books",
    )


def cloze_files(train: str | Path, valid: str | Path, test: str | Path) -> Data:
    """Read three files of the Children's Book Test itself, such as `cbtest_NE_train.txt`."""
    return _cloze_data(read(train), read(valid), read(test), name=Path(train).stem)


def _cloze_data(train: Sequence[Cloze], valid: Sequence[Cloze], test: Sequence[Cloze], name: str) -> Data:
    return Data(
        train=[candidates_first(question) for question in train],
        test=[candidates_first(question) for question in test],
        valid=[candidates_first(question) for question in valid],
        name=name,
    )


def _joined(parts: Iterable[Sequence[Question]]) -> list[Question]:
    return list(chain.from_iterable(parts))


def _range_text(lengths: Sequence[int]) -> str:
    """`2 to 20` for consecutive lengths, else each."""
    first, last = lengths[0], lengths[-1]
    consecutive = first < last and [*lengths] == [*range(first, last + 1)]
    return f"{first} to {last}" if consecutive else ", ".join(map(str, lengths))
