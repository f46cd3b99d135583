"""Files import from their own floor's folder or from floors below, as in CONTRIBUTING.md."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

LIB = Path(__file__).parents[1] / "lib" / "symshift"
MODULES = {file.relative_to(LIB).with_suffix("").as_posix(): file for file in sorted(LIB.rglob("*.py"))}
FLOORS = [
    {"errors", "paths", "cpu", "constraints", "command_line", "own_files", "garbage_collection"},
    {"ops", "data"},
    {"models"},
    {"config", "preset_files", "yaml_files"},
    {"runs"},
    {"training"},
    {"sweeps"},
    {"results"},
    {"playground", "reports"},
    {"notebook", "__init__"},
    {"cli"},
    {"__main__"},
]
SINGLE_FILES = (FLOORS[0], FLOORS[3], FLOORS[9])  # floors of files, which may import each other
FLOOR = {room: number for number, rooms in enumerate(FLOORS) for room in rooms}
# what a machine with a GPU and no notebooks has
CORE = {"torch", "numpy", "pandas", "yaml", "safetensors", "tqdm", "jaxtyping", "symshift"}
INSIDE_OPERATORS = {name for name in MODULES if name.startswith("ops/") and name.count("/") == 2}


def room(module: str) -> str:
    """Return the folder (or file) of lib/symshift that a module lies in."""
    return module.partition("/")[0]


def imports(module: str, everywhere: bool = True) -> Iterator[tuple[str, str]]:
    """Yield the modules that a module imports, with the name taken from each; `everywhere`: inside functions too."""
    tree = ast.parse(MODULES[module].read_text())
    for node in ast.walk(tree) if everywhere else tree.body:
        if isinstance(node, ast.Import):
            yield from ((alias.name.replace(".", "/"), "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from ((node.module.replace(".", "/"), alias.name) for alias in node.names)


def own_imports(module: str) -> Iterator[str]:
    """Yield the modules of symshift that a module imports."""
    for source, name in imports(module):
        if source == "symshift":
            yield name if name in FLOOR else "__init__"
        elif source.startswith("symshift/"):
            inside = source.removeprefix("symshift/")
            yield f"{inside}/{name}" if f"{inside}/{name}" in MODULES else inside


def test_every_module_has_a_floor():
    assert {room(module) for module in MODULES} == FLOOR.keys()


def test_modules_import_nothing_from_above():
    upward = [
        f"{module} imports {name}"
        for module in MODULES
        for name in own_imports(module)
        if room(name) != room(module) and not _may_import(FLOOR[room(module)], FLOOR[room(name)])
    ]
    assert not upward, "\n".join(upward)


def _may_import(floor: int, other: int) -> bool:
    return other < floor or (other == floor and FLOORS[floor] in SINGLE_FILES)


def test_models_import_public_names_of_operators():
    inner = {name for name in INSIDE_OPERATORS if not name.endswith("/__init__")}
    assert len(inner) > 20
    for module in MODULES:
        if room(module) != "models":
            continue
        assert [name for name in own_imports(module) if name in inner] == [], module
        names = [name for source, name in imports(module) if source.startswith("symshift/ops")]
        assert [name for name in names if name.startswith("_")] == [], module


def test_only_kernels_import_numba():
    users = {module for module in MODULES if "numba" in {room(source) for source, _ in imports(module)}}
    assert {module for module in users if not module.endswith("numba")} == {"ops/backend"}
    assert {room(module) for module in users} == {"ops"}


def test_training_core_needs_few_packages():
    core = [module for module in MODULES if FLOOR[room(module)] <= FLOOR["sweeps"] and not module.endswith("numba")]
    for module in core:
        packages = {room(source) for source, _ in imports(module, everywhere=False)}
        assert packages <= CORE | sys.stdlib_module_names, module
