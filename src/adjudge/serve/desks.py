"""Routes of those who decide and organise; what they do is done elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from io import BytesIO
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryDirectory, TemporaryFile
from typing import Any
from urllib.parse import quote
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from starlette.responses import Response, StreamingResponse

from adjudge.serve import adjudicate, organise
from adjudge.serve import agreement as agreeing
from adjudge.serve.api import desk, note_look, seen_version, tell
from adjudge.serve.app import Call, findings_of
from adjudge.serve.campaigns import files_of
from adjudge.serve.folder import SECRET
from adjudge.serve.messages import Added, Decide, Fault


def disputes(call: Call) -> list[dict[str, Any]]:
    """What readers disagree on, in all documents."""
    return adjudicate.disputes(desk(call))


def dispute(call: Call) -> dict[str, Any]:
    """The same for one document, with its text."""
    return adjudicate.dispute_view(desk(call), call.params["d"])


def decide(call: Call) -> dict[str, Any]:
    """Write the official answer."""
    verdict: Decide = call.body
    verdict.version = seen_version(call, verdict.version)
    made = adjudicate.decide(desk(call), call.params["d"], call.params["i"], verdict)
    tell(call)
    return made


def progress(call: Call) -> dict[str, Any]:
    """How far everybody is; whoever only reads sees the own row."""
    roles = call.person.roles_in(call.params["c"])
    return organise.progress(desk(call, looks_on="organiser" in roles or "admin" in roles))


def agreement(call: Call) -> list[dict[str, Any]]:
    """Kappa and alpha of every question, B3 and links of groups and events."""
    return agreeing.agreement(desk(call, looks_on=True))


def suggest(call: Call) -> dict[str, Any]:
    """Take the suggestions of a judge."""
    from adjudge.serve.exchange import suggest as take

    return {"items": take(desk(call), call.body.suggestions, call.body.key)}


def pool(call: Call) -> Added:
    """Add late responses."""
    home = call.service.folder.home(call.params["c"])
    done = organise.add_pool(desk(call, looks_on=True), home, call.body.files, call.body.texts)
    found = [findings_of(each.problem) | {"error": each.error} for each in done.findings]
    return Added(done.items, done.new, done.withdrawn, found)


def events(call: Call) -> dict[str, Any]:
    """What happened after an event: who, when, what; whoever does not organise sees the own events."""
    after = call.request.query_params.get("after", "0")
    if not (after.isascii() and after.isdecimal() and len(after) < 16):
        raise Fault(400, f"{after!r} is not a number of an event", "take that of the last answer")
    roles = call.person.roles_in(call.params["c"])
    return organise.events(desk(call), int(after), everybody=bool(roles & {"organiser", "admin"}))


def export(call: Call) -> Response:
    """Everything as an archive. That somebody has looked is written down; nobody who reads here may."""
    note_look(call, "export")
    campaign = call.params["c"]
    return archive_of(files_of(call.service.store, campaign), f"{campaign}.zip")


def backup(call: Call) -> Response:
    """Events, secrets and files of one moment; the key of the server is not in it."""
    from adjudge.serve.store import care

    def files() -> Iterator[tuple[str, Path]]:
        with TemporaryDirectory() as folder:
            care.backup(call.service.store, Path(folder) / "backup")
            for path in sorted((Path(folder) / "backup").rglob("*")):
                if path.is_file() and path.name != SECRET:
                    yield path.relative_to(folder).as_posix(), path

    return archive_of(files(), "backup.zip")


def archive_of(files: Iterable[tuple[str, bytes | Path]], name: str) -> Response:
    """A ZIP archive as it is sent: contents, or files, of which little is in memory."""
    made = TemporaryFile()  # noqa: SIM115
    try:
        with ZipFile(made, "w") as archive:
            for path, data in files:
                entry = ZipInfo(path)
                entry.compress_type = ZIP_DEFLATED
                with (
                    archive.open(entry, "w", force_zip64=True) as target,
                    data.open("rb") if isinstance(data, Path) else BytesIO(data) as source,
                ):
                    copyfileobj(source, target, 1 << 18)
        made.seek(0)
    except BaseException:
        made.close()
        raise

    def parts() -> Iterator[bytes]:
        with made:
            while part := made.read(1 << 18):
                yield part

    headers = {"content-disposition": f"attachment; filename*=utf-8''{quote(name)}"}
    return StreamingResponse(parts(), headers=headers, media_type="application/zip")


def give(call: Call) -> dict[str, Any]:
    """Give documents to a reader."""
    organise.check_reader(desk(call, looks_on=True), call.body.reader)
    made = organise.give(desk(call, looks_on=True), call.body.reader, call.body.scopes, double=call.body.double)
    for scope in made["given"][:1]:
        tell(call, scope)
    return made


def reopen(call: Call) -> dict[str, Any]:
    """Open a stage of a document again."""
    body = call.body
    here, by = desk(call, looks_on=True), call.person.person
    made = organise.reopen(here, call.params["d"], body.stage, body.why, body.key, by)
    tell(call)
    return made


def freeze(call: Call) -> dict[str, Any]:
    """Freeze a campaign, or thaw it."""
    return organise.freeze(desk(call, looks_on=True), call.body.frozen, call.body.key, call.person.person)
