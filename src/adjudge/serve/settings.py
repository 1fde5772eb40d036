"""What `serve.toml` says of campaigns and people, taken over into the store as events with the actor `serve.toml`.

A key is taken over once, when it is new or says something else than it did: what a command or a form changes later
stays. The campaign keeps the hash of what each key said, so that this can be told.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import msgspec

from adjudge.errors import AdjudgeError, UsageError, did_you_mean
from adjudge.serve.access import EVERYWHERE, Access
from adjudge.serve.campaigns import assign, create_campaign, schema_of
from adjudge.serve.codecs import codec_of
from adjudge.serve.desk import Desk
from adjudge.serve.exchange import set_training
from adjudge.serve.folder import SETTINGS, Folder, OfCampaign
from adjudge.serve.organise import balanced, check_reader
from adjudge.serve.schema import Complaints, named_schema
from adjudge.serve.store import Store
from adjudge.serve.store.tables import Campaign, Person, Track
from adjudge.serve.workbench import DONE

TAKEN = "serve.toml"
"""Where a campaign keeps the hashes of what the file said; and who is said to have done it."""
REVOKED = "revoked"
_USUAL = "eal-2015"
_READING = ("readers", "double_share")
_PLAIN = {"validity_share": "validity", "allow_overlap": "allow_overlap", "confirm": "confirm"}
_KEYS = ("schema", "training", *_READING, *_PLAIN)


def take_over(folder: Folder, store: Store, access: Access, *, imported: str | None = None) -> None:
    """Do what the file says that it has not said before; into one campaign something was `imported`.

    Every mistake is raised at once, with its line. What is right is done; what is wrong is tried again the next time.
    """
    file = folder.path / SETTINGS
    complaints = Complaints(file.read_text("utf-8"), str(file))
    with store.read() as snapshot:
        frozen = {each.id: each.state == "frozen" for each in snapshot.find(Campaign)}
    given = {name: folder.settings.campaign.get(name, OfCampaign()) for name in {**folder.settings.campaign, **frozen}}
    for name, own in given.items():
        if name not in frozen and own.schema is None and own.folder is None:
            hint = did_you_mean(name, list(frozen)) or "give its folder, or its schema, and it is made"
            complaints.add(("campaign", name), f"there is no campaign {name!r}", hint)
        elif not frozen.get(name):  # which takes nothing until it is thawed
            _campaign(folder, store, name, own, complaints)
    _people(folder, store, access, complaints)
    for name, own in given.items():
        if not frozen.get(name, own.schema is None and own.folder is None):
            _reading(folder, store, name, own, complaints, late=name == imported)
    complaints.end()


@contextmanager
def _complained(complaints: Complaints, *path: str) -> Iterator[None]:
    """Whatever is refused is a mistake of a key, unless it has a place of its own."""
    try:
        yield
    except AdjudgeError as error:
        for each in error.problems:
            if each.path is not None:
                complaints.problems.append(each)
            else:
                complaints.add(path, each.message, each.hint or "correct it")


def _hash(folder: Folder, key: str, value: Any, before: str) -> str:
    """What a key says; a training says what is in its file, and what it said if that is gone, as after a restore."""
    said = hashlib.sha256(msgspec.json.encode(value)).hexdigest()
    if key != "training":
        return said
    if not (folder.path / value).is_file():
        return before if before.startswith(said) else said
    return f"{said} {hashlib.sha256((folder.path / value).read_bytes()).hexdigest()}"


def _news(folder: Folder, own: OfCampaign, taken: Mapping[str, str]) -> dict[str, str | None]:
    """The keys that say something else than before, with the hash of it; None: not said any more."""
    given = {key: value for key, value in msgspec.to_builtins(own).items() if key in _KEYS}
    said = {key: _hash(folder, key, value, taken.get(key, "")) for key, value in given.items()}
    return {key: said.get(key) for key in _KEYS if said.get(key) != taken.get(key)}


def _taken(settings: Mapping[str, Any], news: Mapping[str, str | None]) -> dict[str, Any]:
    """The setting that says what was taken over, after some more was."""
    known = {**settings.get(TAKEN, {}), **news}
    return {TAKEN: {key: digest for key, digest in known.items() if digest is not None}}


def _campaign(folder: Folder, store: Store, name: str, own: OfCampaign, complaints: Complaints) -> None:
    """Make a campaign, or change its settings; a training needs responses."""
    with store.read() as snapshot:
        row, filled = snapshot.get(Campaign, name), bool(snapshot.scopes(name))
    settings = row.settings if row else {}
    news = _news(folder, own, settings.get(TAKEN, {}))
    done = {key: digest for key, digest in news.items() if key not in (*_READING, "training")}
    with _complained(complaints, "campaign", name, "schema" if own.schema else "folder"):
        if row is None or (own.schema and "schema" in news):
            wanted = own.schema or _USUAL
            place = folder.path / wanted
            schema = named_schema(str(place) if place.is_file() else wanted)
        else:
            schema = schema_of(store, name)
        first = {} if row else codec_of(schema).settings(folder.home(name))
        changed = {_PLAIN[key]: getattr(own, key) for key in done if key in _PLAIN}
        if done or row is None:
            create_campaign(store, name, schema, {**first, **changed, **_taken(settings, done)}, by=TAKEN)
        if "training" in news and filled:
            with _complained(complaints, "campaign", name, "training"):
                if own.training is not None and not (folder.path / own.training).is_file():
                    raise UsageError(f"there is no file {own.training!r}", hint="name one, as seen from this folder")
                if own.training is not None:
                    set_training(store, name, folder.path / own.training, by=TAKEN)
                none: dict[str, Any] = {} if own.training else {"training": {}}
                again = _taken(settings, {**done, "training": news["training"]})
                create_campaign(store, name, schema, {**none, **again}, by=TAKEN)


# ---------------------------------------------------------------------------------------------------------------------
# People


def scope_of(store: Store, role: str, scope: str | None, how: str = "give --scope") -> str:
    """The campaign or track in which a role is meant, or the whole server."""
    with store.read() as snapshot:
        campaigns, tracks = [each.id for each in snapshot.find(Campaign)], [each.id for each in snapshot.find(Track)]
    names = {"team": tracks, "organiser": sorted({*campaigns, *tracks})}.get(role, campaigns)
    what = "track" if role == "team" else "campaign"
    if role == "admin" and scope is None:
        return EVERYWHERE
    if scope is None and len(names) == 1:
        return names[0]
    if scope not in names:
        known = ", ".join(names) or "there is none yet"
        hint = (did_you_mean(scope, names) if scope else None) or f"{how}: {known}"
        raise UsageError(f"there is no {what} {scope!r}" if scope else f"which {what} is meant?", hint=hint)
    return scope


def _people(folder: Folder, store: Store, access: Access, complaints: Complaints) -> None:
    """Give the roles that people have not got; whoever was revoked stays so."""
    for person, given in folder.settings.people.items():
        with store.read() as snapshot:
            row = snapshot.get(Person, person)
            known = {(each.role, each.scope) for each in snapshot.roles(person)}
        wanted = [(None, given)] if isinstance(given, str) else [*given.items()]
        for scope, roles in wanted if row is None or row.state != REVOKED else ():
            for role in [roles] if isinstance(roles, str) else roles:
                with _complained(complaints, "people", person):
                    where = scope_of(store, role, scope, f'write {person} = {{ NAME = "{role}" }}')
                    if (role, where) not in known:
                        access.add_person(person, role, where, by=TAKEN)


def uninvited(folder: Folder, access: Access) -> list[str]:
    """The people of the file who are not revoked and have no way in: no link, session, password or token."""
    with access.store.read() as snapshot:
        rows = [snapshot.get(Person, person) for person in folder.settings.people]
    return [each.id for each in rows if each is not None and each.state != REVOKED and not access.has_way_in(each.id)]


# ---------------------------------------------------------------------------------------------------------------------
# Who reads what


def _reading(folder: Folder, store: Store, name: str, own: OfCampaign, complaints: Complaints, *, late: bool) -> None:
    """Assign documents to the readers, if they or the share are new, or there may be `late` documents."""
    with store.read() as snapshot:
        row, filled = snapshot.get(Campaign, name), bool(snapshot.scopes(name))
    if row is None or not filled:
        return
    news = {key: at for key, at in _news(folder, own, row.settings.get(TAKEN, {})).items() if key in _READING}
    if not news and not (late and own.readers):
        return
    path = ("campaign", name, "readers" if own.readers else "double_share")
    if own.double_share and len(set(own.readers)) < 2:
        complaints.add(path, "nobody can read anything as a second one", "name two readers or more: readers = [...]")
        return
    with _complained(complaints, *path):
        share_out(Desk(store, name, None, folder.secret), own)
        create_campaign(store, name, schema_of(store, name), _taken(row.settings, news), by=TAKEN)


def share_out(desk: Desk, own: OfCampaign) -> None:
    """Give what nobody has to the readers in equal parts, and a share of what is read to a second one of them.

    Parts and shares have genres, types and sizes as all have. What somebody has already stays there.
    """
    for reader in own.readers:
        check_reader(desk, reader)
    with desk.store.read() as snapshot:
        stages = {scope.id: scope.stage for scope in snapshot.scopes(desk.campaign)}
        begin = schema_of(desk.store, desk.campaign).stage[0].kind
        taken: dict[str, list[str]] = {}
        for each in snapshot.assignments(desk.campaign):
            if each.stage == begin:
                taken.setdefault(each.scope, []).append(each.reader)
        free = [scope for scope, stage in stages.items() if scope not in taken and stage != DONE]
        first = balanced(desk, snapshot, free, 1.0) if own.readers else []
        taken |= {scope: [own.readers[at % len(own.readers)]] for at, scope in enumerate(first)}
        single = [scope for scope, readers in taken.items() if len(readers) == 1 and stages[scope] == begin]
        missing = max(1, round(own.double_share * len(taken))) - sum(len(readers) > 1 for readers in taken.values())
        share = min(1.0, missing / len(single)) if own.double_share and single else 0.0
        twice = balanced(desk, snapshot, single, share) if share > 0 else []
    counts: Counter[str] = Counter()
    second: dict[str, list[str]] = {}
    for scope in twice:
        reader = min((each for each in own.readers if each not in taken[scope]), key=lambda each: counts[each])
        counts[reader] += 1
        second.setdefault(reader, []).append(scope)
    for at, reader in enumerate(own.readers):
        if first[at :: len(own.readers)]:
            assign(desk.store, desk.campaign, reader, first[at :: len(own.readers)], by=TAKEN)
        if reader in second:
            assign(desk.store, desk.campaign, reader, second[reader], slot=1, by=TAKEN)
