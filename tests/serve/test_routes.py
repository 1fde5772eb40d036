"""Every route for everybody, from the table: who may, who may not, and that nobody is told what they must not know."""

import json

import jsonschema
import pytest

from adjudge.serve.messages import ERRORS
from adjudge.serve.routes import ROUTES
from adjudge.serve.run import Address
from serve_small import BASE, CANARY, PEOPLE, ask, body_of, path_of, small_server

READERS = {"ann", "ben"}
# Who may ask for it in the campaign "one", document D1; a route that is not here fails the test.
EVERYBODY = {*PEOPLE, "nobody"}
SIGNED_IN = set(PEOPLE) - {"gone", "old"}
TRACK = {"tess", "otto", "root"}
ALLOWED = {
    "api:me": SIGNED_IN,
    "api:campaign": {*READERS, "dora", "otto", "root"},
    "api:scope": {*READERS, "otto", "root"},
    "api:judge": READERS,
    "api:judge_many": READERS,
    "api:operate": READERS,
    "api:disputes": {"dora"},
    "api:dispute": {"dora"},
    "api:decide": {"dora"},
    "api:progress": {*READERS, "dora", "otto", "root"},
    "api:agreement": {"otto", "root"},
    "api:events": {*READERS, "dora", "otto", "root"},
    "api:export": {"otto", "root"},
    "api:backup": {"root"},
    "api:suggest": {"jay"},
    "api:pool": {"otto", "root"},
    "api:give": {"otto", "root"},
    "api:reopen": {"otto", "root"},
    "api:freeze": {"otto", "root"},
    "pages:adjudicate": {"dora"},
    "pages:organise": {"otto", "root"},
    "pages:organise_now": {"otto", "root"},
    "app:stream": SIGNED_IN,
    "api:people": {"root"},
    "api:invite": {"root"},
    "api:revoke": {"root"},
    "api:metrics": {"root"},
    "api:token": SIGNED_IN,
    "api:csp_report": EVERYBODY,
    "api:openapi": EVERYBODY,
    "api:healthz": EVERYBODY,
    "pages:home": EVERYBODY,
    "pages:sign_in": EVERYBODY,
    "pages:sign_in_now": EVERYBODY,
    "pages:join": EVERYBODY,
    "pages:join_now": EVERYBODY,
    "pages:sign_out": SIGNED_IN,
    "pages:set_password": SIGNED_IN,
    "pages:scope": {*READERS, "otto", "root"},
    "pages:stage": {*READERS, "otto", "root"},
    "pages:asset": EVERYBODY,
    "runs:tracks": EVERYBODY,
    "runs:track": EVERYBODY,
    **dict.fromkeys(("runs:listed", "runs:post", "runs:put", "runs:run", "runs:findings", "runs:log"), TRACK),
    **dict.fromkeys(("runs:report", "runs:receipt", "runs:withdraw"), TRACK),
    **dict.fromkeys(("pages:runs", "pages:hand_in", "pages:token", "pages:run", "pages:change"), TRACK),
    "runs:order": {"tess"},
    **dict.fromkeys(("board_desk:index", "board_desk:board", "board_desk:board_data"), EVERYBODY),
    **{f"board_desk:{name}": {"otto", "root"} for name in ("organise", "organise_now", "phase_now", "export")},
}
# What a handler answers though the person may ask: invitations and passwords that do not exist, nobody to revoke.
ANSWERS = {
    "pages:join": 410,
    "pages:join_now": 410,
    "pages:sign_in_now": 401,
    "pages:set_password": 422,
    "api:revoke": 422,
    "api:pool": 422,  # there is no folder to look into
    "api:export": 422,  # what is hidden here is not a realis
    "api:decide": 410,  # the readers have not finished
    "runs:track": 404,  # nothing of it is public
    "board_desk:board": 404,
    "board_desk:board_data": 404,
    "pages:change": 400,
}
WHOLE = {"api:export", "api:backup", "board_desk:export"}  # everything is in them, for people who do not read
UNSAFE = [route for route in ROUTES if route.unsafe and route.csrf]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with small_server(tmp_path_factory.mktemp("serve") / "folder") as made:
        made.service.hub.end()  # else those who listen listen for ever
        yield made


def test_the_table_is_whole():
    assert {route.handler for route in ROUTES} == set(ALLOWED)
    assert len({(route.method, route.path) for route in ROUTES}) == len(ROUTES)


@pytest.mark.parametrize("person", sorted(EVERYBODY))
def test_route_by_role(server, person):
    for route in ROUTES:
        client = server.client(None if person == "nobody" else person)
        answer = ask(client, route)
        if route.handler == "pages:sign_out" and person in SIGNED_IN:
            server.cookies[person] = server.access.start_session(person)
        where = f"{route.method} {route.path} for {person}: {answer.status_code} {answer.text[:200]}"
        organises = person in ("otto", "root") and "{t}" in route.path  # and sees the runs of all teams
        assert CANARY not in answer.text or person == "ben" or organises or route.handler in WHOLE, where
        assert CANARY not in str(answer.headers), where
        if person in ALLOWED[route.handler]:
            assert answer.status_code in {200, 201, 303, ANSWERS.get(route.handler), 409}, where
            continue
        if person not in SIGNED_IN:
            expected = {303} if route.page and not route.unsafe else {401}
        elif person == "cara" and "{c}" in route.path:
            expected = {404}
        else:
            expected = {403, 404}
        assert answer.status_code in expected, where
        if not route.page:
            assert answer.json()["error"] == ERRORS[answer.status_code], where


@pytest.mark.parametrize("person", sorted(READERS | {"otto", "root", "cara"}))
@pytest.mark.parametrize(
    "values", [{"c": "two", "d": "E1", "i": "E1-a"}, {"c": "none"}, {"d": "none"}, {"d": "D2", "i": "D2-a"}]
)
def test_what_one_may_not_know_of_is_not_there(server, person, values):
    client = server.client(person)
    for route in ROUTES:
        if "{d}" not in route.path:
            continue
        answer = ask(client, route, **values)
        assert CANARY not in answer.text
        mine = (
            (person == "ben" and values.get("d") == "D2")
            or (person == "cara" and values["c"] == "two" if "c" in values else False)
            or (person == "root" and values.get("d") in ("E1", "D2") and not route.unsafe)
            or (person == "otto" and values.get("d") == "D2" and not route.unsafe)
            or (person == "otto" and values.get("d") == "D2" and route.handler == "api:reopen")
            or (person == "root" and values.get("d") in ("E1", "D2") and route.handler == "api:reopen")
        )
        if not mine:
            assert answer.status_code in (403, 404), (route.path, answer.text)


@pytest.mark.parametrize(
    ("person", "values"), [("tess", {"run": "r2"}), ("tess", {"t": "two"}), ("otto", {"run": "x"})]
)
def test_runs_of_others_are_not_there(server, person, values):
    client = server.client(person)
    for route in ROUTES:
        if any(f"{{{name}}}" in route.path for name in values):
            answer = ask(client, route, **values)
            assert answer.status_code == 404, (route.path, answer.text)
            assert CANARY not in answer.text


def test_ben_sees_what_is_his_and_no_more(server):
    client = server.client("ben")
    own = client.get("/api/v1/campaigns/one/scopes/D1").text
    assert f"{CANARY}-flag" in own  # his own
    for hidden in ("realis", "system", "run", "suggestion"):
        assert f"{CANARY}-{hidden}" not in own
        assert f"{CANARY}-{hidden}" not in client.get("/api/v1/campaigns/one/scopes/D2").text
    assert "0.123456789" not in own


@pytest.mark.parametrize("route", UNSAFE, ids=lambda route: route.handler)
def test_nothing_is_written_without_the_token(server, route):
    person = sorted(ALLOWED[route.handler])[-1]
    for headers in (
        {"X-CSRF-Token": ""},
        {"X-CSRF-Token": "0" * 64},
        {"X-CSRF-Token": server.csrf("dora" if person != "dora" else "ann")},
        {"Origin": "http://evil.example"},
        {"Sec-Fetch-Site": "cross-site"},
    ):
        client = server.client(person)
        with server.store.read() as snapshot:
            before = snapshot.last(), len(snapshot.secrets(person))
        answer = ask(client, route, headers)
        assert answer.status_code == 403, (headers, answer.text)
        with server.store.read() as snapshot:
            assert (snapshot.last(), len(snapshot.secrets(person))) == before


def test_a_token_of_a_program_needs_no_csrf(server):
    made = server.client("ann").post("/api/v1/tokens").json()["token"]
    client = server.client()
    route = next(route for route in ROUTES if route.handler == "api:judge")
    assert ask(client, route, {"Authorization": f"Bearer {made}"}, i="D1-c").status_code == 200
    assert ask(client, route, {"Authorization": f"Bearer {made}x"}, i="D1-c").status_code == 401


@pytest.mark.parametrize("route", [route for route in ROUTES if route.takes], ids=lambda route: route.handler)
def test_broken_bodies(server, route):
    client = server.client(
        next(each for each in ("root", "dora", "ann", "jay", "tess") if each in ALLOWED[route.handler])
    )
    good = json.dumps(body_of(route.handler))
    broken = [b"", b"{", b"null", b"[]" * (not good.startswith("[")) or b"{}", b"\xff", b"[" * 50_000]
    broken += [good.replace('"key"', '"kay"').encode()] * ("key" in good)
    broken += [good.replace('"version": 0', '"version": -1').encode()] * ("version" in good)
    for content in broken:
        answer = client.request(route.method, path_of(route), content=content)
        assert answer.status_code in (400, 422), (content[:50], answer.text[:200])
        assert answer.json()["message"]
    answer = client.request(route.method, path_of(route), content=b" " * 2_000_000)
    assert (answer.status_code, answer.json()["error"]) == (413, "size")


def test_what_no_database_can_keep_is_refused(server):
    """PostgreSQL has no place for the character 0, and Python none for lists that are nested without end."""
    for route in ROUTES:
        person = next(each for each in ("root", "dora", "ann", "jay", "tess") if each in ALLOWED[route.handler])
        client, names = server.client(person), [part[1:-1] for part in route.path.split("/") if part[:1] == "{"]
        asked = [f"{path_of(route)}?phase=%00", *(path_of(route, **{name: "a%00b"}) for name in names)]
        for path in asked:
            assert client.request(route.method, path, content=b"").status_code == 400, path
        if route.takes is not None:
            for text in (r"a\u0000b", r"\u0000"):
                content = json.dumps(body_of(route.handler)).replace('": "', f'": "{text}', 1)
                if text in content:
                    answer = client.request(route.method, path_of(route), content=content)
                    assert (answer.status_code, answer.json()["error"]) == (400, "usage"), content
    deep = "[" * 100_000 + "]" * 100_000
    for path, content in (
        ("/api/v1/campaigns/one/scopes/D1/stages/assess", f'{{"key": "k", "ops": [{{"op": {deep}}}]}}'),
        ("/api/v1/csp-report", f'{{"csp-report": {{"blocked-uri": {deep}}}}}'),
        ("/api/v1/csp-report", '{"csp-report": "nothing"}'),
    ):
        assert server.client("ann").post(path, content=content).status_code in (400, 422)
    for kind, content in (
        ("application/x-www-form-urlencoded", "name=a%00&password=x"),
        (
            "multipart/form-data; boundary=x",
            '--x\r\nContent-Disposition: form-data; name="name"\r\n\r\n\0\r\n--x--\r\n',
        ),
    ):
        answer = server.client().post("/sign-in", content=content, headers={"Content-Type": kind})
        assert answer.status_code == 400


def test_a_form_makes_no_phase(server):
    client = server.client("root")
    for do in ("publish", "extend", "rescore", "freeze", "again"):
        form = {"do": do, "phase": "new", "show": "public", "csrf": server.csrf("root")}
        assert "not done: there is no phase" in client.post("/organise-track/one", data=form).text
    assert [each["phase"] for each in client.get("/api/v1/tracks/one").json()["phases"]] == ["main"]


def test_unknown_addresses_and_methods(server):
    client = server.client("ann")
    for method, path, status in (
        ("GET", "/api/v1/nothing", 404),
        ("GET", "/assets/0/../app.py", 404),
        ("GET", "/assets/0/..%2fapp.py", 404),
        ("DELETE", "/api/v1/me", 405),
        ("POST", "/healthz", 405),
    ):
        answer = client.request(method, path)
        assert answer.status_code == status, path
        assert "content-security-policy" in answer.headers


def test_headers_that_every_answer_has(server):
    for person in (None, "ann", "tess"):
        client = server.client(person)
        for route in ROUTES:
            if route.handler == "pages:sign_out":
                continue
            headers = ask(client, route).headers
            if route.handler == "runs:report" and person == "tess":
                assert headers["content-security-policy"].endswith("sandbox allow-scripts")
                continue
            assert headers["content-security-policy"].startswith(
                "default-src 'none'; script-src 'self'; style-src 'self'"
            )
            assert headers["x-content-type-options"] == "nosniff"
            assert headers["cache-control"], route.path


def test_other_names_of_the_server_are_refused(server):
    answer = server.client("ann").get("/api/v1/me", headers={"Host": "evil.example"})
    assert answer.status_code == 400
    assert "evil.example" in answer.json()["message"]
    assert server.client("ann").get("/api/v1/me", headers={"Host": "[::1"}).status_code == 400
    answer = server.client("ann").post("/api/v1/tokens", headers={"Origin": "http://[::1"})
    assert (answer.status_code, answer.json()["error"]) == (403, "csrf")


def test_pages_have_no_inline_scripts_or_styles(server):
    client = server.client("ann")
    for path in ("/", "/c/one/D1/assess", "/sign-in", "/c/none/D1"):
        text = client.get(path).text
        assert text.startswith("<!doctype html>")
        assert "style=" not in text
        assert "<style" not in text
        assert " on" + "click" not in text
        assert all("src=" in part for part in text.split("<script")[1:])


def test_openapi_describes_the_table(server):
    found = server.client().get("/api/openapi.json").json()
    assert found["openapi"] == "3.1.0"
    described = {(method.upper(), path) for path, methods in found["paths"].items() for method in methods}
    assert described == {(route.method, route.path) for route in ROUTES if not route.page}
    for route in ROUTES:
        if not route.page:
            content = found["paths"][route.path][route.method.lower()]
            assert ("requestBody" in content) == (route.takes is not None)
    schema = found["paths"]["/api/v1/campaigns/{c}/scopes/{d}/judgments"]["post"]["requestBody"]["content"]
    whole = {**schema["application/json"]["schema"], "components": found["components"]}
    jsonschema.validate(body_of("api:judge_many"), whole)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate([{"item": "x"}], whole)


def test_an_invitation_by_mail(server):
    """Whoever opens the link sees a button first; only the button uses it up."""
    link = server.client("root").post("/api/v1/invitations", json=body_of("api:invite")).json()["link"]
    path = link.removeprefix(BASE)
    scanner = server.client()
    assert scanner.get(path).status_code == scanner.get(path).status_code == 200
    assert not scanner.cookies
    browser = server.client()
    answer = browser.post(path)
    assert answer.status_code == 303
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=lax" in cookie
    assert "secure" not in cookie
    assert browser.get("/api/v1/me").status_code == 200
    assert server.client().post(path).status_code == 410
    assert server.client().post(path, headers={"Origin": "http://evil.example"}).status_code == 403
    wrong = {"name": "tess", "role": "assessor", "scope": "nowhere"}
    answer = server.client("root").post("/api/v1/invitations", json=wrong)
    assert (answer.status_code, answer.json()["message"]) == (
        422,
        "there is no campaign or track 'nowhere' for the role assessor",
    )


def test_cookies_over_tls(tmp_path):
    with small_server(tmp_path / "folder", secure=True) as made:
        token, _ = made.access.invite("zoe", "assessor", "one")
        cookie = made.client().post(f"/join/{token}").headers["set-cookie"]
        assert cookie.startswith("__Host-adjudge=")
        assert {"httponly", "secure", "samesite=lax", "path=/"} <= {part.strip().lower() for part in cookie.split(";")}


def test_where_one_is_sent_after_signing_in(server):
    server.client("ann")
    server.access.set_password("ann", "a long enough one")
    for to, sent in (("/c/one/D1", "/c/one/D1"), ("//evil.example", "/"), ("/\\evil.example", "/"), ("https://x", "/")):
        form = {"name": "ann", "password": "a long enough one", "to": to}
        answer = server.client().post("/sign-in", data=form)
        assert (answer.status_code, answer.headers["location"]) == (303, sent)


@pytest.mark.parametrize(
    ("given", "good"),
    [
        ({}, True),
        ({"host": "::1"}, True),
        ({"host": "localhost"}, True),
        ({"host": "0.0.0.0"}, False),
        ({"host": "::"}, False),
        ({"host": "192.168.1.7"}, False),
        ({"host": "assess.example"}, False),
        ({"host": "0.0.0.0", "proxy": "10.0.0.2"}, True),
        ({"host": "0.0.0.0", "proxy": "proxy.example"}, False),
        ({"host": "0.0.0.0", "cert": "c.pem"}, False),
        ({"host": "0.0.0.0", "cert": "c.pem", "key": "k.pem"}, True),
        ({"host": "0.0.0.0", "cert": "none.pem", "key": "k.pem"}, False),
    ],
)
def test_public_addresses_need_encryption(tmp_path, given, good):
    from adjudge.errors import UsageError

    for name in ("c.pem", "k.pem"):
        (tmp_path / name).touch()
    files = {name: tmp_path / value for name, value in given.items() if name in ("cert", "key")}
    address = Address(**{**given, **files})
    if good:
        address.check()
    else:
        with pytest.raises(UsageError):
            address.check()
