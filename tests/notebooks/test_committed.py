"""What every committed notebook keeps to; nbval runs them, these tests read them."""

import ast
import re
from pathlib import Path

import nbformat
import pytest

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
SCALES = sorted((ROOT / "params" / "notebooks").glob("*.yaml"))
BANNED = re.compile(r"sys\.path|^\s*[%!]|import \*|filterwarnings|\bos\.chdir\b", re.MULTILINE)
WORD = re.compile(r"[A-Za-z]{2,}")


@pytest.fixture(params=NOTEBOOKS, ids=lambda path: path.stem)
def notebook(request) -> nbformat.NotebookNode:
    """Each committed notebook, checked against the notebook format."""
    read = nbformat.read(request.param, as_version=4)
    nbformat.validate(read)
    return read


def code(notebook: nbformat.NotebookNode) -> list[nbformat.NotebookNode]:
    """Its code cells that hold something."""
    return [cell for cell in notebook.cells if cell.cell_type == "code" and cell.source.strip()]


def test_every_cell_was_run_in_order_and_without_error(notebook):
    assert [cell.execution_count for cell in code(notebook)] == list(range(1, len(code(notebook)) + 1))
    outputs = [output for cell in code(notebook) for output in cell.outputs]
    assert [output for output in outputs if output.output_type == "error" or output.get("name") == "stderr"] == []


def test_the_kernel_is_python3(notebook):
    assert notebook.metadata.kernelspec.name == "python3"


def test_it_ends_with_what_was_learnt_and_two_exercises(notebook):
    text = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    headings = re.findall(r"^## (.*)$", text, re.MULTILINE)
    end = headings[headings.index("What was learnt") :]
    assert end in (["What was learnt", "Exercises"], ["What was learnt", "Exercises", "References"])
    exercises = text.partition("## Exercises")[2].partition("## References")[0]
    assert re.findall(r"^\*\*(\d)\.\*\*", exercises, re.MULTILINE) == ["1", "2"]
    assert exercises.count("<details><summary>Answer</summary>\n\n") == exercises.count("\n</details>") == 2


def test_one_typed_parameters_cell_of_literals(notebook):
    (cell,) = [cell for cell in code(notebook) if "parameters" in cell.metadata.get("tags", [])]
    lines = ast.parse(cell.source).body
    assert all(isinstance(line, ast.AnnAssign) for line in lines)
    assert [ast.literal_eval(line.value) for line in lines]
    assert all("#" in line for line in cell.source.splitlines()), "a parameter without its explanation"


def test_cells_are_short_and_hold_no_machinery(notebook):
    for cell in code(notebook):
        assert BANNED.search(cell.source) is None, cell.source
        tags = cell.metadata.get("tags", [])
        longest = {"parameters": 60, "network": 30}.get(tags[0] if tags else "", 15)
        assert len(cell.source.splitlines()) <= longest, cell.source
        if "network" in tags:
            (node,) = ast.parse(cell.source).body
            assert isinstance(node, ast.ClassDef), "a cell of a network's class holds it alone"
            continue
        for node in ast.walk(ast.parse(cell.source)):
            assert not isinstance(node, ast.ClassDef), cell.source
            assert not isinstance(node, ast.FunctionDef) or node.end_lineno - node.lineno < 10, cell.source


def test_prose_outweighs_code(notebook):
    prose = sum(len(WORD.findall(cell.source)) for cell in notebook.cells if cell.cell_type == "markdown")
    assert prose >= 5 * sum(len(cell.source.splitlines()) for cell in code(notebook))


def test_figures_are_not_compared_and_carry_alternative_text(notebook):
    for cell in code(notebook):
        for output in cell.outputs:
            if "image/png" in output.get("data", {}):
                assert "nbval-ignore-output" in cell.metadata.get("tags", []), cell.source
                assert len(WORD.findall(output.metadata["image/png"]["alt"])) >= 4, cell.source


@pytest.mark.parametrize("scale", SCALES, ids=lambda path: path.stem)
def test_it_tells_of_its_larger_scale(scale: Path) -> None:
    notebook = nbformat.read(ROOT / "notebooks" / f"{scale.stem}.ipynb", 4)
    text = " ".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    assert f"-f {scale.relative_to(ROOT)}" in text
