"""How Sphinx builds the site: `make docs`, or `sphinx-build docs docs/_build`. Nothing in it needs a network."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE / "_extensions"), str(HERE.parent / "lib")]

project = "symshift"
author = "the authors of symshift"
html_title = "symshift"
exclude_patterns = ["_build", "_extensions", "_static"]
templates_path: list[str] = []

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "offline_math",
    "docstrings",
    "generated_pages",
]

# Markdown; links between pages are checked, headings down to the third can be linked to
myst_enable_extensions = ["dollarmath", "amsmath", "deflist"]
myst_heading_anchors = 3

# notebooks are shown as they were committed, which `make test` checks
nb_execution_mode = "off"
nb_ipywidgets_js: dict[str, dict[str, str]] = {}  # these would be fetched from the network
nb_merge_streams = True
nb_render_markdown_format = "myst"  # CommonMark, the default, has no tables

# docstrings: Google style, `x` is code
default_role = "code"
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
napoleon_numpy_docstring = False
napoleon_use_ivar = True
napoleon_use_rtype = False
napoleon_attr_annotations = False  # they are shown beside the fields, and `*model` is no markup
python_use_unqualified_type_names = True
python_display_short_literal_types = True
add_module_names = False
toc_object_entries = False
nitpick_ignore_regex = [("py:.*", ".*")]  # types of other libraries, whose pages are not here
suppress_warnings = ["mystnb.unknown_mime_type"]

html_theme = "furo"
pygments_dark_style = "monokai"
html_theme_options = {"navigation_with_keys": True}
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sphinx = False
html_show_copyright = False
html_copy_source = False
html_show_sourcelink = False
