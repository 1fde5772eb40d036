"""Event arguments: a campaign (key, reference frames, submissions), or one submission with its source texts.

Campaign: about 60 % of the responses of a system are found by others too, 45 % are good, 15 % share their class with
another response, frames have about three members, and all responses are in the key. Submission: it has nothing wrong,
and about a tenth of its responses are redundant.
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from pathlib import Path

from adjudge.formats.eal_assessments import write_key
from adjudge.formats.eal_fields import sha1_id
from adjudge.model.eal import AnswerKey, Assessment, Cas, Realis, Response, Span

TYPES = [f"{kind}.{name}" for kind in ("Conflict", "Life", "Justice", "Contact", "Movement") for name in "ABCDE"]
ROLES = ("Agent", "Person", "Place", "Time", "Instrument")
REALIS: tuple[Realis, ...] = ("Actual", "Actual", "Actual", "Other", "Generic")
RIGHT = Assessment("C", "C", "I", "C", "Actual", "NAME")
_SEED = 13


def write(folder: Path, *, documents: int, responses: int, systems: int = 0) -> None:
    """`key`, `ref` and `systems/s0`, ... of a campaign; `docs` and `run` of a submission if there are no systems."""
    if systems:
        _write_campaign(folder, systems, documents, responses)
    else:
        _write_submission(folder, documents, responses)


def _write_campaign(folder: Path, systems: int, documents: int, responses: int) -> None:
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


def _write_submission(folder: Path, documents: int, responses: int) -> None:
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
