"""The networks, registered under the names that presets call them by: every module here is imported for that."""

import pkgutil
from importlib import import_module

from symshift.models.base import Memory as Memory
from symshift.models.base import Network as Network
from symshift.models.registry import NETWORKS as NETWORKS
from symshift.models.registry import register as register

for _module in pkgutil.walk_packages(__path__, f"{__name__}."):
    import_module(_module.name)
