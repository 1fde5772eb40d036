"""`python -m benchmarks.corpora MODULE FOLDER SHAPE`: write one corpus; SHAPE is a JSON object."""

import json
import sys
from importlib import import_module
from pathlib import Path

if __name__ == "__main__":
    module, folder, shape = sys.argv[1:]
    import_module(f"benchmarks.corpora.{module}").write(Path(folder), **json.loads(shape))
