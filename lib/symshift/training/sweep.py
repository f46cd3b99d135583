"""`python -m symshift.training.sweep`, the name that `symshift sweep` had."""

import sys
from importlib import import_module

if __name__ == "__main__":
    sys.exit(import_module("symshift.sweeps.run").main())  # by name, for sweeps stand above training
