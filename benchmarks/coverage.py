"""How often intervals of knowledge-base scores hold, and how often tests raise false alarms: a simulation, not a cost.

python -m benchmarks.coverage [--replicates 200] [--documents 100]

`make test-slow` checks the same shares against limits.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path


def main() -> None:
    """Simulate and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--replicates", type=int, default=200, help="corpora")
    parser.add_argument("--documents", type=int, default=100, help="documents of one corpus")
    given = parser.parse_args()
    sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
    import kbp_simulation

    found = kbp_simulation.simulate(given.documents, given.replicates)
    for hop in kbp_simulation.HOPS:
        shares = {"mean F1": found.truth[hop]}
        shares |= {f"coverage of 90 %, {method}": found.coverage[method, hop] for method in kbp_simulation.METHODS}
        shares["coverage of 95 %, jackknife (the default)"] = found.coverage["default", hop]
        shares["score inside its percentile interval"] = found.inside[hop]
        shares |= {f"false alarms at 5 %, {test}": found.alarms[test, hop] for test in kbp_simulation.TESTS}
        for what, share in shares.items():
            print(f"hop {hop}: {what:<50}{100 * share:8.1f} %")


if __name__ == "__main__":
    main()
