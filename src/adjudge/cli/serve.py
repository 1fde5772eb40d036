"""`adjudge serve`: a server for assessors, its people, and its care: checks, backups, keys, upgrades."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from adjudge.cli.options import Whole, choice, command, flag, format_option, section, value
from adjudge.cli.output import emit_json, emit_lines
from adjudge.serve.run import PORT, Address, Running, need_packages

if TYPE_CHECKING:
    from adjudge.serve.access import Access
    from adjudge.serve.folder import Folder
from adjudge.bounded import file_bytes
from adjudge.cli.options import Target
from adjudge.errors import FormatError, Problem, ValidationError
from adjudge.findings import counted
from adjudge.serve.folder import SECRET, SETTINGS, Folder, read_settings

_folder = click.Argument(["folder"], metavar="FOLDER")
_person = click.Argument(["name"], metavar="NAME")
_LOCAL = "127.0.0.1"
workers_option = value(
    "--workers",
    "N",
    "How many runs to score at once; 0 leaves it to adjudge serve worker.",
    type=Whole("give a number of workers, or 0"),
    default=1,
    show_default=True,
)
_READER = "you"
log_option = choice(
    "--log", ("text", "json"), "What is written to standard error; json: also every request and run.", default="text"
)


def _port(default: int) -> click.Option:
    about = "Port to listen on; 0 takes any free port."
    return value("--port", "N", about, type=Whole("give a port such as 8765"), default=default, show_default=True)


@command(
    "demo",
    _port(PORT),
    value("--keep", "FOLDER", "Create the folder here and keep it, instead of using a temporary one.", type=Path),
    examples=["adjudge serve demo"],
)
def demo(port: int, keep: Path | None) -> int:
    """Serve the bundled campaign, and print a link that opens on its first response.

    It needs no setup, and only this machine can reach it. Its folder is temporary and is removed when the server stops,
    unless --keep names one.
    """
    from tempfile import TemporaryDirectory

    need_packages()
    from adjudge.serve.demo import make_demo
    from adjudge.serve.run import serve

    with TemporaryDirectory(prefix="adjudge-demo-", ignore_cleanup_errors=True) as temporary:
        folder, token = make_demo(keep or Path(temporary) / "demo", _READER)

        def ready(url: str) -> None:
            removed = "it is in a temporary folder, which is removed when you stop the server"
            kept = f"it stays in {keep}" if keep else removed
            emit_lines([f"The bundled campaign; {kept}.", "", f"  {url}/join/{token}", "", "Ctrl-C ends it."])

        serve(folder, Running(address=Address(port=_free(port)), demo=True), ready)
    return 0


def _free(port: int) -> int:
    """The port, or any free one if it is in use."""
    import socket

    with socket.socket() as tried:
        tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            tried.bind((_LOCAL, port))
        except OSError:
            return 0
    return port


@command(
    "run",
    _folder,
    _port(PORT),
    value("--host", "ADDRESS", "The address to listen on.", default=_LOCAL, show_default=True),
    flag("--read-only", "Let people look, but not write."),
    workers_option,
    log_option,
    section(
        "Reached from outside",
        value("--tls-cert", "FILE", "The certificate, with its chain.", type=Path),
        value("--tls-key", "FILE", "Its key.", type=Path),
        value("--behind-proxy", "IP", "A proxy that encrypts; the addresses it reports are trusted."),
    ),
    examples=["adjudge serve run autumn", "adjudge serve run autumn --host 0.0.0.0 --behind-proxy 10.0.0.2"],
)
def run(folder: str, **options: Any) -> int:
    """Serve FOLDER until it is interrupted.

    Only this machine can reach it, unless --host says otherwise; that needs a certificate, or a proxy that has one.
    """
    need_packages()
    from adjudge.serve.folder import Folder
    from adjudge.serve.run import serve

    address = Address(
        host=options["host"],
        port=options["port"],
        cert=options["tls_cert"],
        key=options["tls_key"],
        proxy=options["behind_proxy"],
    )
    found = Folder(folder)

    def ready(url: str) -> None:
        lines = [f"{found.settings.server.name}: {found.settings.server.url or url}"]
        if found.settings.track:
            from adjudge.serve.child import describe

            lines.append(describe())
        emit_lines([*lines, "Ctrl-C ends it."])

    how = Running(address=address, read_only=options["read_only"], workers=options["workers"], log=options["log"])
    serve(found, how, ready)
    return 0


@command(
    "invite",
    _folder,
    click.Argument(["name"], metavar="[NAME]", required=False),
    flag("--all", "Invite everybody under [people] in serve.toml who has no link, session, password or token yet."),
    choice(
        "--role",
        ("assessor", "adjudicator", "organiser", "judge", "team", "admin"),
        "What the person may do.",
    ),
    value("--scope", "NAME", "The campaign or track; not needed if there is only one, or for admin."),
    value("--team", "TEAM", "The team, with --role team (default: the person's name)."),
    value("--url", "URL", "The address of the server, if it is neither in serve.toml nor where it listens."),
    flag("--token", "Print a token for programs instead of a link, such as that of an automatic judge."),
    examples=[
        "adjudge serve invite autumn ann --role assessor",
        "adjudge serve invite autumn tess --role team --team fast",
        "adjudge serve invite autumn robot --role judge --token",
        "adjudge serve invite autumn --all",
    ],
)
def invite(folder: str, name: str | None, role: str | None, **options: Any) -> None:
    """Give NAME a role, and print a link to send; it can be used once within 14 days, and is not stored."""
    from adjudge.errors import UsageError
    from adjudge.serve.settings import scope_of, take_over, uninvited

    team, given = options["team"], (name, role, options["scope"], options["team"])
    if options["all"] and (any(given) or options["token"]):
        raise UsageError("--all is for the people of serve.toml, with their roles", hint="give it alone, or with --url")
    if not options["all"] and (name is None or role is None):
        raise UsageError("who is invited, and as what?", hint="give NAME and --role, or --all")
    with _access(folder) as (found, access):
        take_over(found, access.store, access)
        if name is None or role is None:
            links = [(each, *access.issue_link(each)) for each in uninvited(found, access)]
        else:
            where = scope_of(access.store, role, options["scope"])
            access.add_person(name, role, where, team=team)
            if options["token"]:
                made, expires = access.issue_token(name)
                emit_lines([made, f"for programs of {name}, until {expires[:16].replace('T', ' ')} UTC"])
                return
            links = [(name, *access.issue_link(name, where))]
        base = (options["url"] or found.address or f"http://{_LOCAL}:{PORT}").rstrip("/")
        for person, made, expires in links:
            emit_lines([f"{base}/join/{made}", f"for {person}, one use, until {expires[:16].replace('T', ' ')} UTC"])
        if links and found.is_local and not options["url"]:
            hint = "give --url, or write url in serve.toml, if people reach the server elsewhere"
            emit_lines([f"the link is for this machine and port {base.rpartition(':')[2]}: {hint}"])
        if not links:
            emit_lines(["everybody under [people] in serve.toml has been invited"])


@command("people", _folder, format_option("text", "json"), examples=["adjudge serve people autumn"])
def people(folder: str, format_: str) -> None:
    """List all people on the server of FOLDER, their roles, and when they were last active."""
    from adjudge.serve.store.tables import Person

    with _access(folder) as (_, access), access.store.read() as snapshot:
        roles = snapshot.roles()
        rows: list[dict[str, Any]] = [
            {
                "person": each.id,
                "state": each.state,
                "roles": [{"scope": role.scope, "role": role.role} for role in roles if role.person == each.id],
                "sessions": len([1 for secret in snapshot.secrets(each.id) if secret.kind == "session"]),
                "last": max((secret.last or "" for secret in snapshot.secrets(each.id)), default="") or None,
            }
            for each in snapshot.find(Person)
        ]
    if format_ == "json":
        emit_json({"people": rows})
        return
    lines = []
    for row in rows:
        said = ", ".join(f"{each['role']} in {each['scope']}" for each in row["roles"]) or "no role"
        last = f"last seen {row['last'][:16].replace('T', ' ')} UTC" if row["last"] else "never seen"
        lines.append(f"{row['person']}  {row['state']}  {said}  {last}")
    emit_lines(lines or ["nobody yet: adjudge serve invite FOLDER NAME --role assessor"])


@command("revoke", _folder, _person, examples=["adjudge serve revoke autumn ann"])
def revoke(folder: str, name: str) -> None:
    """Revoke every session, token, password and invitation of NAME at once; their answers stay."""
    with _access(folder) as (_, access):
        ended = access.revoke(name)
        emit_lines([f"{name} can no longer sign in; ended: {ended}"])


@contextmanager
def _access(folder: str) -> Iterator[tuple[Folder, Access]]:
    """The people of a folder, also while a server is running."""
    need_packages()
    from adjudge.serve.access import Access
    from adjudge.serve.folder import Folder
    from adjudge.serve.store import Store

    found = Folder(folder)
    with Store.open(found.path, found.database) as store:
        yield found, Access(store, found.secrets, found.settings)


# ---------------------------------------------------------------------------------------------------------------------
# Care: checking, rebuilding, backups, keys, upgrades


@command(
    "verify",
    _folder,
    value("--heads", "FILE", "The manifest.json of an export: what it says of events must still hold.", type=Path),
    examples=["adjudge serve verify autumn"],
)
def verify(folder: str, heads: Path | None) -> None:
    """Check that nothing in FOLDER was changed or lost: the chains of events, the tables, the files.

    The server may be running. Removing the last events of a stream together with its head leaves no trace in the
    folder itself; --heads detects that too.
    """
    from adjudge.serve.store import Store, care

    noted = _heads(heads) if heads else None
    found = Folder(folder)
    with Store.open(found.path, found.database, read_only=True) as store:
        seen = care.verify(store, noted)
    if seen.problems:
        raise ValidationError(seen.problems).at(folder)
    said = f"{counted(seen.events, 'event')} in {counted(seen.streams, 'stream')}, {counted(seen.blobs, 'file')}"
    emit_lines([f"{folder}: {said}: everything is intact"])
    if seen.clock:
        emit_lines([f"the clock went back {counted(seen.clock, 'time')}; events are in the order of their numbers"])


def _heads(file: Path) -> dict[str, tuple[int, str]]:
    import msgspec

    class Manifest(msgspec.Struct):
        heads: dict[str, tuple[int, str]]

    try:
        return msgspec.json.decode(file_bytes(file), type=Manifest).heads
    except (OSError, msgspec.MsgspecError) as error:
        raise FormatError(Problem(f"no stream heads: {error}", str(file), hint="give a manifest.json")) from None


@command("rebuild", _folder, examples=["adjudge serve rebuild autumn"])
def rebuild(folder: str) -> None:
    """Rebuild all tables of FOLDER from its events, in one step. The server must not be running."""
    from adjudge.serve.store import Store, care

    found = Folder(folder)
    with Store.open(found.path, found.database, server=True) as store:
        other = care.rebuild(store)
    agreed = "every table agreed with the events"
    said = f"these tables differed from the events: {', '.join(other)}" if other else agreed
    emit_lines([f"{folder}: rebuilt from the events; {said}"])


@command(
    "backup",
    _folder,
    value(
        "-o --output", "BACKUP", "A new folder for it.", type=Target("this writes a folder, name one"), required=True
    ),
    examples=["adjudge serve backup autumn -o saved"],
)
def backup(folder: str, output: Any) -> None:
    """Back up everything that cannot be rebuilt into a new folder, a snapshot of one moment, while people work.

    It can be restored into SQLite or PostgreSQL, whichever it came from. Keep it as safe as FOLDER itself: it contains
    secret.key.
    """
    from adjudge.serve.store import Store, care

    found = Folder(folder)
    with Store.open(found.path, found.database, read_only=True) as store:
        last = care.backup(store, Path(output))
    emit_lines([f"{output}: {counted(last, 'event')}"])


@command(
    "restore",
    click.Argument(["backup"], metavar="BACKUP"),
    click.Argument(["folder"], metavar="FOLDER"),
    value("--database", "URL", "The empty PostgreSQL database to fill, if not the one that its serve.toml names."),
    examples=["adjudge serve restore saved autumn-2"],
)
def restore(backup: str, folder: str, database: str | None) -> None:
    """Restore a backup into FOLDER, which must be new or empty; all or nothing. Its chains of events are checked."""
    from adjudge.serve.store import care

    settings = Path(backup) / SETTINGS
    named = read_settings(settings).server.database if settings.is_file() else None
    number = care.restore(Path(backup), Path(folder), database or named)
    emit_lines([f"{folder}: {counted(number, 'event')}"])
    if database and database != named:
        emit_lines([f"next: write the database into {Path(folder) / SETTINGS}, or set ADJUDGE_DATABASE"])
    if not (Path(folder) / SECRET).is_file():
        emit_lines([f"there was no {SECRET} in the backup: put it there before you serve the folder"])


@command(
    "rotate",
    _folder,
    flag("--end-sessions", "Invalidate all cookies of the old key: everybody signs in again."),
    examples=["adjudge serve rotate autumn", "adjudge serve rotate autumn --end-sessions"],
)
def rotate(folder: str, end_sessions: bool) -> None:
    """Make a new key (secret.key) for FOLDER; restart the server to use it.

    People stay signed in until the next rotation; if the old key has leaked, use --end-sessions. Items keep their
    names; invitations, passwords and tokens stay valid.
    """
    Folder(folder).rotate(end_sessions=end_sessions)
    emit_lines([f"{folder}: a new key; restart the server, and back up {SECRET}"])


@command("upgrade", _folder, examples=["adjudge serve upgrade autumn"])
def upgrade(folder: str) -> None:
    """Upgrade the database of FOLDER to this release, after a backup. The server must not be running."""
    from adjudge.serve.store import care

    found = Folder(folder)
    old, new, saved = care.upgrade(found.path, found.database)
    if saved is None:
        emit_lines([f"{folder}: up to date (version {new})"])
    else:
        emit_lines([f"{folder}: upgraded from version {old} to {new}; the old state is in {saved}"])
