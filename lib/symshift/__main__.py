"""`python -m symshift`: the command line, `symshift.cli`."""

import sys

from symshift.cli import main

if __name__ == "__main__":
    sys.exit(main())
