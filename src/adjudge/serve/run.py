"""Run a server until it is interrupted; what may be reached from outside needs TLS, or a proxy that has it."""

from __future__ import annotations

import json
import logging
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from datetime import UTC, datetime
from ipaddress import ip_address
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import msgspec

from adjudge.errors import Problem, UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from adjudge.serve.folder import Folder

PORT = 8765
_GRACE = 3  # seconds that requests have when the server ends
_IDLE = 30  # seconds after which a silent connection is closed


class Address(msgspec.Struct, frozen=True, kw_only=True):
    """Where a server listens, and who encrypts."""

    host: str = "127.0.0.1"
    port: int = PORT
    cert: Path | None = None
    key: Path | None = None
    proxy: str | None = None

    @property
    def tls(self) -> bool:
        """Whether the server encrypts itself."""
        return self.cert is not None

    def check(self) -> None:
        """Refuse an address that others can reach without encryption.

        >>> Address(host="0.0.0.0").check()
        Traceback (most recent call last):
        adjudge.errors.UsageError: 0.0.0.0 can be reached from outside, and nothing would be encrypted, give ...
        """
        if (self.cert is None) != (self.key is None):
            raise UsageError("a certificate and its key go together", hint="give both --tls-cert and --tls-key")
        for file in (self.cert, self.key):
            if file is not None and not file.is_file():
                raise UsageError(Problem("there is no such file", str(file), hint="check the name"))
        if self.proxy is not None:
            try:
                ip_address(self.proxy)
            except ValueError:
                raise UsageError(f"{self.proxy!r} is not an address", hint="give the IP of the proxy") from None
        if not (_is_loopback(self.host) or self.tls or self.proxy):
            hint = "give --tls-cert and --tls-key, or --behind-proxy IP"
            raise UsageError(f"{self.host} can be reached from outside, and nothing would be encrypted", hint=hint)

    def url(self, port: int) -> str:
        """Where this machine reaches it.

        >>> Address(host="0.0.0.0", proxy="10.0.0.2").url(80), Address(host="::1").url(8765)
        ('http://127.0.0.1:80', 'http://[::1]:8765')
        """
        host = "127.0.0.1" if self.everywhere else f"[{self.host}]" if ":" in self.host else self.host
        return f"{'https' if self.tls else 'http'}://{host}:{port}"

    @property
    def everywhere(self) -> bool:
        """Whether it listens on all addresses of the machine, so that nobody knows by which one people reach it."""
        return self.host in ("0.0.0.0", "::")  # noqa: S104

    def hosts(self, url: str) -> frozenset[str] | None:
        """The names by which it may be called: those of this machine and of its public address, if that is known."""
        names = {"127.0.0.1", "localhost", "::1"}
        if url:
            return frozenset(names | {urlsplit(url).hostname or ""})
        return frozenset(names) if _is_loopback(self.host) and not self.proxy else None


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


class Running(msgspec.Struct, frozen=True, kw_only=True):
    """How a folder is served."""

    address: Address = Address()
    read_only: bool = False
    demo: bool = False
    workers: int = 1
    log: str = "text"


def need_packages() -> None:
    """Raise with what to install if a package is missing."""
    from importlib.util import find_spec

    missing = [name for name in ("starlette", "uvicorn", "itsdangerous", "argon2") if find_spec(name) is None]
    if missing:
        raise UsageError(f"serving needs {', '.join(missing)}", hint="run pip install 'adjudge[serve]'")


@contextmanager
def ended_by_term() -> Iterator[None]:
    """SIGTERM ends us as an interrupt does; else what is to be done at the end is not done."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


class JsonLines(logging.Formatter):
    """A line of JSON for each record: `at`, `level`, `message`, and what else belongs to it."""

    def format(self, record: logging.LogRecord) -> str:
        """One line."""
        at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        said = {"at": at, "level": record.levelname.lower(), "from": record.name, "message": record.getMessage()}
        if record.exc_info:
            said["error"] = self.formatException(record.exc_info)
        return json.dumps({**said, **getattr(record, "data", {})}, ensure_ascii=False)


def start_log(form: str) -> None:
    """Write what goes wrong to standard error; as JSON also every request and what becomes of runs."""
    if form == "text":
        logging.basicConfig(format="%(asctime)s %(levelname)s %(message)s", level=logging.WARNING)
        return
    handler = logging.StreamHandler()
    handler.setFormatter(JsonLines())
    logging.basicConfig(handlers=[handler], level=logging.WARNING)
    logging.getLogger("adjudge.serve").setLevel(logging.INFO)


def wait_for_end() -> None:
    """Return when the process is told to end."""
    try:
        threading.Event().wait()
    except KeyboardInterrupt:
        return


def serve(folder: Folder, how: Running, ready: Callable[[str], None]) -> None:
    """Serve a folder until the process is told to end; `ready` gets the address once requests are answered."""
    import uvicorn

    from adjudge.serve.app import Service, make_app
    from adjudge.serve.jobs import Keeper, Runner
    from adjudge.serve.listen import Patient, Server
    from adjudge.serve.settings import take_over
    from adjudge.serve.store import Store
    from adjudge.serve.tracks import sync_tracks

    address = how.address
    address.check()
    start_log(how.log)
    secure = address.tls or folder.settings.server.url.startswith("https:") or address.proxy is not None
    with Store.open(folder.path, folder.database, read_only=how.read_only, server=True) as store:
        service = Service(folder, store, secure=secure, demo=how.demo)
        if not how.read_only:
            take_over(folder, store, service.access)
            for said in sync_tracks(store, folder.settings.track):
                logging.getLogger("adjudge.serve").warning("%s", said)
            service.runner = Runner(store, how.workers)
        keeper = nullcontext() if how.read_only else Keeper(folder, store)
        config = uvicorn.Config(
            make_app(service, address.hosts(folder.settings.server.url)),
            host=address.host,
            port=address.port,
            ssl_certfile=address.cert,
            ssl_keyfile=address.key,
            proxy_headers=address.proxy is not None,
            forwarded_allow_ips=address.proxy,
            access_log=False,  # addresses of invitations are secrets
            log_level="warning",
            server_header=False,
            timeout_keep_alive=_IDLE,
            timeout_graceful_shutdown=_GRACE,
            lifespan="off",
            http=Patient,
        )

        def listens(port: int) -> None:
            folder.note_address(address.url(port), outside=address.everywhere or address.proxy is not None)
            ready(address.url(port))

        try:
            with ended_by_term(), service.runner or nullcontext(), keeper:
                Server(config, listens, service.hub.end).run()
        except KeyboardInterrupt:  # which it sends itself again once it has ended
            pass
        except SystemExit:  # it has reported the reason
            message = f"{address.host}:{address.port} cannot be used, something else may be listening there"
            raise UsageError(message, hint="give another --port") from None
