"""The benchmark house is beside the tests in the project, and not in a source archive."""

import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]

if (ROOT / "benchmarks" / "__init__.py").exists():
    sys.path.append(str(ROOT))
else:
    collect_ignore_glob = ["test_*.py"]
