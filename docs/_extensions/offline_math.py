"""TeX as MathML, which browsers draw: Sphinx's own renderers fetch MathJax from the network or need LaTeX."""

from typing import Any

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx

# TeX that latex2mathml knows by another name
OTHER_NAMES = {"{aligned}": "{align*}", r"\arg": r"\operatorname{arg}"}


def setup(app: Sphinx) -> dict[str, Any]:
    """Add the renderer `mathml` and choose it."""
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    app.config.html_math_renderer = "mathml"
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def mathml(tex: str, display: str) -> str:
    """Return an element `math`.

    Args:
        tex: The formula, without dollars.
        display: `inline` or `block`.
    """
    for name, other in OTHER_NAMES.items():
        tex = tex.replace(name, other)
    return convert(tex, display=display)


def _inline(translator: Any, node: nodes.Node) -> None:
    translator.body.append(mathml(node.astext(), "inline"))
    raise nodes.SkipNode


def _block(translator: Any, node: nodes.Node) -> None:
    translator.body.append(f'<div class="math">{mathml(node.astext(), "block")}</div>\n')
    raise nodes.SkipNode
