"""The playground: widgets between a person and trained readers.

What is shown is made by `view`, what is written is read by `data.text`; a mistake becomes one line.
"""

from collections.abc import Callable
from functools import cache
from html import escape
from pathlib import Path

from ipywidgets import HTML, BoundedIntText, Button, Dropdown, HBox, Layout, Text, Textarea, VBox

from symshift.data import Question, load
from symshift.data.babi.generator.own_tasks import find_task
from symshift.data.text import as_text, from_text, rename_word, words
from symshift.data.words import tokenize
from symshift.errors import InputError
from symshift.playground.figures import view_panels
from symshift.playground.html import html
from symshift.playground.view import View, build_view
from symshift.results.picture import Picture
from symshift.runs import reader
from symshift.runs.runs_with_weights import NO_TASK, choose, runs_with_weights

NOBODY = ("nobody", "")
OTHER_STORIES = ("other stories", NO_TASK)
FIRST_TEXT = from_text("Mary went to the kitchen.\nWhere is Mary?")  # where no test questions are here
LABEL = {"description_width": "8em"}
WIDE, FLOW = Layout(width="38em", max_width="100%"), Layout(flex_flow="row wrap")
HALF = Layout(flex="1 1 24em", margin="0 1em 0 0")


class Playground:
    """One or two trained readers of a task over one text: a test question, or what a person makes of it.

    It shows itself in a notebook, and starts with the first run of `model` on `task`.

    Args:
        outputs: Folder of the store.
        source: Where test questions come from.
        model: A preset with a trained run.
        task: Number of a task.
        number: Of the test question, from 1.

    Attributes:
        views: What is shown now.

    Raises:
        InputError: No run of the model on the task has weights.
    """

    def __init__(self, outputs: str | Path | None, source: str, model: str, task: int, number: int):
        self.runs = runs_with_weights(outputs)
        self.reader = cache(lambda run: reader.load(run, self.runs.loc[run, "store"]))
        self.test_questions = cache(lambda task: _test_questions(task, source))
        self.views: list[View] = []
        self.question = FIRST_TEXT
        first = choose(self.runs, model, task)
        tasks = self.runs["task"].unique().tolist()
        options = [OTHER_STORIES if one == NO_TASK else (str(one), one) for one in tasks]
        self.task = Dropdown(options=options, value=task, description="task", style=LABEL)
        self.number = BoundedIntText(1, min=1, description="test question", style=LABEL)
        self.first = Dropdown(description="model", style=LABEL, layout=WIDE)
        self.second = Dropdown(description="beside it", style=LABEL, layout=WIDE)
        self.text = Textarea(description="text", continuous_update=False, rows=9, style=LABEL, layout=WIDE)
        self.word = Dropdown(description="rename", style=LABEL)
        self.name = Text("Zoe", description="to", style=LABEL)
        self.button = Button(description="Rename", button_style="primary")
        self.message = HTML()
        self.panels = (HTML(layout=HALF), HTML(layout=HALF))
        self.show_task()
        self.number.value, self.first.value = number, first
        self.show_test_question()
        self._listen()

    def show_task(self) -> None:
        """Offer the models of the task, and show its first test question; where it has none here, the text stays."""
        runs = self.runs[self.runs["task"] == self.task.value]
        options = [*zip(runs["label"], runs.index, strict=True)]
        self.first.options, self.second.options = options, [NOBODY, *options]
        self.first.index = self.second.index = 0
        questions = self.test_questions(self.task.value)
        self.number.disabled = not questions
        self.number.max, self.number.value = max(1, len(questions)), 1
        self.show_test_question()

    def show_test_question(self) -> None:
        """Show the test question of the chosen number."""
        questions = self.test_questions(self.task.value)
        self._write(questions[self.number.value - 1] if questions else self.question)

    def read_text(self) -> None:
        """Read the text as it is now; as long as nobody changes it, its right answer and its facts are known.

        Raises:
            InputError: The text is no story with a question; nothing is shown then.
        """
        try:
            question = from_text(self.text.value)
        except InputError:
            self._show([])
            raise
        if (question.story, question.question) != (self.question.story, self.question.question):
            self.question = question
        self.show_answers()

    def rename_selected_word(self) -> None:
        """Rename the selected word in the text, and show the answers before and after.

        Raises:
            InputError: The text is no story with a question, or the new name cannot be used.
        """
        self.read_text()
        before = self.views
        old = self.word.value
        self._write(rename_word(self.question, old, self.name.value))
        self.word.value = tokenize(self.name.value)[0]
        answers = [
            f"{now.name}: {was.answer} before, {now.answer} now" for was, now in zip(before, self.views, strict=True)
        ]
        self.message.value = escape(f"{old} is now {self.word.value}; {'; '.join(answers)}.")

    def show_answers(self) -> None:
        """Ask the chosen readers, and show what they answer."""
        options = words(self.question)
        selected = self.word.value if self.word.value in options else options[0]
        self.word.options = options
        self.word.value = selected
        chosen = [run for run in (self.first.value, self.second.value) if run]
        self._show([build_view(self.runs.loc[run, "model"], self.reader(run), self.question) for run in chosen])

    def picture(self) -> Picture:
        """Return a static figure of what is shown now.

        Raises:
            InputError: Nothing is shown.
        """
        if not self.views:
            raise InputError("nothing is answered now; write a story and a question")
        return view_panels(self.views, self.question.question)

    def _show(self, views: list[View]) -> None:
        self.views = views
        texts = [html(view) for view in views] + [""] * (len(self.panels) - len(views))
        for panel, text in zip(self.panels, texts, strict=True):
            panel.value = text

    def _write(self, question: Question) -> None:
        self.question = question
        self.text.value = as_text(question)
        self.show_answers()

    def _listen(self) -> None:
        self.task.observe(self._observer(self.show_task), "value")
        self.number.observe(self._observer(self.show_test_question), "value")
        self.text.observe(self._observer(self.read_text), "value")
        for model in (self.first, self.second):
            model.observe(self._observer(self.read_text), "value")  # a faulty text has no answers of another model
        self.button.on_click(self._observer(self.rename_selected_word))

    def _observer(self, act: Callable[[], None]) -> Callable[[object], None]:
        """Wrap an action so that a mistake is shown in one line."""

        def act_or_show_error(_: object) -> None:
            self.message.value = ""
            try:
                act()
            except InputError as error:
                self.message.value = f'<span role="alert">{escape(str(error))}</span>'

        return act_or_show_error

    def _repr_mimebundle_(self, **options: object) -> dict[str, object]:
        rows = (
            (self.task, self.number),
            (self.first,),
            (self.second,),
            (self.text,),
            (self.word, self.name, self.button),
        )
        box = VBox([HBox(row, layout=FLOW) for row in (*rows, (self.message,), self.panels)])
        answers = "; ".join(f"{view.name}: {view.answer}" for view in self.views)
        return box._repr_mimebundle_(**options) | {"text/plain": f"playground: {self.question.question} {answers}"}


def _test_questions(task: int, source: str) -> list[Question]:
    """Return the test questions of a task; none of stories that lie in a file, or that no generator here makes."""
    if find_task(task) is None:
        return []
    return load(task, split="test", source=source)
