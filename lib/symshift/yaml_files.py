"""Reading the YAML that a person wrote: a mistake is one line that names the file and the line."""

import re
from pathlib import Path
from typing import Any

import yaml

from symshift.errors import InputError
from symshift.paths import read_text

SURPRISING = re.compile(r"[-+]?(?:0[0-9_]+|.*:.*)")


class _StrictLoader(yaml.SafeLoader):
    """YAML in which no name stands twice in a mapping, no alias makes a short file a large value, and 0100 is no 64.

    1e-3 is a number in it, as in YAML 1.2; YAML 1.1, which PyYAML reads, wants a point and a sign: 1.0e-3.
    """

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            fault = "has an alias (`*name`); write out the value that it stands for"
            raise yaml.constructor.ConstructorError(None, None, fault, self.peek_event().start_mark)
        return super().compose_node(parent, index)

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen = set()
        for key in (key for key, _ in node.value if isinstance(key, yaml.ScalarNode)):
            if key.value in seen:
                raise yaml.constructor.ConstructorError(None, None, f"has {key.value!r} twice", key.start_mark)
            seen.add(key.value)
        return super().construct_mapping(node, deep)

    def construct_yaml_int(self, node: yaml.ScalarNode) -> int:
        """Refuse what YAML 1.1 reads as another number than a person does: 0100 as 64, 1:30 as 90."""
        if SURPRISING.fullmatch(node.value):
            fault = f"has {node.value}; a number without zeros before it or colons is right, or a text in quotes"
            raise yaml.constructor.ConstructorError(None, None, fault, node.start_mark)
        return super().construct_yaml_int(node)


_StrictLoader.add_constructor("tag:yaml.org,2002:int", _StrictLoader.construct_yaml_int)
_StrictLoader.add_implicit_resolver(
    "tag:yaml.org,2002:float", re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)[eE][-+]?\d+$", re.ASCII), list("-+.0123456789")
)


def parse(text: str) -> Any:
    """Return what a text holds; errors of any kind are for the caller to word."""
    return yaml.load(text, _StrictLoader)


def read(path: Path) -> Any:
    """What a file holds.

    Raises:
        InputError: It cannot be read, is not YAML, or has a name twice or an alias.
    """
    try:
        return parse(read_text(path))
    except InputError:
        raise
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 1 if mark else 1
        problem = error.problem if isinstance(error, yaml.constructor.ConstructorError) else "is not YAML"
        raise InputError(f"{path.name}, line {line}: {problem}") from None
    except Exception as error:  # numbers of 5,000 digits, dates that are none, brackets without end
        raise InputError(f"{path.name}: holds a value that is none ({type(error).__name__})") from None
