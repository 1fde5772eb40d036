"""Coreference: whole processes, start-up and reading included, beside the reference scorer (its five metrics one after
the other), coval and scorch, and on CorefUD beside the scorer of the CRAC shared tasks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from benchmarks.house.measure import Cost, adjudge, run_process, summed
from benchmarks.house.rows import Bench, Found, Row, compare
from benchmarks.house.setting import Setting
from benchmarks.parts.shared import Scored, beside_splitting, measure_growth, whole_command

METRICS = ("muc", "bcub", "ceafm", "ceafe", "blanc")
PERL, COVAL, CRAC = "the reference scorer", "coval", "the CorefUD scorer"
OURS_ROUNDS = 5
CAMPAIGN = 2.0  # times the CPU of splitting the same files


def benches(*, quick: bool) -> list[Bench]:
    full = not quick
    many = 5_000 if full else 500
    shapes: dict[str, Any] = {"documents": many, "mentions": 60, "systems": 5}
    novel = {"documents": 1, "mentions": 20_000, "per_chain": 5.0, "heavy": True}
    return [
        _tiny(),
        _test_size(),
        _novel("novel", "one document of 20,000 mentions", novel),
        _novel("novel-moved", "one document of 20,000 mentions, half of them in wrong chains", {**novel, "moved": 0.5}),
        _many(many, shapes, judged=full),
        _corefud(100 if full else 10, judged=full),
        _growth(quick=quick),
        _splitting(many, shapes, judged=full),
        _campaign(many, shapes, judged=full),
    ]


def _files(folder: Path) -> list[str]:
    return [str(folder / "key.conll"), str(folder / "response1.conll")]


def _ours(folder: Path, *options: str, first: str = "") -> list[str]:
    return adjudge("coref", "score", *_files(folder), "--quiet", "--jobs", "1", *options, first=first)


def _sides(setting: Setting, folder: Path, *peers: str, limit: float = 300) -> dict[str, Callable[[], Cost]]:
    """Ours without intervals, and those of the peers that are asked for."""
    sides: dict[str, Callable[[], Cost]] = {"ours": lambda: run_process(_ours(folder, "--bootstrap", "0"))}
    if PERL in peers:

        def reference() -> Cost:
            program = setting.program("reference scorer")
            commands = [[*program, metric, *_files(folder), "none"] for metric in METRICS]
            return summed([run_process(each, limit=limit, may_cut=True) for each in commands])

        sides[PERL] = reference
    if COVAL in peers:

        def coval() -> Cost:
            file = setting.program("coval")[-1]
            return run_process([setting.python_of("coref"), file, *_files(folder)], limit=limit)

        sides[COVAL] = coval
    return sides


def _warm(folder: Path) -> None:
    """Compiled files and the disk are warm from here on."""
    run_process(_ours(folder, "--bootstrap", "10"))


def _tiny() -> Bench:
    row = Row("perl", "one document of 200 mentions", f"times less CPU than {PERL}", 1)

    def run(setting: Setting) -> Iterator[Found]:
        folder = setting.corpus("conll", documents=1, mentions=200)
        _warm(folder)
        turns = setting.alternate(_sides(setting, folder, PERL), OURS_ROUNDS, fewer={PERL: 3})
        yield compare("perl", turns, PERL)

    return Bench("coref/tiny", (row,), run)


def _test_size() -> Bench:
    what = "348 documents, 20,000 mentions"
    rows = (
        Row("perl", what, f"times less CPU than {PERL}", 35),
        Row("coval", what, f"times less CPU than {COVAL}", 9),
        Row("coval memory", what, f"times less memory than {COVAL}"),
        Row("scorch", f"{what}, clusters without text", "times less CPU than scorch"),
        Row("bootstrap", f"{what}: 1,000 samples", "of the CPU of scoring", 0.25, at_least=False),
    )

    def run(setting: Setting) -> Iterator[Found]:
        folder = setting.corpus("conll", documents=348, mentions=58, clusters=True)
        _warm(folder)
        sides = _sides(setting, folder, PERL, COVAL)
        # What the intervals add is the difference of two commands that both have loaded numpy.
        sides["numpy loaded"] = lambda: run_process(_ours(folder, "--bootstrap", "0", first="import numpy.random"))
        sides["with intervals"] = lambda: run_process(_ours(folder, "--bootstrap", "1000"))
        clusters = ["coref", "score", folder / "key.jsonl", folder / "response1.jsonl", "--quiet", "--bootstrap", "0"]
        sides["clusters"] = lambda: run_process(adjudge(*clusters))

        def scorch() -> Cost:
            program = setting.python_of("coref").with_name("scorch")
            return run_process([program, folder / "key", folder / "response1"])

        sides["scorch"] = scorch
        turns = setting.alternate(sides, 7, fewer={PERL: 2, COVAL: 3, "scorch": 2, "clusters": 3})
        yield compare("perl", turns, PERL)
        yield compare("coval", turns, COVAL)
        yield compare("coval memory", turns, COVAL, of="megabytes")
        yield compare("scorch", turns, "scorch", "clusters")
        ours, loaded, drawn = (turns.best(side) for side in ("ours", "numpy loaded", "with intervals"))
        yield Found("bootstrap", (drawn.cpu - loaded.cpu) / ours.cpu, ours=drawn)

    return Bench("coref/test-size", rows, run)


def _novel(name: str, what: str, shape: dict[str, Any]) -> Bench:
    rows = (
        Row("cpu", what, "s of CPU, start-up included", 1.0, at_least=False),
        Row("memory", what, "MB, the whole process", 100, at_least=False),
    )

    def run(setting: Setting) -> Iterator[Found]:
        folder = setting.corpus("conll", **shape)
        _warm(folder)
        cost = setting.alternate(_sides(setting, folder), OURS_ROUNDS).best("ours")
        yield Found("cpu", cost.cpu, ours=cost)
        yield Found("memory", cost.megabytes, ours=cost)

    return Bench(f"coref/{name}", rows, run)


def _many(documents: int, shape: dict[str, Any], *, judged: bool) -> Bench:
    what = f"{documents:,} documents of 60 mentions"
    rows = (
        Row("perl", what, f"times less CPU than {PERL}", 50, judged=judged),
        Row("coval", what, f"times less CPU than {COVAL}"),
        Row("coval memory", what, f"times less memory than {COVAL}"),
    )

    def run(setting: Setting) -> Iterator[Found]:
        folder = setting.corpus("conll", **shape)
        _warm(folder)
        turns = setting.alternate(_sides(setting, folder, PERL, COVAL), 3, fewer={PERL: 1, COVAL: 1})
        yield compare("perl", turns, PERL)
        yield compare("coval", turns, COVAL)
        yield compare("coval memory", turns, COVAL, of="megabytes")

    return Bench("coref/many", rows, run)


def _corefud(documents: int, *, judged: bool) -> Bench:
    what = f"CorefUD, {documents} documents of 1,500 words, all metrics of the official scorer"
    rows = (
        Row("official", what, f"times less CPU than {CRAC}", 20, judged=judged),
        Row("clean", f"{what}; beside `--profile clean`", "times its CPU", 1.5, at_least=False, judged=judged),
    )

    def run(setting: Setting) -> Iterator[Found]:
        folder = setting.corpus("corefud", documents=documents, words=1_500, mentions=400)
        files = [str(folder / "key.conllu"), str(folder / "response1.conllu")]

        def ours(profile: str) -> Cost:
            plain = ("--quiet", "--bootstrap", "0", "--jobs", "1")
            return run_process(adjudge("coref", "score", *files, "--profile", profile, *plain))

        def official() -> Cost:
            return run_process([setting.python_of("corefud"), setting.program("corefud-scorer")[-1], *files], limit=600)

        sides = {"ours": lambda: ours("corefud"), "clean": lambda: ours("clean"), CRAC: official}
        ours("corefud")
        turns = setting.alternate(sides, 3, fewer={CRAC: 1})
        yield compare("official", turns, CRAC)
        corefud, clean = turns.best("ours"), turns.best("clean")
        yield Found("clean", corefud.cpu / clean.cpu, ours=corefud, theirs=clean)

    return Bench("coref/corefud", rows, run)


def _growth(*, quick: bool) -> Bench:
    sizes = (2_000, 5_000, 10_000) if quick else (2_000, 5_000, 10_000, 20_000, 50_000)
    what = f"one document of {sizes[0]:,} to {sizes[-1]:,} mentions"
    row = Row("mentions", what, "growth exponent of CPU, start-up apart", 1.3, at_least=False, judged=not quick)

    def run(setting: Setting) -> Iterator[Found]:
        folders = {n: setting.corpus("conll", documents=1, mentions=n, per_chain=5.0) for n in (20, *sizes)}
        commands = {n: _ours(folder, "--bootstrap", "0") for n, folder in folders.items()}
        yield measure_growth(setting, "mentions", commands, commands.pop(20))

    return Bench("coref/growth", (row,), run)


def _splitting(documents: int, shape: dict[str, Any], *, judged: bool) -> Bench:
    scored = Scored(
        f"{documents:,} documents of 60 mentions, `coref score`",
        lambda setting: setting.corpus("conll", **shape),
        lambda folder: list(map(Path, _files(folder))),
        lambda folder, _: adjudge("coref", "score", *_files(folder)),
    )
    return beside_splitting("coref", scored, 1, judged=judged)


def _campaign(documents: int, shape: dict[str, Any], *, judged: bool) -> Bench:
    names = ["key.conll", *(f"response{number}.conll" for number in range(1, shape["systems"] + 1))]

    def files(folder: Path) -> list[Path]:
        return [folder / name for name in names]

    scored = Scored(
        f"{documents:,} documents of 60 mentions, `coref score` of five systems with 1,000 samples and comparisons",
        lambda setting: setting.corpus("conll", **shape),
        files,
        lambda folder, _: adjudge("coref", "score", *files(folder), "--jobs", "1", "--quiet", "--format", "json"),
    )
    return whole_command("coref/campaign", scored, CAMPAIGN, until="printed scores", judged=judged)
