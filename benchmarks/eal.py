"""What event arguments and linking cost: reading against everything that comes after it.

    python benchmarks/eal.py [--part all|scores|submission] [--shape 10x500x400] [--submission 500x400]
                             [--resamples 1000] [--keep FOLDER] [--json FILE]

`submission` runs `adjudge eal validate` and `adjudge eal trim` on one submission of documents x responses with its
source texts, three times each in a process of its own, and takes the run with the least CPU time. `reading` is to list,
open, decode and parse the files of the submission (and, to validate, the source documents), `share` its part of the CPU
time of the whole process, the start of Python included; the clocks are inside that run. The submission has nothing
wrong, and about a tenth of its responses are redundant.

`scores`: a campaign of systems x documents x responses is made from a seed: about 60 % of the responses
of a system are found by others too, 45 % are good, 15 % share their class with another response, frames have about
three members, and all responses are in the key. `after` is the rules, the counts, intervals, paired tests, the ranking
with its win fractions, a 21 x 21 grid of beta and lambda, and the exact crossings of all pairs of systems.
"""

from __future__ import annotations

import argparse
import gc
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from adjudge.formats.eal_assessments import write_key
from adjudge.formats.eal_ids import sha1_id
from adjudge.formats.eal_store import open_frames, open_key, open_store
from adjudge.model.eal import AnswerKey, Assessment, Cas, Realis, Response, Span
from adjudge.tasks.eal.document import compare, prepare
from adjudge.tasks.eal.facts import Facts
from adjudge.tasks.eal.ranking import rank_systems
from adjudge.tasks.eal.scoring import Campaign, Counted, result_of
from adjudge.tasks.eal.sensitivity import all_crossings, beta_lambda_grid, counts_of
from adjudge.tasks.eal.settings import Settings

TYPES = [f"{kind}.{name}" for kind in ("Conflict", "Life", "Justice", "Contact", "Movement") for name in "ABCDE"]
ROLES = ("Agent", "Person", "Place", "Time", "Instrument")
REALIS: tuple[Realis, ...] = ("Actual", "Actual", "Actual", "Other", "Generic")
RIGHT = Assessment("C", "C", "I", "C", "Actual", "NAME")
RUNS = 3
_SEED = 13


def make_campaign(folder: Path, systems: int, documents: int, responses: int) -> None:
    """Write a key, reference frames and submissions."""
    rng = random.Random(_SEED)
    for name in ("key", "ref", *(f"systems/s{n}/{kind}" for n in range(systems) for kind in ("arguments", "linking"))):
        (folder / name).mkdir(parents=True)
    for number in range(documents):
        _document(folder, f"DOC{number:05d}", systems, responses, rng)


def _document(folder: Path, name: str, systems: int, responses: int, rng: random.Random) -> None:
    shared = [_response(name, rng) for _ in range(responses)]
    own: list[list[Response]] = []
    for _ in range(systems):
        mine = rng.sample(shared, int(responses * 0.6))
        while len(mine) < responses:
            if rng.random() < 0.375:  # another justification of the same
                again = rng.choice(mine)
                mine.append(again._replace(justifications=(Span(at := rng.randrange(9000), at + 90),)))
            else:
                mine.append(_response(name, rng))
        own.append(list(dict.fromkeys(mine)))
    pool = dict.fromkeys(response for mine in own for response in mine)
    coref = {response.cas: int(response.cas.text[1:].split()[0]) for response in pool}
    assessed = {
        response: RIGHT._replace(realis=response.realis) if rng.random() < 0.45 else Assessment("W")
        for response in pool
    }
    (folder / "key" / name).write_bytes(write_key(AnswerKey(name, assessed, (), coref)))
    ids = {response: sha1_id(response) for response in pool}
    good = [r for r, each in assessed.items() if each.event_type == "C" and r.realis != "Generic"]
    (folder / "ref" / name).write_text(_frames(good, ids, rng) + "INCOMPLETE\t\n")
    for number, mine in enumerate(own):
        lines = [_line(response, ids[response], rng) for response in mine]
        (folder / f"systems/s{number}/arguments" / name).write_text("".join(lines))
        linked = [response for response in mine if response.realis != "Generic"]
        (folder / f"systems/s{number}/linking" / name).write_text(_frames(linked, ids, rng))


def _response(document: str, rng: random.Random) -> Response:
    entity, mention = rng.randrange(60), rng.randrange(3)
    role = rng.choice(ROLES)
    text = f"e{entity} {mention}" if role != "Time" else f"e{entity} 2003-0{1 + mention}-XX"
    at, because = Span(entity * 30 + mention * 9, entity * 30 + mention * 9 + 7), rng.randrange(90) * 100
    cas = Cas(text, at)
    return Response(document, rng.choice(TYPES), role, cas, at, (Span(because, because + 99),), (), rng.choice(REALIS))


def _frames(responses: list[Response], ids: dict[Response, str], rng: random.Random) -> str:
    order = rng.sample(responses, len(responses))
    lines = []
    while order:
        size = rng.randrange(1, 6)
        lines.append("\t".join(ids[response] for response in order[:size]) + "\n")
        order = order[size:]
    return "".join(lines)


def _line(response: Response, id_: str, rng: random.Random) -> str:
    document, type_, role, cas, filler, because, more, realis = response
    at, span, base = _spans((cas.span,)), _spans(because), _spans((filler,))
    fields = (id_, document, type_, role, cas.text, at, span, base, _spans(more), realis, f"{rng.random():.3f}")
    return "\t".join(fields) + "\n"


def _spans(spans: Iterable[Span]) -> str:
    return ",".join(f"{span.start}-{span.end}" for span in spans) or "NIL"


def measure(folder: Path, resamples: int) -> dict[str, float]:
    """Seconds of reading, of comparing, and of everything else."""
    settings = Settings()
    gc.disable()
    keys, frames = open_key(folder / "key"), open_frames(folder / "ref")
    stores = {path.name: open_store(path) for path in sorted((folder / "systems").iterdir())}
    spent = {"read key": 0.0, "read systems": 0.0, "prepare": 0.0, "compare": 0.0}
    counted = {name: Counted(store.path, "", [], Facts(), {}) for name, store in stores.items()}
    gold = Facts()
    lines = 0
    for document in keys.documents:
        start = time.perf_counter()
        key = keys.key(document)
        linking = frames.linking(key)
        now = time.perf_counter()
        spent["read key"] += now - start
        start = now
        prepared = prepare(key, linking, settings)
        gold.see_gold(prepared.gold, prepared.reference)
        now = time.perf_counter()
        spent["prepare"] += now - start
        for name, store in stores.items():
            start = time.perf_counter()
            arguments, own = store.arguments(document), store.linking(document)
            now = time.perf_counter()
            spent["read systems"] += now - start
            start = now
            compared = compare(arguments, own, prepared, settings)
            counted[name].rows.append(compared.row)
            counted[name].facts.see(compared, settings, len(arguments.arguments), document)
            spent["compare"] += time.perf_counter() - start
            lines += len(arguments.arguments)
    campaign = Campaign(settings, keys.documents, len(keys), "", gold, counted, {})
    start = time.perf_counter()
    import numpy  # noqa: F401  # what it takes to load is part of what comes after

    spent["load numpy"] = time.perf_counter() - start
    start = time.perf_counter()
    result = result_of(campaign, bootstrap=resamples)
    spent["result"] = time.perf_counter() - start
    start = time.perf_counter()
    tables = campaign.tables()
    rank_systems(tables, list(result.measures), resamples=resamples)
    spent["ranking"] = time.perf_counter() - start
    start = time.perf_counter()
    rows = {name: counts_of(table) for name, table in tables.items()}
    beta_lambda_grid(rows)
    all_crossings(rows)
    spent["grid and crossings"] = time.perf_counter() - start
    gc.enable()
    reading = spent["read key"] + spent["read systems"]
    after = sum(spent.values()) - reading
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {
        "responses": lines,
        **spent,
        "reading": reading,
        "after": after,
        "after/reading": after / reading,
        "MB": memory,
    }


def make_submission(folder: Path, documents: int, responses: int) -> None:
    """Write source texts and a submission that fits them."""
    from adjudge.tasks.eal.ontology import load_ontology

    rng = random.Random(_SEED)
    roles = {type_: sorted(roles) for type_, roles in load_ontology("2015").types.items()}
    for name in ("docs", "run/arguments", "run/linking"):
        (folder / name).mkdir(parents=True)
    for number in range(documents):
        name = f"DOC{number:05d}"
        words = ["".join(rng.choices("abcdefghij", k=rng.randrange(3, 10))) for _ in range(1300)]
        (folder / "docs" / name).write_text(" ".join(words) + "\n")
        made = _fitting(name, words, roles, responses, rng)
        ids = {response: sha1_id(response) for response in made}
        (folder / "run/arguments" / name).write_text("".join(_line(each, ids[each], rng) for each in made))
        frames: dict[tuple[str, int], list[str]] = {}
        for response in made:
            if response.realis != "Generic":
                frames.setdefault((response.type, rng.randrange(8)), []).append(ids[response])
        (folder / "run/linking" / name).write_text("".join("\t".join(frame) + "\n" for frame in frames.values()))


def _fitting(
    document: str, words: list[str], roles: dict[str, list[str]], count: int, rng: random.Random
) -> list[Response]:
    starts = [0]
    for word in words:
        starts.append(starts[-1] + len(word) + 1)
    places = [(word, Span(at, at + len(word) - 1)) for word, at in zip(words, starts, strict=False)]
    entities = rng.sample(places[10:-10], 60)
    types = rng.sample(sorted(roles), 8)
    found: dict[Response, None] = {}
    while len(found) < count:
        text, at = rng.choice(entities)
        type_ = rng.choice(types)
        role = rng.choice(roles[type_])
        filler = at if rng.random() < 0.7 else rng.choice(entities)[1]
        because = [Span(filler.start - rng.randrange(20), filler.end + rng.randrange(20))]
        if rng.random() < 0.2 and because[0].start > 200:
            because.insert(0, Span(begin := rng.randrange(100), begin + 50))
        more = (Span(min(at, filler).start, max(at, filler).end),) if filler != at and rng.random() < 0.5 else ()
        cas = Cas(text if role != "Time" else f"2003-0{rng.randrange(1, 10)}-XX", at)
        response = Response(document, type_, role, cas, filler, tuple(because), more, rng.choice(REALIS))
        found[response] = None
        if rng.random() < 0.4:  # another justification of the same
            again = Span(filler.start - rng.randrange(20), filler.end + rng.randrange(20))
            found[response._replace(justifications=(again,))] = None
    return list(found)[:count]


class Clocks:
    """CPU seconds by kind of work; what one function spends in another that is watched counts for that one alone."""

    def __init__(self) -> None:
        self.spent: dict[str, float] = {}
        self._inside = [0.0]

    def watch(self, kind: str, owner: Any, name: str) -> None:
        """Let the calls of a function count."""
        function: Callable[..., Any] = getattr(owner, name)
        self.spent.setdefault(kind, 0.0)

        def watched(*arguments: Any, **options: Any) -> Any:
            start = time.process_time()
            self._inside.append(0.0)
            try:
                return function(*arguments, **options)
            finally:
                spent = time.process_time() - start
                self.spent[kind] += spent - self._inside.pop()
                self._inside[-1] += spent

        setattr(owner, name, watched)


def measure_command(command: str, folder: Path, output: Path) -> dict[str, float]:
    """CPU seconds of this process, which runs one command, by kind of work."""
    from adjudge.cli import main as adjudge
    from adjudge.formats import eal_store, eal_write
    from adjudge.tasks.eal import apply, validation, validation_texts

    clocks = Clocks()
    readers: tuple[tuple[Any, str], ...] = (
        (validation, "scan_store"),
        (validation, "Texts"),
        (apply, "open_store"),
        (eal_store.Store, "_scan"),
        (eal_store.Store, "scan_linking"),
    )
    for owner, name in readers:
        clocks.watch("reading", owner, name)
    arguments = ["eal", command, str(folder / "run"), "--quiet"]
    if command == "validate":
        clocks.watch("reading", validation_texts.Texts, "read")
        clocks.watch("checks", validation, "check_arguments")
        clocks.watch("checks", validation, "check_linking")
        arguments += ["--docs", str(folder / "docs"), "--ontology", "2015"]
    else:
        from adjudge.cli import eal_trim

        clocks.watch("trim", eal_trim, "trim")
        clocks.watch("format", eal_write, "write_named")
        clocks.watch("format", eal_write, "write_linking")
        clocks.watch("files", eal_write.FolderWriter, "put")
        arguments += ["-o", str(output)]
    with suppress(SystemExit):
        adjudge(arguments)
    total = time.process_time()
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    spent = clocks.spent
    return {
        **spent,
        "other": total - sum(spent.values()),
        "total": total,
        "share": spent["reading"] / total,
        "MB": memory,
    }


def measure_submission(folder: Path) -> dict[str, float]:
    """The best run of each command, each in a process of its own."""
    found: dict[str, float] = {}
    for command in ("validate", "trim"):
        runs = []
        for number in range(RUNS):
            # Each run writes to a new place: some file systems are slow to create files where many were just removed.
            output = folder / f"trimmed{number}"
            call = [sys.executable, __file__, "--command", command, "--keep", str(folder), "--output", str(output)]
            runs.append(json.loads(subprocess.run(call, check=True, capture_output=True, text=True).stdout))
        best = min(runs, key=lambda run: float(run["total"]))
        found |= {f"{command}: {name}": value for name, value in best.items()}
    rest = sum(found[f"trim: {name}"] for name in ("trim", "format", "files"))
    return {**found, "trim: rest/reading": rest / found["trim: reading"]}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--part", choices=("all", "scores", "submission"), default="all")
    parser.add_argument("--shape", default="10x500x400", help="systems x documents x responses, for the scores")
    parser.add_argument("--submission", default="500x400", help="documents x responses")
    parser.add_argument("--resamples", type=int, default=1000)
    parser.add_argument("--keep", type=Path, help="make the campaign here, or use the one that is here")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--command", choices=("validate", "trim"), help=argparse.SUPPRESS)  # one run, for ourselves
    parser.add_argument("--output", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.command:
        sys.stdout.write(json.dumps(measure_command(options.command, options.keep, options.output)))
        return
    shape, submission = ([int(each) for each in text.split("x")] for text in (options.shape, options.submission))
    found: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or Path(temporary)
        if options.part != "scores":
            if not (folder / "run").is_dir():
                make_submission(folder, *submission)
            found |= measure_submission(folder)
        if options.part != "submission":
            if not (folder / "key").is_dir():
                make_campaign(folder, *shape)
            found |= measure(folder, options.resamples)
    for name, value in found.items():
        sys.stdout.write(f"{name:<20}{value:12.3f}\n")
    if options.json:
        shapes = {"shape": options.shape, "submission": options.submission}
        options.json.write_text(json.dumps({**shapes, **found}, indent=2) + "\n")


if __name__ == "__main__":
    main()
