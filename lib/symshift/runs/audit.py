"""A renaming audit: how often answers stay right, and move with the names, when names are replaced.

Every number is a mean over questions of a question's own mean over renamings, in percent. Its 95 % interval is that of
the percentile bootstrap over questions (Efron, 1979), with the question before and after renaming drawn together.
"""

import reprlib
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from symshift.data import Question
from symshift.data.alpha_renaming import AuditQuestions
from symshift.data.question import list_questions
from symshift.data.words import same_answer
from symshift.errors import InputError
from symshift.runs.answers import answers
from symshift.runs.reader import Reader

AnswerQuestion = Callable[[Sequence[str], str], str]
SAMPLES = 2000  # of the bootstrap
LEVEL = (2.5, 97.5)  # percentiles
AT_ONCE = 1000  # questions in one pass of a network
MEASURES = ("error", "error_renamed", "increase", "covariance")


def audit(
    model: Reader | AnswerQuestion, questions: Iterable[Question], renamings: int = 20, sample: int = 200, seed: int = 0
) -> pd.DataFrame:
    """Audit a model by questions with other names.

    Args:
        model: A trained reader, or a function of a story (its sentences) and a question that returns the answer.
        questions: The questions of a test set, such as `symshift.data.load(1, split="test")`.
        renamings: Draws of each kind of renaming and role.
        sample: How many of the questions, drawn at random.
        seed: Equal seeds give equal samples and names.

    Returns:
        The table of `summarize`.

    Raises:
        InputError: An argument is of a wrong kind, there is nothing to rename, the model fails, an answer is no
            text, or the reader was trained with an unseen word.
    """
    check_model(model)
    audit_questions = AuditQuestions(list_questions("questions", questions), renamings, sample, seed)
    return summarize(audit_questions, answer_all(model, audit_questions))


def check_model(model: Any) -> None:
    """Refuse what answers no questions, as the id of a run.

    Raises:
        InputError: It is neither a reader nor a function.
    """
    if not (isinstance(model, Reader) or callable(model)):
        right = "`symshift.load(RUN)` makes a reader; a function of a story and a question would be right too"
        raise InputError(f"model is {reprlib.repr(model)}; {right}")


def answer_all(model: Reader | AnswerQuestion, audit_questions: AuditQuestions) -> list[str]:
    """Return a model's answers to all questions of an audit.

    Raises:
        InputError: An answer is no text, or the reader was trained with an unseen word.
    """
    questions = audit_questions.questions()
    if isinstance(model, Reader):
        _check_unseen(model, audit_questions)
        parts = [questions[start : start + AT_ONCE] for start in range(0, len(questions), AT_ONCE)]
        return [answer for part in parts for answer in answers(model, part).given]
    return [_call(model, question) for question in questions]


def summarize(audit_questions: AuditQuestions, answered: Sequence[str]) -> pd.DataFrame:
    """Tabulate what answers are worth.

    Args:
        audit_questions: The questions of the audit.
        answered: The answers, as of `answer_all`.

    Returns:
        One row per role and renaming: the number of different `renamings`; how many `questions` have such a name;
        their `error` as they are and `error_renamed`, in percent (a list may be in any order, unlike in the test error
        of a run); the `increase` in points; `covariance`, the share of answers that are what the answer before the
        renaming becomes by it, right or wrong, in percent (alpha-covariance). Each measure has the ends of its interval
        in `_low` and `_high`.
    """
    before, after = answered[: len(audit_questions.originals)], answered[len(audit_questions.originals) :]
    rows = [
        {
            "role": renamed.role,
            "renaming": renamed.renaming,
            "number": renamed.number,
            "question": renamed.original,
            "error": not same_answer(before[renamed.original], audit_questions.originals[renamed.original].answer),
            "error_renamed": not same_answer(answer, renamed.question.answer),
            "covariance": same_answer(answer, renamed.answer(before[renamed.original])),
        }
        for renamed, answer in zip(audit_questions.renamed, after, strict=True)
    ]
    table = pd.DataFrame(rows)
    return pd.DataFrame(
        [
            {"role": role, "renaming": renaming, **_measures(group)}
            for (role, renaming), group in table.groupby(["role", "renaming"], sort=False)
        ]
    )


def _measures(group: pd.DataFrame) -> dict[str, float | int]:
    """Average over renamings, then over questions; the bootstrap draws questions with all that belongs to them."""
    by_question = 100 * group.groupby("question")[["error", "error_renamed", "covariance"]].mean()
    by_question["increase"] = by_question.error_renamed - by_question.error
    values = by_question[list(MEASURES)].to_numpy(float)
    rng = np.random.default_rng(0)
    draws = rng.integers(len(values), size=(SAMPLES, len(values)))
    low, high = np.percentile(values[draws].mean(1), LEVEL, axis=0)
    measures: dict[str, float | int] = {"renamings": group.number.nunique(), "questions": len(values)}
    for column, name in enumerate(MEASURES):
        ends = {f"{name}_low": low[column], f"{name}_high": high[column]}
        measures |= {name: values[:, column].mean(), **ends}
    return measures


def _check_unseen(reader: Reader, audit_questions: AuditQuestions) -> None:
    if seen := audit_questions.unseen_words() & set(reader.vocabulary.words):
        raise InputError(f"the network was trained with {min(seen)!r}, which this audit counts as unseen")


def _call(model: AnswerQuestion, question: Question) -> str:
    try:
        answer = model(question.story, question.question)
    except InputError:
        raise
    except Exception as error:
        fault = f"{type(error).__name__}: {error}"
        raise InputError(f"the model fails on the question {question.question!r} ({fault})") from error
    if not isinstance(answer, str):
        raise InputError(f"the answer to {question.question!r} is {answer!r:.40}; a text would be right")
    return answer
