"""Executed notebooks as pages that any browser reads without a network, and an index of them.

nbconvert's own pages fetch MathJax, require.js and the widgets' scripts from the network, and drop the description of a
figure. Here TeX becomes MathML, a figure keeps its description, code is folded away, and where a control would stand
the page says so. A page runs no script: its content security policy forbids all, raw HTML of Markdown but for folds
is escaped, and links lead to files and the web alone.
"""

import re
from collections.abc import Mapping
from html import escape
from urllib.parse import quote

from jinja2 import pass_context
from jinja2.runtime import Context
from latex2mathml.converter import convert
from nbconvert import HTMLExporter
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from nbformat import NotebookNode

SPELLED = {"{aligned}": "{align*}", r"\arg": r"\operatorname{arg}"}  # TeX that latex2mathml knows by another name
PLAIN_TAG = re.compile("&lt;(/?(?:details|summary|br|sub|sup)) ?/?&gt;")  # as written by a notebook's author
PAGE = """{% extends 'lab/index.html.j2' %}
{% block html_head_js %}{% endblock %}
{% block html_head_js_mathjax %}{% endblock %}
{% block html_head_js_mermaidjs %}{% endblock %}
{% block jupyter_widgets %}{% endblock %}
{% block html_head_css %}<meta http-equiv="Content-Security-Policy"
 content="default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
<style>
main {max-width: 1000px; margin: 0 auto; padding: 0 1em 3em}
summary {cursor: pointer; color: #555; font-size: 12px; padding: 2px 5px}
math {font: 1.1em "STIX Two Math", "Cambria Math", "Latin Modern Math", "DejaVu Math TeX Gyre", math}
</style>{% endblock %}
{% block input_group %}<details><summary>code</summary>{{ super() }}</details>{% endblock %}
{% block data_png %}<div class="jp-RenderedImage jp-OutputArea-output"><img
 src="data:image/png;base64,{{ output.data['image/png'] | escape_html }}"
 alt="{{ output | get_metadata('alt', 'image/png') | escape_html }}"></div>{% endblock %}
{% block data_widget_view %}<div class="jp-OutputArea-output"><em>The controls stand here when the notebook runs in
JupyterLab.</em></div>{% endblock %}
{% block footer %}</html>{% endblock %}
"""
INDEX = """<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>symshift: reports</title>
<style>
body {{font: 16px/1.5 system-ui, sans-serif; color: #222; max-width: 1200px; margin: 0 auto; padding: 1em}}
main {{display: grid; grid-template-columns: repeat(auto-fill, minmax(340px, 1fr)); gap: 1.2em}}
article {{border: 1px solid #ccc; border-radius: 6px; padding: 1em}}
img {{width: 100%; height: 240px; object-fit: cover; object-position: left top}}
h1 {{margin: 0}} h2 {{font-size: 1.1em; margin: 0 0 .5em}} p {{margin: .5em 0}}
</style></head>
<body><h1>symshift: reports</h1>
<p>Reading a short story and answering a question about it: what each notebook asks, and its first figure.</p>
<main>
{cards}
</main></body></html>
"""
CARD = '<article>{picture}\n<h2><a href="{name}.html">{title}</a></h2>\n{question}</article>'


class OfflineRenderer(IPythonRenderer):
    """Markdown as HTML, with TeX as MathML and links to notebooks as links to their pages."""

    def inline_math(self, body: str) -> str:
        """Render a formula within a line."""
        return _mathml(body, "inline")

    def block_math(self, body: str) -> str:
        """Render a formula on a line of its own."""
        return _mathml(body, "block")

    def link(self, text: str, url: str, title: str | None = None) -> str:
        """Render a link; one to a notebook leads to its page."""
        return super().link(text, re.sub(r"\.ipynb$", ".html", url), title)

    def inline_html(self, html: str) -> str:
        """Render HTML within a line: plain tags stay, all else is text."""
        return PLAIN_TAG.sub(r"<\1>", escape(html))

    def block_html(self, html: str) -> str:
        """Render HTML on lines of its own: plain tags stay, all else is text."""
        return self.inline_html(html) + "\n"


class OfflineExporter(HTMLExporter):
    """nbconvert's HTML without anything from the network."""

    raw_template = PAGE
    exclude_input_prompt = True
    exclude_output_prompt = True

    @pass_context
    def markdown2html(self, context: Context, source: str) -> str:  # noqa: ARG002
        """Convert Markdown for nbconvert's template, which passes its context first."""
        return html(source)


def html(markdown: str) -> str:
    """Convert Markdown with TeX to HTML with MathML; HTML and links that could run a script are made harmless."""
    return MarkdownWithMath(
        OfflineRenderer(escape=True, allow_harmful_protocols=False, exclude_anchor_links=True)
    ).render(markdown)


def page(notebook: NotebookNode, title: str) -> str:
    """Return an executed notebook as one HTML page that needs no other file and runs no script."""
    return OfflineExporter().from_notebook_node(notebook, {"metadata": {"name": title}})[0]


def index(notebooks: Mapping[str, NotebookNode]) -> str:
    """Return an HTML page with a card for each executed notebook: its title, first figure and question, and a link.

    Args:
        notebooks: Executed notebooks by name; the page of each is NAME.html beside the index.
    """
    return INDEX.format(cards="\n".join(_card(name, notebook) for name, notebook in notebooks.items()))


def _mathml(tex: str, display: str) -> str:
    for tex_name, known_name in SPELLED.items():
        tex = tex.replace(tex_name, known_name)
    return convert(tex, display=display)


def _card(name: str, notebook: NotebookNode) -> str:
    title, _, question = notebook.cells[0].source.partition("\n\n")
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    figures = [output for output in outputs if "image/png" in output.get("data", {})]
    return CARD.format(
        name=escape(quote(name)),
        title=escape(title.removeprefix("# ")),
        picture=_picture(figures[0]) if figures else "",
        question=html(question.removeprefix("**Question.** ")),
    )


def _picture(output: NotebookNode) -> str:
    alt = escape(output.metadata.get("image/png", {}).get("alt", ""))
    return f'<img src="data:image/png;base64,{escape(output.data["image/png"])}" alt="{alt}">'
