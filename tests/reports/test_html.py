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
    assert '<img src="data:image/png;base64,AAAA" alt="a &quot;first&quot; one">' in written
    assert "BBBB" not in written
    assert '<a href="99_bread.html">99 Bread &amp; wine</a>' in written
    assert "<p>Who ate <em>what</em>?</p>" in written


def test_a_notebook_without_a_figure_has_a_card_too():
    assert "<img" not in index({"a": nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell("# A")])})


HOSTILE = "<script>alert(1)</script>"


def test_html_escapes_markup_and_harmful_links():
    """Raw HTML of Markdown is text, and a link that would run a script leads nowhere."""
    text = html(f"a {HOSTILE} b\n\n<img src=x onerror=alert(1)>\n\n[link](javascript:alert(1))")
    assert "<script" not in text
    assert "<img" not in text
    assert "javascript:" not in text
    assert "<details>" in html("<details><summary>Answer</summary>\n\nYes.\n\n</details>")
    assert "<details" not in html("<details ontoggle=alert(1)>x</details>")


def test_page_forbids_scripts():
    """What a cell printed as HTML may have a script; the policy of the page keeps it from running."""
    output = nbformat.v4.new_output("display_data", {"text/html": HOSTILE})
    text = page(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("", outputs=[output])]), HOSTILE)
    policy = re.search(r'<meta content="([^"]*)" http-equiv="Content-Security-Policy"', text)
    assert policy
    assert "default-src 'none'" in policy[1]
    assert "script-src" not in policy[1]
    assert text.index("Content-Security-Policy") < text.index("<body")


def test_index_escapes_file_names():
    """A notebook's file name cannot leave its attribute."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell("# A")])
    text = index({f'"><{HOSTILE}': notebook})
    assert "<script" not in text
    assert '<a href="%22%3E%3C%3Cscript%3E' in text
