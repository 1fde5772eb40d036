"""The bundled miniature campaign: 24 short documents, gold relations and events, and three systems."""

from __future__ import annotations

from pathlib import Path


def _data() -> Path:
    """The folder of the demo data. A wheel has it as one archive, which is unpacked until the program ends."""
    folder = Path(__file__).parent / "data"
    if folder.is_dir():
        return folder
    import atexit
    import tempfile
    import zipfile

    unpacked = tempfile.TemporaryDirectory(prefix="adjudge-demo-")
    atexit.register(unpacked.cleanup)
    with zipfile.ZipFile(folder.with_suffix(".zip")) as archive:
        archive.extractall(unpacked.name)
    return Path(unpacked.name)


DATA = _data()
GOLD = DATA / "gold.jsonl"
SYSTEMS = {name: DATA / f"{name}.jsonl" for name in ("alder", "birch", "cedar")}
METRICS = ("relation.strict", "event.trigger-cls", "event.argument-cls")
