"""The generators of the twenty tasks; every module here is imported, which registers them in `TASKS`."""

import pkgutil
from importlib import import_module

for _module in pkgutil.iter_modules(__path__, f"{__name__}."):
    import_module(_module.name)
