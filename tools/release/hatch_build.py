"""The wheel's copy of the demo data: one archive rather than 146 small files, which saves 80 kB.

Files of the same document are next to each other, because they repeat each other; `adjudge.demo` unpacks the archive.
"""

from __future__ import annotations

import tempfile
import zipfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


def pack_demo(data: Path, target: Path) -> None:
    """Write the same bytes for the same files, whoever packs them and when."""
    files = (path for path in data.rglob("*") if path.is_file())
    with zipfile.ZipFile(target, "w") as archive:  # stored: the wheel compresses all of it at once
        for path in sorted(files, key=lambda path: (path.relative_to(data).parts[0], path.stem, path.as_posix())):
            archive.writestr(zipfile.ZipInfo(path.relative_to(data).as_posix()), path.read_bytes())


class DemoArchive(BuildHookInterface):  # type: ignore[misc]
    """Called by hatchling for every wheel; an editable install reads the files themselves."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Pack the data and add the archive to the wheel."""
        if version == "standard":
            self._folder = tempfile.TemporaryDirectory()
            archive = Path(self._folder.name, "data.zip")
            pack_demo(Path(self.root, "src/adjudge/demo/data"), archive)
            build_data["force_include"][str(archive)] = "adjudge/demo/data.zip"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002
        """Remove the temporary archive."""
        if version == "standard":
            self._folder.cleanup()
