"""A server with two small campaigns and people of every role; what readers may not see is called CANARY."""

import json
import warnings
from contextlib import contextmanager
from functools import cached_property

from argon2 import PasswordHasher

from adjudge.serve.access import COOKIE
from adjudge.serve.app import Service, make_app
from adjudge.serve.folder import Folder
from adjudge.serve.schema import FOLDER
from adjudge.serve.store import Store, Write, now, stream_of
from adjudge.serve.tracks import add_member, parse_settings, set_phase, set_track

with warnings.catch_warnings():  # new releases prefer a successor of httpx
    warnings.simplefilter("ignore")
    from starlette.testclient import TestClient

CANARY = "CANARY"
SETTINGS = "[server]\nname = 'small'\n[limits]\nsign_in_per_minute = 100000\nwrites_per_second = 100000\n"
TEXT = "A bomb exploded in Kalder Bay on Monday.\nOskan Draywell died. <b>He</b> was 40 \U0001f600 years old.\n"
PEOPLE = {  # name: role, campaign
    "ann": ("assessor", "one"),
    "ben": ("assessor", "one"),
    "dora": ("adjudicator", "one"),
    "otto": ("organiser", "one"),
    "root": ("admin", "*"),
    "tess": ("team", "one"),
    "jay": ("judge", "one"),
    "cara": ("assessor", "two"),
    "gone": ("assessor", "one"),
    "old": ("assessor", "one"),
}
BASE = "http://127.0.0.1"
_count = iter(range(10**9))


def event(store, stream, kind, subject, body, actor="admin"):
    (made,) = store.write([Write(stream, kind, subject, body, actor, f"small-{next(_count)}")])
    assert not isinstance(made, Exception), made


def item(name, scope, role, cas, span, **more):
    body = {
        "type": "Life.Die",
        "role": role,
        "cas": cas,
        "cas_span": span,
        "base_filler": span,
        "justifications": [[0, 40]],
        "additional": [],
        "realis": f"{CANARY}-realis",
        "confidence": 0.123456789,
        "provenance": f"{CANARY}-system",
    }
    return {
        "id": name,
        "scope": scope,
        "identity": f"{scope}-{name}",
        "body": body,
        "origins": [f"{CANARY}-run"],
        **more,
    }


def add_campaign(store, name, scopes):
    whole = stream_of(name)
    schema = store.put_blob((FOLDER / "eal-2015.toml").read_bytes(), "schema")
    text = store.put_blob(TEXT.encode(), "text")
    event(store, whole, "campaign", name, {"schema_sha": schema, "settings": {"title": name, "guideline": "Be kind."}})
    places = [
        {"id": each, "ord": at, "text_sha": text, "meta": {}, "stage": "assess"} for at, each in enumerate(scopes)
    ]
    event(store, whole, "scope", "scopes", {"scopes": places})
    items = []
    for scope in scopes:
        hidden = {"validity": True, "p": 0.5} if scope == "D2" else {}
        items += [
            item(f"{scope}-a", scope, "Place", "Kalder Bay", [19, 29], **hidden),
            item(f"{scope}-b", scope, "Time", "2031-05-05", [33, 39], **hidden),
            item(f"{scope}-c", scope, "Victim", "Oskan Draywell", [41, 55], **hidden),
        ]
    event(store, whole, "pool", "pool", {"items": items})


def assign(store, campaign, scope, reader, slot=0):
    given = {"scope": scope, "stage": "assess", "reader": reader, "slot": slot}
    event(store, stream_of(campaign), "assign", scope, {"add": [given]})


def add_track(store, name):
    """A track with two teams, of which one sees nothing of the other's run."""
    settings = parse_settings(
        name, {"task": "ner", "score": ["ner", "score", "{gold}", "{system}"], "limits": {"runs": 0}}
    )
    set_track(store, name, settings)
    gold = {"sha256": store.put_blob(b"{}", "gold"), "name": f"{CANARY}-gold", "folder": False}
    set_phase(store, name, "main", {"gold": gold, "show": "own"})
    for run, team, person, said in (("r1", "fast", "tess", "fine"), ("r2", "slow", "theo", f"{CANARY}-team")):
        given = {"phase": "main", "team": add_member(store, name, team, person), "number": 1, "name": said}
        sent = {"sha256": store.put_blob(b"{}", "x"), "size": 2, "received": now(), "deadline": None}
        event(store, f"t/{name}", "submit", run, {**given, **sent, "flags": {"file": f"{said}.jsonl"}}, person)
        files = {kind: store.put_blob(said.encode(), kind) for kind in ("findings", "text", "log", "report", "result")}
        event(
            store,
            f"t/{name}",
            "state",
            run,
            {"state": "scored", "files": files, "score": {"metric": "m", "part": "f1", "value": 0.5}},
        )


class Small:
    def __init__(self, folder, store, **options):
        self.store = store
        self.service = Service(folder, store, **options)
        self.app = make_app(self.service, frozenset({"127.0.0.1"}))
        self.access = self.service.access
        self.access.hasher = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)  # tests need no strong ones
        self.browser = TestClient(self.app, base_url=BASE, follow_redirects=False, raise_server_exceptions=False)

    def client(self, person=None):
        """A browser: of nobody, or of somebody who is signed in. There is one at a time."""
        self.browser.cookies.clear()
        self.browser.headers.pop("X-CSRF-Token", None)
        if person is not None:
            self.browser.cookies.set(COOKIE, self.cookies[person])
            self.browser.headers["X-CSRF-Token"] = self.csrf(person)
        return self.browser

    def csrf(self, person):
        found = self.access.who({}, {COOKIE: self.cookies[person]})
        return self.access.csrf(found) if found else "none"

    @cached_property
    def cookies(self):
        """A session for everybody; one was revoked, and one is too old."""
        made = {}
        for person, (role, scope) in PEOPLE.items():
            self.access.add_person(person, role, scope)
            made[person] = self.access.start_session(person)
        self.access.revoke("gone")
        clock = self.access.clock
        self.access.clock = lambda: clock() - 40 * 86_400
        made["old"] = self.access.start_session("old")
        self.access.clock = clock
        return made


@contextmanager
def small_server(path, **options):
    folder = Folder.create(path, SETTINGS)
    with Store.open(folder.path) as store:
        add_campaign(store, "one", ["D1", "D2"])
        add_campaign(store, "two", ["E1"])
        for scope, reader in (("D1", "ann"), ("D1", "ben"), ("D1", "gone"), ("D1", "old"), ("D2", "ben")):
            assign(store, "one", scope, reader, int(reader == "ben"))
        assign(store, "two", "E1", "cara")
        ben = stream_of("one", "D1", "ben")
        body = {"answers": {"aet": "W"}, "complete": True, "ms": 1}
        event(store, ben, "judge", "D1-a", body, "ben")
        event(store, ben, "flag", "D1-a", {"flag": f"{CANARY}-flag"}, "ben")
        event(store, ben, "comment", "D1-a", {"text": f"{CANARY}-comment"}, "ben")
        hidden = [{"item": "D2-a", "answers": {"aet": f"{CANARY}-suggestion"}, "score": 0.5}]
        event(store, stream_of("one"), "suggest", "robot", {"suggestions": hidden})
        add_track(store, "one")
        made = Small(folder, store, **options)
        with made.browser:
            yield made


def body_of(handler):
    """Something valid to send."""
    number = next(_count)
    judgment = {"version": 0, "answers": {"aet": "W"}, "key": f"key-{number}", "ms": 900}
    return {
        "api:judge": judgment,
        "api:judge_many": [{**judgment, "item": "D1-b"}],
        "api:operate": {"version": 0, "key": f"key-{number}", "ops": [{"op": "flag", "item": "D1-c", "text": "odd"}]},
        "api:invite": {"name": f"new{number}", "role": "assessor", "scope": "one"},
        "api:decide": {"version": 0, "key": f"key-{number}", "stage": "assess", "answers": {"aet": "W"}},
        "api:suggest": {"key": f"key-{number}", "suggestions": [{"item": "D1-a", "answers": {"aet": "W"}}]},
        "api:pool": {"texts": {}},
        "api:give": {"reader": "ann", "scopes": ["D1"]},
        "api:reopen": {"stage": "assess", "key": f"key-{number}"},
        "api:freeze": {"frozen": False, "key": f"key-{number}"},
        "runs:order": {"runs": ["r1"]},
        "board_desk:phase_now": {"do": "publish", "show": "own"},
        "api:csp_report": {"csp-report": {"violated-directive": "script-src"}},
    }.get(handler)


def path_of(route, **values):
    known = {
        "c": "one",
        "t": "one",
        "run": "r1",
        "d": "D1",
        "i": "D1-a",
        "s": "assess",
        "p": "nobody",
        "token": "x",
        "v": "0",
        "name": "page.css",
        "phase": "main",
        "file": "index.html",
    }
    return route.path.format_map({**known, **values})


def ask(client, route, headers=None, **values):
    """Ask for a route with a valid body."""
    path = path_of(route, **values)
    if route.upload:
        content = f'{{"id": "d{next(_count)}"}}'.encode()
        sent = {"content": content} if route.method == "PUT" else {"files": {"file": ("up.jsonl", content)}}
        return client.request(route.method, path + "?team=fast", headers=headers, **sent)
    if route.page and route.unsafe:
        return client.request(route.method, path, data={"name": "x", "password": "x"}, headers=headers)
    body = body_of(route.handler)
    content = None if body is None else json.dumps(body).encode()
    return client.request(route.method, path, content=content, headers=headers)
