"""A view as HTML that needs nothing from outside and follows JupyterLab's light and dark themes.

The background of a sentence is the stronger blue the larger its largest share over hops or reads; the shares are to its
left. The bar under a word is the stronger orange the larger its alpha. Facts have a star, words never seen in training
a dotted line.
"""

from html import escape

from symshift.playground.view import ANSWERS, View, Word

BLUE_MEANS = {"hop": "blue: attention of the hop", "read": "blue: how well a sentence fits the read"}
STYLE = """<style>
.symshift {color: var(--jp-ui-font-color1, #222); font: 14px/1.5 var(--jp-ui-font-family, sans-serif)}
.symshift h4 {margin: .8em 0 .3em; font-size: 15px; font-weight: 600}
.symshift .line {display: flex; align-items: center; gap: 4px; margin: 2px 0}
.symshift .mark {flex: none; width: 1.1em; text-align: center; color: #B37400; font-weight: bold}
.symshift .share {flex: none; width: 3.4em; text-align: right; font-size: 12px; padding: 1px 4px; border-radius: 3px;
  white-space: nowrap}
.symshift .sentence {padding: 2px 6px; border-radius: 3px}
.symshift .word {display: inline-block; margin: 0 2px; line-height: 1.25}
.symshift .alpha {display: block; height: 4px; border-radius: 2px}
.symshift .unseen {font-weight: bold; text-decoration: underline dotted}
.symshift .question {font-style: italic; margin-top: 6px}
.symshift .answer {flex: none; width: 9em; text-align: right; overflow-wrap: anywhere}
.symshift .bar {display: inline-block; height: .9em; vertical-align: middle}
.symshift .semantic {background: #8A8A8A}
.symshift .symbolic {background: repeating-linear-gradient(45deg, #D55E00 0 4px, #F0A366 4px 6px)}
.symshift .note {margin: 4px 0}
.symshift .key {font-size: 12px; color: var(--jp-ui-font-color2, #555); margin: 6px 0}
</style>"""


def html(view: View) -> str:
    """Return the answer, the story as it was read, notes on it, and what the colours mean."""
    right = f", right: {escape(view.question.answer)}" if view.question.answer else ""
    title = f"<h4>{escape(view.name)}: {escape(str(view.answer))}{right}</h4>"
    notes = "".join(f'<div class="note">{escape(note)}</div>' for note in view.notes)
    key = f'<div class="key">{_key(view)}</div>'
    return f'{STYLE}<div class="symshift">{title}{_answers(view)}{_lines(view)}{notes}{key}</div>'


def _answers(view: View) -> str:
    return "".join(
        f'<div class="line"><span class="answer">{escape(row.word)}</span><span>{_bar("semantic", row.semantic)}'
        f"{_bar('symbolic', row.symbolic)} {row.probability:.0%}</span></div>"
        for row in view.answer.distribution.head(ANSWERS).itertuples()
    )


def _bar(kind: str, part: float) -> str:
    return f'<span class="bar {kind}" style="width: {12 * part:.2f}em"></span>'


def _lines(view: View) -> str:
    *story, question = [" ".join(map(_word, line)) for line in view.lines]
    cells, strongest, header = [""] * len(story), [0.0] * len(story), ""
    if view.shares is not None:
        cells = ["".join(map(_share, view.shares[number])) for number in range(len(story))]
        strongest = view.shares.max().tolist()
        steps = (f"{view.shares.index.name} {step}" for step in view.shares.index)
        header = "".join(f'<span class="share">{step}</span>' for step in steps)
    lines = "".join(
        f'<div class="line"><span class="mark">{"★" if number in view.facts else ""}</span>{cells[number]}'
        f'<span class="sentence" style="background: {_blue(strongest[number])}">{sentence}</span></div>'
        for number, sentence in enumerate(story)
    )
    header = f'<div class="line key"><span class="mark"></span>{header}</div>'
    return f'{header}{lines}<div class="question">{question}</div>'


def _word(word: Word) -> str:
    text = f'<span class="unseen">{escape(word.text)}</span>' if word.unseen else escape(word.text)
    if word.alpha is None:
        return f'<span class="word">{text}</span>'
    bar = f'<span class="alpha" style="background: rgba(213, 94, 0, {word.alpha:.2f})"></span>'
    return f'<span class="word" title="alpha {word.alpha:.2f}">{text}{bar}</span>'


def _share(share: float) -> str:
    return f'<span class="share" style="background: {_blue(share)}">{share:.0%}</span>'


def _blue(share: float) -> str:
    return f"rgba(60, 130, 246, {0.6 * share:.2f})"


def _key(view: View) -> str:
    meanings = []
    if view.facts:
        meanings.append("★ supports the answer")
    if view.shares is not None:
        meanings.append(BLUE_MEANS[view.shares.index.name])
    if view.lines[0][0].alpha is not None:
        meanings.append("orange under a word: alpha")
    if view.answer.has_symbols:
        meanings.append("answer: semantic part grey, symbolic part orange")
    if view.answer.unseen:
        meanings.append("dotted: never seen in training")
    return "; ".join(meanings)
