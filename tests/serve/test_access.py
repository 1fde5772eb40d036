"""Who gets in: invitations, sessions, passwords, tokens, forged requests, limits; and the folder with its key."""

import os

import pytest
from argon2 import PasswordHasher

from adjudge.errors import AdjudgeError
from adjudge.serve.access import COOKIE, Access, permit
from adjudge.serve.campaigns import create_campaign
from adjudge.serve.folder import Folder, Settings
from adjudge.serve.messages import Fault
from adjudge.serve.routes import ROUTES
from adjudge.serve.schema import named_schema
from adjudge.serve.store import Store
from adjudge.serve.store.tables import Member
from adjudge.serve.tracks import parse_settings, set_track

DAY = 86_400


class Clock:
    def __init__(self):
        import time

        self.now = time.time()

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def access(tmp_path, clock):
    with Store.open(tmp_path) as store:
        made = Access(store, [b"k" * 32], Settings(), clock=clock)
        made.hasher = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
        yield made


def who(access, cookie):
    return access.who({}, {COOKIE: cookie})


def test_an_invitation_is_good_for_one_use(access):
    token, _ = access.invite("ann", "assessor", "demo")
    cookie = access.take_up(token)
    found = who(access, cookie)
    assert (found.person, found.roles) == ("ann", {("demo", "assessor")})
    with pytest.raises(Fault, match="already used") as caught:
        access.take_up(token)
    assert caught.value.status == 410
    with access.store.read() as snapshot:
        kept = repr(snapshot.secrets("ann"))
    assert token not in kept
    assert cookie.partition(".")[0] not in kept


@pytest.mark.parametrize(("days", "good"), [(13.9, True), (14.1, False)])
def test_invitations_expire(access, clock, days, good):
    token, _ = access.invite("ann", "assessor", "demo")
    clock.now += days * DAY
    if good:
        assert access.invitation(token).person == "ann"
    else:
        with pytest.raises(Fault, match="has expired"):
            access.take_up(token)


def test_sessions_expire_and_can_be_revoked(access, clock):
    cookies = [access.take_up(access.invite("ann", "assessor", "demo")[0]) for _ in range(2)]
    access.end_session(who(access, cookies[0]))
    assert who(access, cookies[0]) is None
    assert who(access, cookies[1]) is not None
    pending, _ = access.invite("ann", "assessor", "demo")
    access.set_password("ann", "correct horse battery")
    assert access.revoke("ann") == 5  # both invitations that were used, the pending one, a session, the password
    assert who(access, cookies[1]) is None
    for way in (lambda: access.take_up(pending), lambda: access.sign_in("ann", "correct horse battery")):
        with pytest.raises(Fault):
            way()
    again = access.take_up(access.invite("ann", "assessor", "demo")[0])
    assert who(access, again).person == "ann"
    clock.now += 31 * DAY
    assert who(access, again) is None


@pytest.mark.parametrize(
    "spoil",
    [
        lambda cookie: "",
        lambda cookie: cookie[:-1],
        lambda cookie: cookie.partition(".")[0],
        lambda cookie: "x" + cookie,
        lambda cookie: cookie.replace(".", ".."),
        lambda cookie: "\udc80é\x00;",
        lambda cookie: "." * 5000,
    ],
)
def test_broken_cookies_are_nobody(access, spoil):
    cookie = access.take_up(access.invite("ann", "assessor", "demo")[0])
    assert who(access, cookie) is not None
    assert who(access, spoil(cookie)) is None
    other = Access(access.store, [b"another key, of another server.."], Settings())
    assert who(other, cookie) is None


def test_kinds_of_secrets_are_not_mixed_up(access):
    invitation, _ = access.invite("ann", "assessor", "demo")
    cookie = access.take_up(access.invite("ann", "assessor", "demo")[0])
    token, _ = access.token(who(access, cookie))
    bearer = access.who({"authorization": f"Bearer {token}"}, {})
    assert (bearer.person, bearer.by) == ("ann", "token")
    for wrong in (invitation, cookie, cookie.partition(".")[0], "", "x"):
        assert access.who({"authorization": f"Bearer {wrong}"}, {}) is None
    assert who(access, token) is None
    with pytest.raises(Fault):
        access.take_up(token)
    with pytest.raises(Fault, match="cannot create tokens"):
        access.token(bearer)


def test_passwords(access):
    access.add_person("ann", "assessor", "demo")
    for password in ("", "x"):
        with pytest.raises(Fault, match="wrong") as caught:
            access.sign_in("ann", password)
        assert caught.value.status == 401
    with pytest.raises(Fault, match="5 characters"):
        access.set_password("ann", "short")
    access.set_password("ann", "the first one")
    access.set_password("ann", "the second one")
    with pytest.raises(Fault):
        access.sign_in("ann", "the first one")
    assert who(access, access.sign_in("ann", "the second one")).person == "ann"
    with access.store.read() as snapshot:
        assert [each.hash[:9] for each in snapshot.secrets("ann") if each.kind == "password"] == ["$argon2id"]


@pytest.mark.parametrize(
    ("headers", "token", "good"),
    [
        ({}, "own", True),
        ({"origin": "https://a.org", "sec-fetch-site": "same-origin"}, "own", True),
        ({}, "", False),
        ({}, "other", False),
        ({"origin": "https://b.org"}, "own", False),
        ({"origin": "http://a.org"}, "own", False),
        ({"origin": "null"}, "own", False),
        ({"sec-fetch-site": "cross-site"}, "own", False),
        ({"sec-fetch-site": "same-site"}, "own", False),
    ],
)
def test_forged_writes(access, headers, token, good):
    people = [who(access, access.take_up(access.invite(name, "assessor", "demo")[0])) for name in ("ann", "ben")]
    given = {"own": access.csrf(people[0]), "other": access.csrf(people[1]), "": ""}[token]
    if good:
        access.check_csrf(people[0], given, headers, "https://a.org")
    else:
        with pytest.raises(Fault) as caught:
            access.check_csrf(people[0], given, headers, "https://a.org")
        assert (caught.value.status, caught.value.body.error) == (403, "csrf")


def test_limits(access, clock):
    for _ in range(10):
        access.check_rate("sign-in", "10.0.0.1")
    with pytest.raises(Fault, match="too many requests") as caught:
        access.check_rate("sign-in", "10.0.0.1")
    assert caught.value.status == 429
    access.check_rate("sign-in", "10.0.0.2")
    clock.now += 6
    access.check_rate("sign-in", "10.0.0.1")


@pytest.mark.parametrize(
    ("name", "role", "scope", "said"),
    [
        ("a/b", "assessor", "demo", "cannot be the name"),
        ("=decided", "assessor", "demo", "cannot be the name"),
        ("", "assessor", "demo", "cannot be the name"),
        ("ann", "asessor", "demo", "did you mean assessor"),
        ("ann", "admin", "demo", "cannot be given in 'demo'"),
        ("ann", "assessor", "*", "cannot be given"),
    ],
)
def test_invitations_that_make_no_sense(access, name, role, scope, said):
    with pytest.raises(AdjudgeError, match=said):
        access.invite(name, role, scope)


def test_roles_are_those_of_a_campaign(access):
    access.add_person("ann", "assessor", "one")
    access.add_person("ann", "organiser", "two")
    ann = who(access, access.start_session("ann"))
    boss = who(access, access.take_up(access.invite("boss", "admin")[0]))
    assert (ann.roles_in("one"), ann.roles_in("two"), ann.roles_in("three")) == ({"assessor"}, {"organiser"}, set())
    assert boss.roles_in("three") == {"admin", "organiser"}
    judge = next(route for route in ROUTES if route.handler == "api:judge")
    permit(judge, ann, "one")
    for person, campaign, status in ((ann, "two", 403), (ann, "three", 404), (boss, "one", 403), (None, "one", 401)):
        with pytest.raises(Fault) as caught:
            permit(judge, person, campaign)
        assert caught.value.status == status


def test_who_hands_in_does_not_judge(access):
    set_track(access.store, "ner", parse_settings("ner", {"task": "kbp", "campaign": "one", "score": ["kbp"]}))
    access.add_person("tess", "team", "ner", team="fast")
    access.add_person("ann", "assessor", "one")
    access.add_person("tess", "assessor", "two")
    for person, role, scope in (("tess", "adjudicator", "one"), ("ann", "team", "ner")):
        with pytest.raises(AdjudgeError, match=f"{person} would be in a team and assess .* allow_overlap"):
            access.invite(person, role, scope)
    with access.store.read() as snapshot:
        assert [each.scope for each in snapshot.roles("ann")] == ["one"]
        assert [each.team for each in snapshot.find(Member)] == ["ner/fast"]
    create_campaign(access.store, "one", named_schema("records"), {"allow_overlap": True})
    access.invite("tess", "adjudicator", "one")


def test_a_new_key(access, tmp_path):
    access.add_person("ann", "assessor", "demo")
    folder = Folder.create(tmp_path / "f")
    cookies = []
    for _ in range(3):
        cookies.append(Access(access.store, folder.secrets, Settings()).start_session("ann"))
        folder.rotate()
    now = Access(access.store, folder.secrets, Settings())
    assert [who(now, each) is not None for each in cookies] == [False, False, True]  # of the key before
    assert (folder.path / "secret.key").stat().st_mode & 0o077 == 0
    assert sorted(each.name for each in folder.path.iterdir()) == ["secret.key", "serve.toml"]
    folder.rotate(end_sessions=True)
    assert len(folder.secrets) == 1
    assert who(Access(access.store, folder.secrets, Settings()), cookies[-1]) is None


def test_the_folder_and_its_key(tmp_path):
    folder = Folder.create(tmp_path / 'a "strange" name')
    assert folder.settings.server.name == 'a "strange" name'
    key = folder.path / "secret.key"
    assert len(folder.secret) == 32
    assert Folder(folder.path).secret == folder.secret
    with pytest.raises(AdjudgeError, match="it already exists"):
        Folder.create(folder.path)
    with pytest.raises(AdjudgeError, match="serve init"):
        Folder(tmp_path)
    if os.name == "posix":
        assert key.stat().st_mode & 0o777 == 0o600
        key.chmod(0o644)
        with pytest.raises(AdjudgeError, match="chmod 600"):
            _ = folder.secret
        key.chmod(0o600)
    for text, said in (("00", "1 bytes"), ("not hex", "not a key of a server"), ("é", "not a key of a server")):
        key.write_text(text, encoding="utf-8")
        with pytest.raises(AdjudgeError, match=said):
            _ = folder.secret
    (folder.path / "serve.toml").write_text("[server]\nname = 3\n")
    with pytest.raises(AdjudgeError, match=r"serve.toml:2:1: server.name: expected `str`"):
        Folder(folder.path)
