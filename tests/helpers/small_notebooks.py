"""Two small notebooks with a figure each: enough to try reports."""

from pathlib import Path

import nbformat

DRAW = """from symshift.results.picture import single_panel
picture, ax = single_panel("{title}", "updates", "error (percent)")
line = ax.plot([90, 40, 10])
picture"""
PICTURE = """import io
import PIL.Image
from IPython.display import Image
file = io.BytesIO()
PIL.Image.new("RGB", (300, 200), "teal").save(file, "png")
Image(file.getvalue(), alt="{title}: error (percent) by updates")"""


def write(folder: Path, name: str, code: str) -> Path:
    """A notebook with a question, a formula and one cell of code."""
    text = f"# {name}\n\n**Question.** What does {name} show?"
    cells = [nbformat.v4.new_markdown_cell(text), nbformat.v4.new_markdown_cell("$$e = \\frac{1}{n} \\sum_s e_s$$")]
    notebook = nbformat.v4.new_notebook(cells=[*cells, nbformat.v4.new_code_cell(code)])
    notebook.metadata.kernelspec = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(notebook, folder / f"{name}.ipynb")
    return folder / f"{name}.ipynb"


def two_that_draw(folder: Path) -> list[Path]:
    """Two notebooks with a figure each: one as ours are, and one that is quick, as it imports little."""
    codes = {"first": DRAW, "second": PICTURE}
    return [write(folder, name, code.format(title=f"Errors of {name}")) for name, code in codes.items()]
