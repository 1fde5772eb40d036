"""The folder of a server: `serve.toml` with its settings and `secret.key`; the store and its blobs are beside them."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
from pathlib import Path
from typing import Annotated, Any

import msgspec

from adjudge.errors import Problem, UsageError
from adjudge.files import write_atomically
from adjudge.formats.json_file import parse_toml
from adjudge.formats.source import read_text
from adjudge.serve.schema import Complaints, built

SETTINGS, SECRET, ADDRESS = "serve.toml", "secret.key", "address"
DATABASE = "ADJUDGE_DATABASE"
_BYTES = 32
Share = Annotated[float, msgspec.Meta(ge=0, le=1)]
Roles = str | dict[str, str | list[str]]
"""A role of somebody in the only campaign (or track), or roles by the names of these."""
_OUTSIDE = "people reach it by another address\n"


class Server(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The name of the server, its outside address, and its database if that is not a file in the folder."""

    name: str = "adjudge"
    url: str = ""
    database: str | None = None


class Limits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How much of anything is answered: attempts to sign in by an address, writes by a person, bytes of a request."""

    sign_in_per_minute: int = 10
    writes_per_second: int = 20
    body_bytes: int = 1_000_000
    session_days: int = 30
    invitation_days: int = 14


class OfCampaign(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A campaign: its folder of `adjudge eal campaign`, or its texts; and what is not as usual.

    Documents that nobody has go to the `readers` in equal parts, and `double_share` of them to a second one. With
    `allow_overlap` members of teams may judge what teams hand in; with `confirm` a response that is answered waits for
    Enter before the next one comes. All but the first two holds once `adjudge.serve.settings` has taken it over.
    """

    folder: str | None = None
    texts: str | None = None
    schema: str | None = None
    readers: tuple[str, ...] = ()
    double_share: Share = 0.0
    validity_share: Share | None = None
    training: str | None = None
    allow_overlap: bool = False
    confirm: bool = False


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All of `serve.toml`; what a track is told is checked by those who use it."""

    server: Server = Server()
    limits: Limits = Limits()
    people: dict[str, Roles] = {}
    campaign: dict[str, OfCampaign] = {}
    track: dict[str, dict[str, Any]] = {}


class Folder:
    """A folder that exists; its settings are read once."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        file = self.path / SETTINGS
        if not file.is_file():
            problem = Problem(
                f"there is no {SETTINGS} in it", str(path), hint="make one with adjudge serve init FOLDER"
            )
            raise UsageError(problem)
        self.settings = read_settings(file)

    @classmethod
    def create(cls, path: str | os.PathLike[str], settings: str = "") -> Folder:
        """A new folder, or one that exists and is empty; nobody else on the machine may look into it."""
        folder = Path(path)
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise UsageError(Problem("it already exists", str(path), hint="name a new or an empty folder"))
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        name = json.dumps(folder.resolve().name, ensure_ascii=False)  # as TOML writes it
        (folder / SETTINGS).write_text(settings or f"[server]\nname = {name}\n", encoding="utf-8")
        write_secret(folder / SECRET, secrets.token_hex(_BYTES))
        return cls(folder)

    @property
    def database(self) -> str | None:
        """The address of a database that is not a file of this folder."""
        return os.environ.get(DATABASE) or self.settings.server.database

    @property
    def address(self) -> str:
        """Where people reach its server: as `serve.toml` says, or where one listens or has listened last; or ""."""
        file = self.path / ADDRESS
        return self.settings.server.url or (file.read_text("ascii").partition("\n")[0] if file.is_file() else "")

    def note_address(self, url: str, *, outside: bool) -> None:
        """Remember where its server listens, for links; `outside`: people reach it by another address."""
        with contextlib.suppress(OSError):  # of a folder that is read alone
            write_atomically(self.path / ADDRESS, f"{url}\n{_OUTSIDE * outside}".encode())

    @property
    def is_local(self) -> bool:
        """Whether its address is that of one machine, and people may reach it by another one."""
        file = self.path / ADDRESS
        return not self.settings.server.url and (not file.is_file() or len(file.read_text("ascii").split("\n")) > 2)

    def home(self, campaign: str) -> Path | None:
        """The folder of `adjudge eal campaign` that a campaign was made from."""
        given = self.of(campaign).folder
        return None if given is None else self.path / given

    def of(self, campaign: str) -> OfCampaign:
        """What is said of a campaign."""
        return self.settings.campaign.get(campaign, OfCampaign())

    @property
    def secret(self) -> bytes:
        """What signs: cookies, and the names that items have outside. It is in no database, log or export."""
        return self.secrets[0]

    @property
    def secrets(self) -> list[bytes]:
        """The key, and the one before it, whose cookies are still good."""
        file = self.path / SECRET
        try:
            mode, lines = file.stat().st_mode & 0o777, file.read_text(encoding="ascii").split()
            found = [bytes.fromhex(line) for line in lines] or [b""]
        except (OSError, ValueError) as error:
            problem = Problem("this is not a key of a server", str(file), hint="take it from a backup of the folder")
            raise UsageError(problem) from error
        short = min(map(len, found))
        if short < _BYTES:
            raise UsageError(Problem(f"the key has {short} bytes, not {_BYTES}", str(file), hint="restore it"))
        if os.name == "posix" and mode & 0o077:
            raise UsageError(Problem("others can read the key", str(file), hint=f"run chmod 600 {file}"))
        return found

    def rotate(self, *, end_sessions: bool = False) -> None:
        """Make a new key. Cookies of the one before stay good unless told; of older ones they do not."""
        kept = [] if end_sessions else [self.secret.hex()]
        new = self.path / f".{SECRET}.new"
        new.unlink(missing_ok=True)
        write_secret(new, "\n".join([secrets.token_hex(_BYTES), *kept]))
        new.replace(self.path / SECRET)


def read_settings(file: Path) -> Settings:
    """What `serve.toml` says, or every way in which it is wrong.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = (Path(folder) / "serve.toml").write_text("[server]" + chr(10) + 'nme = "x"')
    ...     read_settings(Path(folder) / "serve.toml")
    Traceback (most recent call last):
    adjudge.errors.FormatError: ...serve.toml:2:1: there is no 'nme' in server, did you mean name?
    """
    whole, text = read_text(file)
    complaints = Complaints(text, whole.place, "correct it")
    made: Settings | None = built(Settings, parse_toml(text, whole.place), (), complaints)
    complaints.end()
    assert made is not None
    return made


def write_secret(file: Path, text: str) -> None:
    """Write a file that is readable by its owner only, from its creation on."""
    with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as opened:
        opened.write(text + "\n")
