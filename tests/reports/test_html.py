"""Pages ask nothing of the network, say what figures show, and hold formulas that a browser reads."""

import re
from pathlib import Path

import nbformat
import pytest

from symshift.reports.html import html, index, page

NOTEBOOKS = sorted((Path(__file__).parents[2] / "notebooks").glob("*.ipynb"))
FETCHED = re.compile(r"<(?:script|link|iframe)\b|<img[^>]*src=(?!\"data:)|@import|url\((?!['\"]?data:)")


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_notebook_becomes_a_page_that_needs_nothing_else(path):
    written = page(nbformat.read(path, 4), path.stem)
    assert f"<title>{path.stem}</title>" in written
    assert FETCHED.findall(written) == []
    assert all(re.search(r'alt="[^"]+ [^"]+"', image) for image in re.findall(r"<img[^>]*>", written))
    formulas = re.findall(r"<math.*?</math>", written, re.DOTALL)
    assert [formula for formula in formulas if re.search(r">[^<]*(\\|&amp;|&#x00026;)", formula)] == []


def test_tex_becomes_mathml_and_links_lead_to_pages():
    assert html("$e_1$").startswith('<p><math xmlns="http://www.w3.org/1998/Math/MathML" display="inline">')
    assert "<mtable" in html(r"$$\begin{aligned} a &= b \\ c &= d \end{aligned}$$")
    assert html("[05](05_train.ipynb)") == '<p><a href="05_train.html">05</a></p>\n'


def test_a_card_has_the_title_the_question_and_the_first_figure():
    question = nbformat.v4.new_markdown_cell("# 99 Bread & wine\n\n**Question.** Who ate *what*?")
    outputs = [
        nbformat.v4.new_output("display_data", {"image/png": data}, metadata={"image/png": {"alt": alt}})
        for data, alt in (("AAAA", 'a "first" one'), ("BBBB", "a second one"))
    ]
    notebook = nbformat.v4.new_notebook(cells=[question, nbformat.v4.new_code_cell("", outputs=outputs)])
    written = index({"99_bread": notebook})
    assert '<img src="data:image/png;base64,AAAA" alt="a &quot;first&quot; one">' in written and "BBBB" not in written
    assert '<a href="99_bread.html">99 Bread &amp; wine</a>' in written
    assert "<p>Who ate <em>what</em>?</p>" in written


def test_a_notebook_without_a_figure_has_a_card_too():
    assert "<img" not in index({"a": nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell("# A")])})
