"""The scoring program of a track for other platforms: runs the command lines of `track.json` on one submission.

    python3 score.py INPUT OUTPUT

INPUT has the reference data in `ref` and the submission in `res`. OUTPUT gets `scores.json` and `scores.txt` with every
score, `result.json` as `--save` writes it, and the page of `adjudge report`. A submission with errors ends it with 1.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any


def main(given: str, output: str) -> int:
    """Check, score and report."""
    track: dict[str, Any] = json.loads(Path(__file__).with_name("track.json").read_text("utf-8"))
    made = Path(output)
    made.mkdir(parents=True, exist_ok=True)
    words = {"name": "submission", "system": _submission(Path(given) / "res"), "result": str(made / "result.json")}
    words["page"] = str(made / "detailed_results.html")
    words |= {word: str(Path(given) / "ref" / path) for word, path in track["files"].items()}
    version = _run(["--version"]).stdout.split()[-1]
    if version != track["adjudge"]:
        print(
            f"this is adjudge {version}, scores are those of {track['adjudge']}: pip install the same", file=sys.stderr
        )
        return 1
    for what in ("check", "score", "report"):
        if not track[what]:
            continue
        done = _run([_filled(part, words) for part in track[what]])
        if done.returncode:
            print(done.stdout + done.stderr, file=sys.stderr)
            return 1
    _write_scores(made)
    return 0


def _filled(part: str, words: dict[str, str]) -> str:
    for word, value in words.items():
        part = part.replace(f"{{{word}}}", value)
    return part


def _submission(folder: Path) -> str:
    """The only file of a submission, else all of it."""
    found = sorted(each for each in folder.iterdir() if not each.name.startswith((".", "__MACOSX")))
    return str(found[0] if len(found) == 1 else folder)


def _run(args: list[str]) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "adjudge", *args]
    return subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603


def _write_scores(folder: Path) -> None:
    """Every score of the whole corpus by its name, the ends of its interval, and its bound if it is not proven."""
    (system,) = json.loads((folder / "result.json").read_text("utf-8"))["systems"]
    found = {}
    for score in system["scores"]:
        if not score["slice"] and score["value"] is not None:
            name = f"{score['metric']}.{score['part']}"
            found[name] = score["value"]
            found |= {f"{name}.{end}": score[end] for end in ("low", "high", "bound") if score.get(end) is not None}
    (folder / "scores.json").write_text(json.dumps(found, indent=1) + "\n", "utf-8")
    (folder / "scores.txt").write_text("".join(f"{name}: {value}\n" for name, value in found.items()), "utf-8")


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]) if len(sys.argv) == 3 else f"usage: {sys.argv[0]} INPUT OUTPUT")
