"""Pages that are made from other files before a build, so that they cannot differ from what they describe.

These are the notebooks, as tutorials; the README of each operator and of the presets; what `--help` prints; and the
docstrings, a page for each room. They are written into the source folder, where git ignores them, and only where they
changed, so that a second build is quick.
"""

import contextlib
import io
import json
import pkgutil
import re
from importlib import import_module
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

ROOT = Path(__file__).parents[2]
LIB = ROOT / "lib" / "symshift"
EXPORTS = ("ops", "data")  # rooms of which the public names alone are shown
MODULES = ("models", "runs", "training", "sweeps", "results")
GROUND = ("config", "preset_files", "notebook", "errors")
TREE = "```{{toctree}}\n:glob:\n\n{}\n```\n"
API = "# Docstrings\n\nA page for each room of `lib/symshift/`. Shapes name their axes: `batch sentence dim`.\n\n"
OPERATORS = (
    "# Operators\n\nThe numerical heart of each model family, each with a naive form that specifies it and fast forms "
    "for CPU and GPU. `symshift.ops.backend.use_backend` chooses one by hand.\n\n"
)
COMMANDS = (
    "# Command line\n\n`symshift COMMAND`, or `python -m symshift COMMAND`. A mistake is one line, and the exit "
    "code is then 2.\n\n```text\n{}```\n"
)


def setup(app: Sphinx) -> dict[str, Any]:
    """Write the pages."""
    docs = Path(app.srcdir)
    notebooks = sorted((ROOT / "notebooks").glob("*.ipynb"))
    _write(docs / "tutorials", "*.ipynb", {path.name: tutorial(path) for path in notebooks})
    operators = {f"{path.parent.name}.md": path.read_text() for path in sorted((LIB / "ops").glob("*/README.md"))}
    _write(docs / "explanation" / "operators", "*.md", operators | {"index.md": OPERATORS + TREE.format("[!i]*")})
    presets = re.sub(r"\]\((?=[\w/+-]+\.yaml\))", "](../../params/", (ROOT / "params" / "README.md").read_text())
    _write(docs / "reference", "presets.md", {"presets.md": presets})
    _write(docs / "reference", "command-line.md", {"command-line.md": command_line()})
    _write(docs / "reference" / "api", "*.md", api_pages())
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def tutorial(path: Path) -> str:
    """Return an executed notebook for the folder `tutorials`: figures keep their descriptions, links their targets."""
    content = json.loads(path.read_text())
    for cell in content["cells"]:
        if cell["cell_type"] == "markdown":
            cell["source"] = "".join(cell["source"]).replace("](../", "](../../")
        for output in cell.get("outputs", []):
            for metadata in output.get("metadata", {}).values():
                if isinstance(metadata, dict) and "alt" in metadata:
                    cell["metadata"]["mystnb"] = {"image": {"alt": metadata["alt"]}}
    return json.dumps(content)


def command_line() -> str:
    """Return a page with the help of every command."""
    cli = import_module("symshift.cli")
    sections = [f"## {name}\n\n```text\n{_printed(cli.main, [name, '--help'])}```\n" for name in cli.COMMANDS]
    return "\n".join([COMMANDS.format(_printed(cli.main, ["--help"])), *sections])


def api_pages() -> dict[str, str]:
    """Return a page for each room with its docstrings, and their index."""
    pages = {f"{room}.md": _api_page(f"symshift.{room}", [f"symshift.{room}"]) for room in EXPORTS}
    pages |= {f"{room}.md": _api_page(f"symshift.{room}", _modules(room)) for room in MODULES}
    pages["ground.md"] = _api_page("The ground floor", [f"symshift.{name}" for name in GROUND])
    return pages | {"index.md": API + TREE.format("[!i]*")}


def _modules(room: str) -> list[str]:
    """Return the modules of a room that have a docstring and no other commands."""
    found = pkgutil.walk_packages([str(LIB / room)], f"symshift.{room}.")
    return [module.name for module in found if not module.ispkg and "._" not in module.name]


def _api_page(title: str, names: list[str]) -> str:
    lines = [f"# {title}\n"]
    for name in names:
        lines += [f"## {name}\n"] * (name != title)
        lines += [f"```{{eval-rst}}\n.. automodule:: {name}\n   :members:\n```\n"]
    return "\n".join(lines)


def _printed(main: Any, arguments: list[str]) -> str:
    output = io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.suppress(SystemExit):
        main(arguments)
    return output.getvalue()


def _write(folder: Path, pattern: str, pages: dict[str, str]) -> None:
    """Write pages that changed, and remove those of the pattern that are no longer among them."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in folder.glob(pattern):
        if path.name not in pages:
            path.unlink()
    for name, text in pages.items():
        path = folder / name
        if not path.exists() or path.read_text() != text:
            path.write_text(text)
