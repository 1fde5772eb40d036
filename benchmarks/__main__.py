"""`python -m benchmarks`: see `--help`."""

import sys

from benchmarks.house.run import main

if __name__ == "__main__":
    sys.exit(main())
