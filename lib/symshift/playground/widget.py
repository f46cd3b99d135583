"""The playground: widgets between a person and trained readers.

What is shown is made by `view`, what is written is understood by `stories.writing`; a mistake is told in one line."""

from collections.abc import Callable
from functools import cache
from html import escape
from itertools import zip_longest
from pathlib import Path

from ipywidgets import HTML, BoundedIntText, Button, Dropdown, HBox, Layout, Text, Textarea, VBox

from symshift.data import Question, load
from symshift.data.text import as_text, from_text, rename_word, words
from symshift.errors import InputError
from symshift.playground.figures import compared
from symshift.playground.html import html
from symshift.playground.view import View, look
from symshift.results.style import Picture
from symshift.runs import reader
from symshift.runs.runs_with_weights import choose, runs_with_weights

NOBODY = ("nobody", "")
LABEL = {"description_width": "8em"}
WIDE, FLOW = Layout(width="38em", max_width="100%"), Layout(flex_flow="row wrap")
HALF = Layout(flex="1 1 24em", margin="0 1em 0 0")


class Playground:
    """One or two trained readers of a task over one text: a test question, or what a person makes of it.

    It shows itself in a notebook. It starts with the first run of `model` on `task` in `outputs`, and with the test
    question `number`, from 1; `source` is where test questions come from. `views` is what is shown now."""

    def __init__(self, outputs: str | Path | None, source: str, model: str, task: int, number: int):
        self.runs = runs_with_weights(outputs)
        self.reader = cache(lambda run: reader.load(run, self.runs.loc[run, "store"]))
        self.tested = cache(lambda task: load(task, split="test", source=source))
        self.views: list[View] = []
        first = choose(self.runs, model, task)
        self.task = Dropdown(options=[*dict.fromkeys(self.runs["task"])], value=task, description="task", style=LABEL)
        self.number = BoundedIntText(1, min=1, description="test question", style=LABEL)
        self.first = Dropdown(description="model", style=LABEL, layout=WIDE)
        self.second = Dropdown(description="beside it", style=LABEL, layout=WIDE)
        self.text = Textarea(description="text", continuous_update=False, rows=9, style=LABEL, layout=WIDE)
        self.word = Dropdown(description="rename", style=LABEL)
        self.name = Text("Zoe", description="to", style=LABEL)
        self.button = Button(description="Rename", button_style="primary")
        self.said, self.shown = HTML(), (HTML(layout=HALF), HTML(layout=HALF))
        self.take_task()
        self.number.value, self.first.value = number, first
        self.take_number()
        self._listen()

    def take_task(self) -> None:
        """The models and the first test question of the task."""
        runs = self.runs[self.runs["task"] == self.task.value]
        options = [*zip(runs["label"], runs.index, strict=True)]
        self.first.options, self.second.options = options, [NOBODY, *options]
        self.first.index = self.second.index = 0
        self.number.max, self.number.value = len(self.tested(self.task.value)), 1
        self.take_number()

    def take_number(self) -> None:
        """The test question of this number."""
        self._write(self.tested(self.task.value)[self.number.value - 1])

    def read(self) -> None:
        """The text as it stands now; as long as nobody changes it, its right answer and its facts are known."""
        try:
            read = from_text(self.text.value)
        except InputError:
            self._show([])
            raise
        if (read.story, read.question) != (self.asked.story, self.asked.question):
            self.asked = read
        self.answer()

    def put_name(self) -> None:
        """The text with a word renamed, and the answers before and after."""
        self.read()
        before, old = self.views, self.word.value
        self._write(rename_word(self.asked, old, self.name.value))
        self.word.value = self.name.value.strip().lower()
        answers = [
            f"{now.name}: {was.answer} before, {now.answer} now" for was, now in zip(before, self.views, strict=True)
        ]
        self.said.value = escape(f"{old} is now {self.word.value}; {'; '.join(answers)}.")

    def answer(self) -> None:
        """What the chosen readers make of the question."""
        said = words(self.asked)
        self.word.options, self.word.value = said, self.word.value if self.word.value in said else said[0]
        chosen = [run for run in (self.first.value, self.second.value) if run]
        self._show([look(self.runs.loc[run, "model"], self.reader(run), self.asked) for run in chosen])

    def picture(self) -> Picture:
        """What is shown now, to be kept."""
        if not self.views:
            raise InputError("nothing is answered now; write a story and a question")
        return compared(self.views, self.asked.question)

    def _show(self, views: list[View]) -> None:
        self.views = views
        for shown, told in zip_longest(self.shown, map(html, views), fillvalue=""):
            shown.value = told

    def _write(self, asked: Question) -> None:
        self.asked = asked
        self.text.value = as_text(asked)
        self.answer()

    def _listen(self) -> None:
        self.task.observe(self._told(self.take_task), "value")
        self.number.observe(self._told(self.take_number), "value")
        self.text.observe(self._told(self.read), "value")
        for model in (self.first, self.second):
            model.observe(self._told(self.answer), "value")
        self.button.on_click(self._told(self.put_name))

    def _told(self, act: Callable[[], None]) -> Callable[[object], None]:
        """Does it, or says in one line why not."""

        def act_or_say(_: object) -> None:
            self.said.value = ""
            try:
                act()
            except InputError as error:
                self.said.value = f'<span role="alert">{escape(str(error))}</span>'

        return act_or_say

    def _repr_mimebundle_(self, **options: object) -> dict[str, object]:
        rows = (
            (self.task, self.number),
            (self.first,),
            (self.second,),
            (self.text,),
            (self.word, self.name, self.button),
        )
        box = VBox([HBox(row, layout=FLOW) for row in (*rows, (self.said,), self.shown)])
        said = "; ".join(f"{view.name}: {view.answer}" for view in self.views)
        return box._repr_mimebundle_(**options) | {"text/plain": f"playground: {self.asked.question} {said}"}
