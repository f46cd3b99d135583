"""Reading a YAML file that a person wrote: a mistake is one line that names the file and the line."""

from pathlib import Path
from typing import Any

import yaml

from symshift.errors import InputError


class _Once(yaml.SafeLoader):
    """YAML in which no name stands twice in a mapping."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen = set()
        for key in (key for key, _ in node.value if isinstance(key, yaml.ScalarNode)):
            if key.value in seen:
                raise yaml.constructor.ConstructorError(None, None, f"has {key.value!r} twice", key.start_mark)
            seen.add(key.value)
        return super().construct_mapping(node, deep)


def read(path: Path) -> Any:
    """What a file holds."""
    try:
        return yaml.load(path.read_text("utf-8"), _Once)
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None
    except UnicodeDecodeError:
        raise InputError(f"{path.name}: is not UTF-8; save the file as UTF-8 text") from None
    except yaml.YAMLError as error:
        mark, twice = getattr(error, "problem_mark", None), isinstance(error, yaml.constructor.ConstructorError)
        raise InputError(
            f"{path.name}, line {mark.line + 1 if mark else 1}: {error.problem if twice else 'is not YAML'}"
        ) from None
