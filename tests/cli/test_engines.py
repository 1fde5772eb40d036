"""`--jobs` and `--cluster`: the same bytes wherever the work is done."""

import subprocess
import sys
from pathlib import Path

import pytest

from dask_here import dask_here, needs_dask

KEY = """#begin document (d{n}); part 000
d{n} 0 0 a (0
d{n} 0 1 b 0)
d{n} 0 2 c (1)
d{n} 0 3 d (1)

#end document
"""
TBF = """#BeginOfDocument d{n}
{who}\td{n}\tE1\t{n},{n}4\tword\tLife_Die\tActual
{who}\td{n}\tE2\t2{n},3{n}\tword\tLife_Injure\t{realis}
@Coreference\tC1\tE1,E2
#EndOfDocument
"""


def run(folder: Path, *arguments: str) -> str:
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(folder)}
    program = folder / "program.py"
    program.write_text("from adjudge.cli import main\nif __name__ == '__main__':\n    main()\n")
    done = subprocess.run(
        [sys.executable, str(program), *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=100,
        env=environment,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def commands(folder: Path) -> dict[str, list[str]]:
    (folder / "key.conll").write_text("".join(KEY.format(n=n) for n in range(6)))
    text = (folder / "key.conll").read_text()
    (folder / "a.conll").write_text(text.replace("c (1)", "c -"))
    (folder / "b.conll").write_text(text.replace("a (0", "a (1)").replace("b 0)", "b (0)"))
    (folder / "gold.tbf").write_text("".join(TBF.format(n=n, who="gold", realis="Actual") for n in range(5)))
    for name, realis in (("a", "Generic"), ("b", "Actual")):
        (folder / f"{name}.tbf").write_text("".join(TBF.format(n=n, who=name, realis=realis) for n in range(4)))
    return {
        "score": ["score", "relation.strict", "gold.jsonl", "good.jsonl", "poor.jsonl", "--by", "genre"],
        "family": ["relation", "score", "gold.jsonl", "good.jsonl"],
        "coref": ["coref", "score", "key.conll", "a.conll", "b.conll"],
        "nugget": ["nugget", "score", "-g", "gold.tbf", "-s", "a.tbf", "-s", "b.tbf"],
    }


@needs_dask
@pytest.mark.parametrize("name", ["score", "coref", "nugget"])
def test_a_cluster_gives_the_same_bytes(campaign, name):
    command = [*commands(campaign)[name], "--bootstrap", "20", "--format", "json"]
    expected = run(campaign, *command, "--jobs", "1")
    assert run(campaign, *command, "--cluster", "local", "--jobs", "2") == expected


@needs_dask
def test_a_cluster_that_is_there_already(campaign, tmp_path):
    """A scheduler and a worker of their own, on this machine: by address and by scheduler file."""
    command = [*commands(campaign)["score"], "--bootstrap", "20", "--format", "json"]
    with dask_here(tmp_path) as file:
        assert run(campaign, *command, "--cluster", str(file)) == run(campaign, *command, "--jobs", "1")


def test_a_cluster_without_dask_or_nowhere(adjudge, campaign):
    ran = adjudge("score", "relation.strict", "gold.jsonl", "good.jsonl", "--cluster", "nowhere")
    assert ran.code == 2
    assert "Dask" in ran.err or "is not a cluster" in ran.err
