"""Where the files of a store are: in a folder or an archive, with `arguments/` and `linking/` or flat.

2015    exactly arguments/ and linking/
2016    these and corpusLinking/
2014    arguments/ alone, or the files of the documents at the top
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

from adjudge.errors import Problem, is_fault, refusing
from adjudge.findings import Finding
from adjudge.formats.archive import SUFFIXES
from adjudge.formats.eal_lock import LOCK

Layout: TypeAlias = Literal["2014", "2015", "2016"]

FOLDERS: dict[Layout, tuple[str, ...]] = {
    "2014": ("arguments",),
    "2015": ("arguments", "linking"),
    "2016": ("arguments", "linking", "corpusLinking"),
}
_BACKUP = "*~"
_BACKUPS = ("~", ".bak", ".orig", ".swp", ".swo")
MANY = 5  # strays that are named one by one


class Tree(NamedTuple):
    """The names of the files and folders in a store, each with `/` between its parts; a folder has no path.

    `irregular` are those that are neither files nor folders: a pipe would block whoever reads it.
    """

    place: str
    entries: Mapping[str, str | None]
    packed: bool = False
    irregular: Collection[str] = ()


class Rooms(NamedTuple):
    """The files of each kind, by document; `linking` is None if the store has none. `flat`: they are at the top."""

    arguments: dict[str, str]
    linking: dict[str, str] | None
    flat: bool = False


def read_tree(folder: Path) -> Tree:
    """The entries of a folder and of the folders in it, no deeper."""
    entries: dict[str, str | None] = {}
    irregular: set[str] = set()
    todo = [""]

    def hint(error: Exception) -> str:
        return "give a folder or an archive" if isinstance(error, NotADirectoryError) else "check the path"

    with refusing("the store cannot be read", folder, hint):
        for prefix in todo:
            with os.scandir(folder / prefix) as found:
                for entry in found:
                    name = prefix + entry.name
                    kind = _kind(entry)
                    entries[name] = None if kind == "folder" else entry.path
                    if kind == "folder" and not prefix:
                        todo.append(f"{name}/")
                    elif not kind:
                        irregular.add(name)
    return Tree(str(folder), entries, irregular=irregular)


def _kind(entry: os.DirEntry[str]) -> str:
    """What an entry is, without asking the system about every file; a link that leads nowhere is nothing."""
    try:
        return "folder" if entry.is_dir() else "file" if entry.is_file() else ""
    except OSError as error:
        if is_fault(error):
            raise
        return ""


def is_junk(name: str) -> bool:
    """Whether a file or folder was left by the system or by an editor: it is not part of the data.

    >>> [is_junk(name) for name in ("__MACOSX/x", "arguments/.DS_Store", "arguments/._DOC1", "Thumbs.db", "DOC1~")]
    [True, True, True, True, True]
    """
    last = name[name.rfind("/") + 1 :]
    return (
        last.startswith(".")
        or last in ("Thumbs.db", "desktop.ini")
        or name.startswith("__MACOSX/")
        or name == "__MACOSX"
        or is_backup(last)
    )


def is_backup(name: str) -> bool:
    """Whether a file is what an editor keeps beside the one that somebody works on.

    >>> [is_backup(name) for name in ("DOC~", "#DOC#", "DOC.bak", ".DOC.swp", "DOC.orig", "DOC", "DOC#")]
    [True, True, True, True, True, False, False]
    """
    hash_marks = len(name) > 2 and name.startswith("#") and name.endswith("#")
    return hash_marks or name.startswith(".#") or name.lower().endswith(_BACKUPS)


def arrange(tree: Tree, layout: Layout | None = None) -> tuple[Rooms, list[Finding]]:
    """The files of a store by kind and document, and everything that should not be there.

    Without `layout` any of them is taken, and a missing `linking/` is not a complaint.
    """
    findings: list[Finding] = []
    names = _without_junk(tree, findings)
    tops = {name for name in names if "/" not in name}
    folders = {name for name in tops if tree.entries[name] is None}
    if layout in (None, "2014") and not folders and tops:
        return Rooms(_files(tree, "", names, findings), None, flat=True), findings
    wanted = FOLDERS[layout or "2016"]
    needed = FOLDERS[layout] if layout else FOLDERS["2014"]
    if len(folders) == 1 and not folders & set(FOLDERS["2016"]):
        inner = {name.partition("/")[2] for name in names if "/" in name}
        if "arguments" in inner:
            _wrapped(tree, folders.pop(), needed, findings)
            return Rooms({}, {}), findings
    for name in sorted(needed):
        if name not in folders:
            what = "is a file" if name in tops else "is missing"
            known = [each for each in folders if each.lower().rstrip("s") == name.lower().rstrip("s")]
            inside = "one file per document" if name != "corpusLinking" else "a file corpusLinking"
            hint = f"rename the folder {known[0]}/" if known else f"put {inside} into {name}/"
            findings.append(_finding("layout", f"the folder {name}/ {what}", tree.place, hint))
    only = " and ".join(f"{each}/" for each in (FOLDERS[layout] if layout else FOLDERS["2015"]))
    for kind, strays in (("folder", folders - set(wanted)), ("file", tops - folders - set(wanted))):
        shown = [f"the {kind} {name} does" for name in sorted(strays)]
        if len(strays) > MANY:
            shown = [f"{len(strays)} {kind}s such as {min(strays)} do"]
        for each in shown:
            message = f"{each} not belong here"
            findings.append(_finding("layout", message, tree.place, f"leave only {only} at the top"))
    arguments = _files(tree, "arguments/", names, findings)
    linking = _files(tree, "linking/", names, findings) if "linking" in folders else None
    return Rooms(arguments, linking), findings


def arrange_flat(tree: Tree) -> tuple[dict[str, str], list[Finding]]:
    """The files of a store that has one per document, and perhaps a lock: assessments, or reference frames."""
    findings: list[Finding] = []
    names = _without_junk(tree, findings) - {LOCK}
    return _files(tree, "", names, findings), findings


def _files(tree: Tree, prefix: str, names: Iterable[str], findings: list[Finding]) -> dict[str, str]:
    found: dict[str, str] = {}
    start = len(prefix)
    for name in sorted([name for name in names if name.startswith(prefix)] if prefix else names):
        document, path = name[start:], tree.entries[name]
        if "/" in document:
            continue  # its folder is reported
        kind, message, hint = "layout", "", ""
        if path is None:
            message, hint = "a folder among the documents", "put the files one level up"
        elif name in tree.irregular:
            message, hint = "this is not a regular file", "remove it"
        elif document.lower().endswith(SUFFIXES):
            message, hint = "an archive among the documents", "unpack it, and give what is in it"
        elif not document.isprintable() or document.strip() != document:
            kind, message = "document-name", f"{document!r} is not a document id"
            hint = "name the file after the document id"
        else:
            found[document] = path
            continue
        findings.append(_finding(kind, message, f"{tree.place}/{name}", hint))
    return found


def _without_junk(tree: Tree, findings: list[Finding]) -> set[str]:
    """The names that matter; in an archive the others are an error, in a folder only a remark."""
    junk = sorted(name for name in tree.entries if is_junk(name))
    kinds: dict[str, list[str]] = {}
    for name in junk:
        parts = name.split("/")
        if parts[0] == "__MACOSX":
            kind = "__MACOSX"
        elif is_backup(parts[-1]):
            kind = _BACKUP
        else:
            kind = "._*" if parts[-1].startswith("._") else parts[-1]
        kinds.setdefault(kind, []).append(name)
    for kind, names in kinds.items():
        many = f"{len(names)} entries such as {names[0]}" if len(names) > 1 else names[0]
        pattern = f"'{kind}/*' '{kind}'" if kind == "__MACOSX" else f"'*{kind}'"
        archive = Path(tree.place).name
        if kind == _BACKUP:
            pattern = f"'{names[0]}'"
        if not tree.packed:
            hint = "it is not read" if len(names) == 1 else "they are not read"
        elif archive.endswith(".zip"):
            hint = f"remove it with zip -d {archive} {pattern}"
        else:
            hint = f"make the archive with tar --exclude={pattern.split()[-1]}, on a Mac with COPYFILE_DISABLE=1"
        by = {"._*": "macOS", _BACKUP: "an editor, as a backup"}.get(kind, "the operating system")
        what = f"{'was' if len(names) == 1 else 'were'} put there by {by}"
        sort = "backup" if kind == _BACKUP else "junk"
        findings.append(_finding(sort, f"{many} {what}", tree.place, hint, error=tree.packed))
    return set(tree.entries) - set(junk)


def _wrapped(tree: Tree, folder: str, needed: Iterable[str], findings: list[Finding]) -> None:
    inside = " ".join(needed)
    if tree.packed:
        archive = Path(tree.place).name
        pack = f"zip -r ../{archive} {inside}" if archive.endswith(".zip") else f"tar czf ../{archive} {inside}"
        hint = f"pack what is in it instead: cd {folder} && {pack}"
    else:
        hint = f"give {tree.place}/{folder}"
    message = f"everything is inside the folder {folder}/; arguments/ must be at the top"
    findings.append(_finding("layout", message, tree.place, hint))


def _finding(kind: str, message: str, place: str, hint: str, *, error: bool = True) -> Finding:
    return Finding(kind, error, Problem(message, path=place, hint=hint))
