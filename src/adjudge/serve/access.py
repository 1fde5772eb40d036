"""Authentication and permissions: invitations, sessions, roles, passwords, tokens, CSRF, rate limits.

An invitation is a link with 256 bits that is good for one use and for a role that is fixed when it is made. Taking it
up starts a session: a signed cookie, of which the store has the hash only, so that it can be revoked and the store
betrays nobody. What is forbidden is decided here and nowhere else, from the table of routes.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any
from urllib.parse import SplitResult, urlsplit

import msgspec

from adjudge.errors import UsageError, did_you_mean
from adjudge.serve.campaigns import check_name
from adjudge.serve.messages import Fault
from adjudge.serve.routes import ANYONE, PUBLIC, ROLES, Route
from adjudge.serve.store import Write
from adjudge.serve.store.tables import Person, Role, Secret
from adjudge.serve.tracks import add_member, check_overlap

if TYPE_CHECKING:
    from argon2 import PasswordHasher

    from adjudge.serve.folder import Settings
    from adjudge.serve.store import Store

EVERYWHERE = "*"
_ACTIVE = "active"
COOKIE, SECURE_COOKIE = "adjudge", "__Host-adjudge"
TOKEN_DAYS = 365
_DAY = 86_400
_SEEN = 300  # seconds between updates of a session's last use
_BITS = 32  # bytes of a secret
_PERSON = re.compile(r"\w[\w.-]{0,59}")
_SHORTEST = 10  # letters of a password
_KNOWN = 10_000  # names whose rate is tracked
NOT_HERE = "not found, or not visible to you"


class Who(msgspec.Struct, frozen=True):
    """A signed-in person, with the hash of the session or token, and their roles by campaign."""

    person: str
    name: str
    roles: frozenset[tuple[str, str]]
    secret: str
    by: str  # session or token

    def roles_in(self, campaign: str | None) -> frozenset[str]:
        """What they may be in a campaign, or anywhere; who runs the server is an organiser, too.

        >>> Who("ann", "Ann", frozenset({("demo", "assessor")}), "", "session").roles_in("demo")
        frozenset({'assessor'})
        """
        found = {role for scope, role in self.roles if campaign is None or scope in (EVERYWHERE, campaign)}
        return frozenset(found | ({"organiser"} if "admin" in found else set()))


def permit(route: Route, who: Who | None, campaign: str | None) -> None:
    """Refuse what the table does not allow; what a person may not know of does not exist for them."""
    if PUBLIC in route.who:
        return
    if who is None:
        raise Fault(401, "nobody is signed in", "open the link of your invitation, or sign in")
    if ANYONE in route.who:
        return
    roles = who.roles_in(campaign)
    if campaign is not None and not roles:
        raise Fault(404, NOT_HERE)
    if not roles & set(route.who):
        raise Fault(403, f"this is for the role {' or '.join(route.who)}", "ask the organiser")


class Access:
    """People and their secrets in one store."""

    def __init__(
        self, store: Store, keys: Sequence[bytes], settings: Settings, *, clock: Callable[[], float] = time.time
    ) -> None:
        from itsdangerous import Signer

        limits = settings.limits
        self.store, self.limits, self.clock = store, limits, clock
        self._secret = keys[0]  # the newest, which signs; cookies of the others are good, too
        self._signer = Signer(keys[::-1], salt="adjudge session", key_derivation="hmac", digest_method=hashlib.sha256)
        self.sign_ins = Rate(limits.sign_in_per_minute / 60, limits.sign_in_per_minute)
        self.writes = Rate(limits.writes_per_second, 2 * limits.writes_per_second)

    # -----------------------------------------------------------------------------------------------------------------
    # People

    def invite(
        self, person: str, role: str, scope: str = EVERYWHERE, *, team: str | None = None, by: str = "admin"
    ) -> tuple[str, str]:
        """Make an invitation: its token, which is not stored, and when it expires."""
        self.add_person(person, role, scope, team=team, by=by)
        return self.issue_link(person, scope)

    def issue_link(self, person: str, scope: str = EVERYWHERE) -> tuple[str, str]:
        """An invitation for the roles that somebody has: its token, which is kept nowhere, and when it expires."""
        return self._new(person, "invite", scope, self.limits.invitation_days)

    def has_way_in(self, person: str) -> bool:
        """Whether a person has a valid link, session, password or token."""
        with self.store.read() as snapshot:
            return any(self._good(each, each.kind) or each.kind == "password" for each in snapshot.secrets(person))

    def add_person(
        self, person: str, role: str, scope: str = EVERYWHERE, *, team: str | None = None, by: str = "admin"
    ) -> None:
        """Somebody new, or somebody known, gets a role; in a team, unless told, of the same name."""
        if not _PERSON.fullmatch(person):
            hint = "use letters, digits, - and ., up to 60"
            raise UsageError(f"{person!r} cannot be the name of a person", hint=hint)
        if role not in ROLES:
            raise UsageError(
                f"there is no role {role!r}", hint=did_you_mean(role, ROLES) or f"choose from {', '.join(ROLES)}"
            )
        if (role == "admin") != (scope == EVERYWHERE):
            hint = "admin is a role on the whole server, every other one of a campaign"
            raise UsageError(f"the role {role} cannot be given in {scope!r}", hint=hint)
        if team is not None and role != "team":
            hint = "leave the team out, or use the role team"
            raise UsageError(f"a person with the role {role} is in no team", hint=hint)
        if role == "team":
            check_name(team or person, "a team")
        with self.store.read() as snapshot:
            known = snapshot.get(Person, person)
            check_overlap(snapshot, [*snapshot.roles(person), Role(person, scope, role)])
        if known is None or known.state != _ACTIVE:
            self._note("person", person, {"name": person, "state": _ACTIVE}, by)
        self._note("role", person, {"scope": scope, "role": role, "granted": True}, by)
        if role == "team":
            add_member(self.store, scope, team or person, person, by)

    def _note(self, kind: str, person: str, body: dict[str, Any], by: str) -> None:
        self.store.write([Write("admin", kind, person, body, by, f"access-{secrets.token_hex(8)}")])

    def revoke(self, person: str, *, by: str = "admin") -> int:
        """End everything that a person could come in by; the number of sessions, tokens, invitations, passwords."""
        with self.store.read() as snapshot:
            if snapshot.get(Person, person) is None:
                names = [each.id for each in snapshot.find(Person)]
                raise UsageError(f"nobody is called {person!r}", hint=did_you_mean(person, names) or "see serve people")
        self._note("person", person, {"name": person, "state": "revoked"}, by)
        return self.store.drop_secrets(person=person)

    # -----------------------------------------------------------------------------------------------------------------
    # Ways in

    def invitation(self, token: str) -> Secret:
        """The invitation of a link, if it can still be taken up."""
        with self.store.read() as snapshot:
            found = self._good(snapshot.get(Secret, _hashed(token)), "invite")
        if found is None or found.used:
            message = "this invitation was already used, has expired, or never existed"
            raise Fault(410, message, "ask the organiser for a new link")
        return found

    def take_up(self, token: str) -> str:
        """Start a session with an invitation, which is then used up; the value of the cookie."""
        found = self.invitation(token)
        if self.store.use_secret(found.hash) is None:
            raise Fault(410, "this invitation was already used", "ask the organiser for a new link")
        return self.start_session(found.person)

    def sign_in(self, person: str, password: str) -> str:
        """Start a session with a password; the value of the cookie."""
        from argon2.exceptions import Argon2Error, InvalidHashError

        with self.store.read() as snapshot:
            known = snapshot.get(Person, person)
            stored = [each.hash for each in snapshot.secrets(person) if each.kind == "password"]
        try:
            # An unknown name takes as long as a wrong password.
            self.hasher.verify(stored[0] if stored and known else self._nobodys, password)
        except (Argon2Error, InvalidHashError):
            raise Fault(401, "wrong name or password", "ask the organiser for a new link") from None
        return self.start_session(person)

    @cached_property
    def hasher(self) -> PasswordHasher:
        """Argon2id with the costs that its package recommends."""
        from argon2 import PasswordHasher

        return PasswordHasher()

    @cached_property
    def _nobodys(self) -> str:
        return self.hasher.hash(secrets.token_hex())

    def set_password(self, person: str, password: str) -> None:
        """Store a password as an argon2id hash, in place of the previous one."""
        if len(password) < _SHORTEST:
            raise Fault(422, f"the password has {len(password)} characters", f"use at least {_SHORTEST}")
        made = self.hasher.hash(password)
        with self.store.read() as snapshot:
            old = [each.hash for each in snapshot.secrets(person) if each.kind == "password"]
        for each in old:
            self.store.drop_secrets(person=person, hash=each)
        self.store.add_secret(Secret(made, person, "password", "", None, None, None))

    def token(self, who: Who) -> tuple[str, str]:
        """A token for programs, which is kept nowhere, and when it expires; a token makes no further ones."""
        if who.by != "session":
            raise Fault(403, "a token cannot create tokens", "sign in with a browser")
        return self.issue_token(who.person)

    def issue_token(self, person: str) -> tuple[str, str]:
        """A token of somebody, by whoever runs the server."""
        return self._new(person, "token", "", TOKEN_DAYS)

    def start_session(self, person: str) -> str:
        """The value of a cookie."""
        made, _ = self._new(person, "session", "", self.limits.session_days)
        return self._signer.sign(made).decode()

    def end_session(self, who: Who) -> None:
        """Sign out."""
        self.store.drop_secrets(person=who.person, hash=who.secret)

    def who(self, headers: Mapping[str, str], cookies: Mapping[str, str]) -> Who | None:
        """Whoever sends this, by a token or a cookie; None if that is nobody (any more)."""
        from itsdangerous import BadSignature

        kind, _, given = headers.get("authorization", "").partition(" ")
        if kind.lower() == "bearer":
            return self._who(given, "token")
        cookie = cookies.get(SECURE_COOKIE) or cookies.get(COOKIE)
        try:
            return self._who(self._signer.unsign(cookie).decode(), "session") if cookie else None
        except (BadSignature, ValueError):
            return None

    def _who(self, given: str, by: str) -> Who | None:
        with self.store.read() as snapshot:
            found = self._good(snapshot.get(Secret, _hashed(given)), by)
            if found is None:
                return None
            person = snapshot.get(Person, found.person)
            roles = frozenset((each.scope, each.role) for each in snapshot.roles(found.person))
        if person is None or person.state != _ACTIVE:
            return None
        if (found.last or "") < _iso(self.clock() - _SEEN) and not self.store.read_only:
            self.store.touch_secret(found.hash)
        return Who(person.id, person.name, roles, found.hash, by)

    def _good(self, found: Secret | None, kind: str) -> Secret | None:
        return found if found and found.kind == kind and (found.expires or "") > _iso(self.clock()) else None

    def _new(self, person: str, kind: str, scope: str, days: int) -> tuple[str, str]:
        made, expires = secrets.token_urlsafe(_BITS), _iso(self.clock() + days * _DAY)
        self.store.add_secret(Secret(_hashed(made), person, kind, scope, expires, None, None))
        return made, expires

    # -----------------------------------------------------------------------------------------------------------------
    # Requests that change data

    def csrf(self, who: Who) -> str:
        """The token that every write of a session has to carry."""
        return hmac.new(self._secret, b"csrf " + who.secret.encode(), hashlib.sha256).hexdigest()

    def check_csrf(self, who: Who | None, given: str, headers: Mapping[str, str], origin: str) -> None:
        """Refuse a write forged by another site."""
        site, sender = headers.get("sec-fetch-site", "same-origin"), place_of_url(headers.get("origin", origin))
        here = place_of_url(origin)
        if site not in ("same-origin", "none") or here is None or sender is None or sender[:2] != here[:2]:
            raise Fault(403, "this request came from another site", "open the page itself", error="csrf")
        if who is not None and who.by == "session" and not hmac.compare_digest(self.csrf(who).encode(), given.encode()):
            raise Fault(403, "the page is older than your session", "load it again", error="csrf")

    def check_rate(self, kind: str, name: str) -> None:
        """Refuse requests that exceed the rate."""
        wait = (self.sign_ins if kind == "sign-in" else self.writes).wait(name, self.clock())
        if wait:
            raise Fault(429, "too many requests", f"wait {wait:.0f} s" if wait > 1 else "wait a second")


class Rate:
    """So many a second, and at most so many at once, for each name.

    >>> rate = Rate(1, 2)
    >>> [rate.wait("ann", 0.0) for _ in range(3)], rate.wait("ann", 1.0), rate.wait("ben", 0.0)
    ([0.0, 0.0, 1.0], 0.0, 0.0)
    """

    def __init__(self, per_second: float, burst: int) -> None:
        self.per_second, self.burst = per_second, burst
        self._left: dict[str, tuple[float, float]] = {}

    def wait(self, name: str, now: float) -> float:
        """Seconds to wait, 0 if there is nothing to wait for; then it counts."""
        left, since = self._left.pop(name, (float(self.burst), now))
        left = min(float(self.burst), left + max(0.0, now - since) * self.per_second)
        waits = 0.0 if left >= 1 else (1 - left) / self.per_second
        self._left[name] = (left if waits else left - 1, now)
        while len(self._left) > _KNOWN:
            self._left.pop(next(iter(self._left)))
        return waits


def place_of_url(url: str) -> SplitResult | None:
    """The parts of an address, or None if it is none.

    >>> place_of_url("//[::1"), place_of_url("//[::1]:80").hostname
    (None, '::1')
    """
    try:
        return urlsplit(url)
    except ValueError:
        return None


def _hashed(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def _iso(seconds: float) -> str:
    """A time as the store writes it.

    >>> _iso(0)
    '1970-01-01T00:00:00.000000Z'
    """
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
