"""The data conditions of the papers' generalisation experiments, each as the `stories` of `symshift.train`."""

from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from random import Random

from symshift.data import load
from symshift.data.assignments import assignments
from symshift.data.cbt.format import Cloze, candidates_first, read
from symshift.data.names import people
from symshift.data.new_people import TASKS, TRAINED, new_people
from symshift.data.world_model import MINIMUM_LENGTH, walks
from symshift.errors import InputError
from symshift.training.data import Data
from symshift.training.splits import VALID_SHARE

WALKED = (10, 20, 30, 40, 50, 60, 70, 80)
BY_QUESTION, ALL_TASKS = "split by question", "all tasks"


def more_names(count: int, examples: int = 10_000) -> Data:
    """Task 1 with so many people (symbol-shift paper, figure 1)."""
    world = people(count)
    train, test = (load(1, examples, split, "generated", world=world) for split in ("train", "test"))
    return Data(train, test, name=f"{count} names")


def more_symbols(count: int, examples: int = 10_000) -> Data:
    """Assignments over so many variables and as many values (symbol-shift paper, figure 7)."""
    return Data(assignments(count, "train", examples), assignments(count, "test"), name=f"{count} variables")


def generated_for_official(task: int, examples: int = 1000, seed: int = 0) -> Data:
    """Generated stories to learn from, and the official test set beside their own, as `error.official`. `seed` is that
    of the stories: what one set of so few teaches may be luck."""
    train, test = (load(task, examples, split, "generated", seed=seed) for split in ("train", "test"))
    return Data(train, test, {"official": load(task, split="test", source="official")}, name="generated for official")


def official_part(task: int, part: int, examples: int = 1000) -> Data:
    """Other official questions to learn from, as many, of the 10,000: part 0 is the 1K set of task 6."""
    train = load(task, 10_000, source="official")[part * examples : (part + 1) * examples]
    return Data(train, load(task, split="test", source="official"), name=f"official, part {part}")


def split_by_question(task: int) -> Data:
    """The official 1K set with a tenth of the questions to select on, drawn without regard to stories, as the
    symbol-shift paper may have drawn its tenth: the questions to select on are then of stories that are learnt from."""
    asked = load(task, source="official")
    drawn = Random(f"questions of task {task}").sample(asked, len(asked))
    kept = round(VALID_SHARE * len(asked))
    return Data(drawn[kept:], load(task, split="test", source="official"), name=BY_QUESTION, valid=drawn[:kept])


def new_people_in_some_tasks(
    examples: int = 1000, count: int = 500, tasks: Sequence[int] = TASKS, source: str = "auto"
) -> Data:
    """All tasks at once, with five new people who are trained in some of them (TPR-RNN, figure 5).

    `error` has one entry for each new person, over the tasks where this person was not trained, and one over those
    where they were: `Mike trained`, `Mike new`; Alex is trained in all."""
    if not tasks or not set(tasks) <= set(TASKS):
        raise InputError(f"tasks {list(tasks)}: some of {', '.join(map(str, TASKS))} would be right")
    train, test = (list(chain(*(load(task, examples, split, source) for task in tasks))) for split in ("train", "test"))
    trained, tested = new_people(train, "train", count), new_people(test, "test", count)
    unseen = {}
    for name in TRAINED:
        mine = {where: asked for where, asked in tested.items() if where[0] == name}
        unseen[f"{name} trained"] = list(chain(*(asked for where, asked in mine.items() if where in trained)))
        unseen[f"{name} new"] = list(chain(*(asked for where, asked in mine.items() if where not in trained)))
    present = {kind: questions for kind, questions in unseen.items() if questions}
    return Data([*train, *chain(*trained.values())], test, present, name="new people")


def all_tasks(examples: int = 10_000, tasks: Sequence[int] = range(1, 21), source: str = "auto") -> Data:
    """One network for all tasks (TPR-RNN, table 1); `error` has an entry for each task, `task 1` to `task 20`."""
    train = list(chain(*(load(task, examples, source=source) for task in tasks)))
    tests = {f"task {task}": load(task, examples, "test", source) for task in tasks}
    return Data(train, list(chain(*tests.values())), tests, name=ALL_TASKS)


def world_model(lengths: Sequence[int] = range(MINIMUM_LENGTH, 21), examples: int = 10_000) -> Data:
    """Walks of the world model (EntNet, section 5.1), of each of these lengths as many, tested at T = 10 to 80.

    `error` has an entry for each tested length, `T=10` to `T=80`; `test` is the longest length of training. The default
    is training at T up to 20, `(10,)`, `(20,)` and `(40,)` are the columns of the paper's table."""
    if not lengths or examples < len(lengths):
        raise InputError(f"lengths {list(lengths)}: from one length to as many as there are examples would be right")
    shares = [examples // len(lengths) + (number < examples % len(lengths)) for number in range(len(lengths))]
    train = list(chain(*(walks(length, "train", share) for length, share in zip(lengths, shares, strict=True))))
    tested = {f"T={length}": walks(length, "test") for length in WALKED}
    shortest, longest = min(lengths), max(lengths)
    steps = sorted(lengths) == [*range(shortest, longest + 1)] and shortest < longest
    named = f"{shortest} to {longest}" if steps else ", ".join(map(str, sorted(lengths)))
    return Data(train, walks(longest, "test"), tested, name=f"walks, T={named}")


def cloze(kind: str, examples: int = 10_000, tested: int = 1000, place: str | Path | None = None) -> Data:
    """Names or nouns left out of books (EntNet, table 4), made from the two parts of the Children's Book Test's books
    that there are: its validation books to learn from, but for the last, to select on; its test books to be tested on.
    `examples` and `tested` are the most questions of each; the maker wants the extra `cloze`."""
    from symshift.data.cbt.builder import blanks, books

    *learnt, selected = books("valid", place)
    made = (
        blanks(learnt, kind, examples),
        blanks([selected], kind, examples),
        blanks(books("test", place), kind, tested),
    )
    return _listed(*made, name=f"{kind} of books")


def cloze_files(train: str | Path, valid: str | Path, test: str | Path) -> Data:
    """The same from three files of the test itself, such as `cbtest_NE_train.txt`."""
    return _listed(read(train), read(valid), read(test), name=Path(train).stem)


def _listed(train: Sequence[Cloze], valid: Sequence[Cloze], test: Sequence[Cloze], name: str) -> Data:
    learnt, selected, tested = (list(map(candidates_first, asked)) for asked in (train, valid, test))
    return Data(learnt, tested, name=name, valid=selected)
