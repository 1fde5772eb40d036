"""What the scores of event arguments and linking cost: reading against everything that comes after it.

    python benchmarks/eal.py [--shape 10x500x400] [--resamples 1000] [--keep FOLDER] [--json FILE]

A campaign of systems x documents x responses is made from a seed: about 60 % of the responses of a system are found by
others too, 45 % are good, 15 % share their class with another response, frames have about three members, and all
responses are in the key. `after` is the rules, the counts, intervals, paired tests, the ranking with its win fractions,
a 21 x 21 grid of beta and lambda, and the exact crossings of all pairs of systems.
"""

from __future__ import annotations

import argparse
import gc
import json
import random
import resource
import sys
import tempfile
import time
from pathlib import Path

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
    document, type_, role, cas, filler, because, _, realis = response
    span = f"{because[0].start}-{because[0].end}"
    at, base = f"{cas.span.start}-{cas.span.end}", f"{filler.start}-{filler.end}"
    fields = (id_, document, type_, role, cas.text, at, span, base, "NIL", realis, f"{rng.random():.3f}")
    return "\t".join(fields) + "\n"


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


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shape", default="10x500x400", help="systems x documents x responses")
    parser.add_argument("--resamples", type=int, default=1000)
    parser.add_argument("--keep", type=Path, help="make the campaign here, or use the one that is here")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    shape = tuple(map(int, options.shape.split("x")))
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or Path(temporary)
        if not (folder / "key").is_dir():
            make_campaign(folder, *shape)
        found = measure(folder, options.resamples)
    for name, value in found.items():
        sys.stdout.write(f"{name:<20}{value:12.3f}\n")
    if options.json:
        options.json.write_text(json.dumps({"shape": options.shape, **found}, indent=2) + "\n")


if __name__ == "__main__":
    main()
