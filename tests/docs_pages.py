"""Runs everything that a page of the documentation shows, in the order in which it stands there.

The blocks of a page share a new folder and one Python namespace.

    ```python     is run; what a statement with a comment behind it prints, or is, must be what the comment says
    ```sh         is run, line by line; every command must end with 0
    ```console    has commands after `$ ` and below each what it prints; a line `...` stands for any number of lines
    ```json, yaml, toml, xml, tsv   are files that a later block uses
    ```text       is a file or an output if it says so, else something to look at

A line that begins with `` `NAME` `` or ends with `` `NAME`: `` before a block, or a comment `<!-- file: NAME -->`,
makes it a file. Other comments before a block: `<!-- output -->` (a text block is all that the block before it has
printed), `<!-- exit: N -->` (the last command ends with N), `<!-- not run: REASON -->`. Commands in a comment `<!--
setup ... -->` are run, but not shown.
"""

from __future__ import annotations

import ast
import contextlib
import io
import os
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from adjudge.cli import run

RUN = ("python", "sh", "console")
DATA = ("json", "yaml", "toml", "xml", "tsv")
LANGUAGES = (*RUN, *DATA, "text")
SETUP = "setup"

_FENCE = re.compile(
    r"^(?P<indent> *)(?P<ticks>```+)(?P<info>[^`\n]*)\n(?P<text>.*?)^(?P=indent)(?P=ticks) *$", re.M | re.S
)
_COMMENT = re.compile(r"^ *<!--\s*(?P<text>.*?)\s*-->[ \t]*$", re.M | re.S)
_FILE = r"`(?!adjudge\.)(?P<name>[\w./-]+\.\w+)`"
_NAMED = (re.compile(rf"^ *(?:[-*] )?{_FILE}[^\n]*:$"), re.compile(rf"{_FILE}:$"))
_CLAIM = re.compile(r"""[-\d"'\[\](){}]|True\b|False\b|None\b|inf\b|nan\b""")
_BREAKS = set("|;&<>()`")


class Block(NamedTuple):
    """A fenced block, or the commands of a hidden comment."""

    line: int
    language: str
    text: str
    said: dict[str, str]

    @property
    def is_run(self) -> bool:
        """Whether something is executed."""
        return self.language in (*RUN, SETUP) and "not run" not in self.said


class Failed(AssertionError):
    """A page shows what is not so."""


def blocks_of(text: str) -> list[Block]:
    """The blocks of a page, with what is said about each of them."""
    found: list[Block] = []
    fences = list(_FENCE.finditer(text))
    inside = [(fence.start(), fence.end()) for fence in fences]
    comments = [
        each for each in _COMMENT.finditer(text) if not any(start <= each.start() < end for start, end in inside)
    ]
    for each in comments:
        key, _, rest = each["text"].partition("\n")
        if key.strip() == SETUP:
            found.append(Block(_line(text, each.start()), SETUP, rest, {}))
    for fence in fences:
        indent, body = fence["indent"], fence["text"]
        if indent:
            body = re.sub(rf"^{indent}", "", body, flags=re.M)
        found.append(Block(_line(text, fence.start()), fence["info"].strip(), body, _said(text, fence.start())))
    return sorted(found)


def _line(text: str, place: int) -> int:
    return text.count("\n", 0, place) + 1


def _said(text: str, start: int) -> dict[str, str]:
    """What the comments right before a block say, and the name in the line before it."""
    said: dict[str, str] = {}
    before = text[:start].rstrip()
    while before.endswith("-->"):
        opening = before.rindex("<!--")
        key, _, value = before[opening + 4 : -3].partition(":")
        if key.partition("\n")[0].strip() != SETUP:
            said.setdefault(key.strip(), value.strip())
        before = before[:opening].rstrip()
    last = before.rpartition("\n")[2]
    for named in filter(None, (pattern.search(last) for pattern in _NAMED)):
        said.setdefault("file", named["name"])
    return said


def problems_of(text: str) -> Iterator[str]:
    """What is wrong with the blocks of a page before any of them is run."""
    blocks = blocks_of(text)
    rest = _COMMENT.sub("", _FENCE.sub("", text))
    if re.search(r"^ *```", rest, re.M):
        yield "a fence is not closed"
    for line in re.findall(r"^(?: {4}|\t)((?:\$ |adjudge |make |pip |python |import |from |>>> ).*)$", rest, re.M):
        yield f"put it into a fence, so that it is run: {line}"
    for place, block in enumerate(blocks):
        where, reason = f"line {block.line}", block.said.get("not run")
        unknown = set(block.said) - {"file", "output", "exit", "not run"}
        if unknown:
            yield f"{where}: nothing is known of {', '.join(sorted(unknown))}"
        if block.language not in (*LANGUAGES, SETUP):
            yield f"{where}: a block of {block.language!r} is never run; use {', '.join(LANGUAGES)}"
        elif reason is not None and len(reason.split()) < 3:
            yield f"{where}: say why it is not run"
        elif block.language in DATA and reason is None:
            name = block.said.get("file")
            later = "".join(each.text for each in blocks[place + 1 :] if each.is_run)
            if name is None:
                yield f"{where}: name the file that it is, `NAME`: or <!-- file: NAME -->"
            elif Path(name).name not in later and str(Path(name).parent) not in later.replace(".", " "):
                yield f"{where}: no later block uses the file {name}"
        elif block.language == "text" and not set(block.said) & {"file", "output", "not run"}:
            for line in block.text.splitlines():
                if re.match(r"(\$ |adjudge |>>> |import )", line):
                    yield f"{where}: a command in a text block is never run: {line}"


class Page:
    """A page that is being run: its folder, its namespace, and what it has printed last."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name, self.folder = name, folder
        self.space: dict[str, Any] = {"__name__": "page"}
        self.printed = ""

    def run(self, text: str) -> int:
        """Run all blocks, and give the number of those that were; modules of the page are forgotten afterwards."""
        path, modules = list(sys.path), set(sys.modules)
        try:
            return self._run(text)
        finally:
            for file in self.folder.glob("*.pid"):  # a server that a page has begun, and has not ended
                with contextlib.suppress(ProcessLookupError):
                    os.kill(int(file.read_text()), signal.SIGTERM)
            sys.path[:] = path
            for name in set(sys.modules) - modules:
                if str(getattr(sys.modules[name], "__file__", "")).startswith(str(self.folder)):
                    del sys.modules[name]

    def _run(self, text: str) -> int:
        number = 0
        for block in blocks_of(text):
            if "not run" in block.said:
                continue
            try:
                number += self._block(block)
            except Failed as error:
                raise Failed(f"{self.name}:{block.line}: {error}") from None
            except Exception as error:
                raise Failed(f"{self.name}:{block.line}: {type(error).__name__}: {error}") from error
        return number

    def _block(self, block: Block) -> bool:
        if "file" in block.said:
            path = Path(block.said["file"])
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text, encoding="utf-8")
        elif "output" in block.said:
            compare(block.text, self.printed)
        elif block.language == "python":
            self._python(block)
        elif block.language in ("sh", SETUP):
            self.printed = "".join(self._shell(line, 0)[0] for line in logical_lines(block.text))
        elif block.language == "console":
            self._console(block)
        else:
            return False
        return True

    def _python(self, block: Block) -> None:
        lines = block.text.splitlines()
        everything = []
        for node in ast.parse(block.text).body:
            shown = _comment(lines[(node.end_lineno or 0) - 1], node.end_col_offset or 0)
            code = ast.Interactive([node]) if isinstance(node, ast.Expr) else ast.Module([node], [])
            out, value = io.StringIO(), None
            with contextlib.redirect_stdout(out):
                if isinstance(node, ast.Expr):
                    value = eval(compile(ast.Expression(node.value), self.name, "eval", dont_inherit=True), self.space)
                else:
                    exec(compile(code, self.name, "exec", dont_inherit=True), self.space)
            everything.append(out.getvalue())
            if shown and isinstance(node, ast.Expr) and out.getvalue():
                compare(shown + "\n", out.getvalue())
            elif shown and isinstance(node, ast.Expr) and value is not None and _CLAIM.match(shown):
                check_value(shown, value)
        self.printed = "".join(everything)

    def _console(self, block: Block) -> None:
        parts = re.split(r"^\$ ", block.text, flags=re.M)
        if parts[0].strip():
            raise Failed("a console block begins with `$ ` and a command")
        whole = []
        for place, part in enumerate(parts[1:], 2):
            command, _, shown = re.sub(r"\\\n\s*", " ", part).partition("\n")
            code = int(block.said.get("exit", 0)) if place == len(parts) else 0
            out, err = self._shell(command, code)
            whole.append(out)
            if shown.strip():
                try:
                    compare(shown, out)
                except Failed:
                    if not err:
                        raise
                    compare(shown, out + err)
        self.printed = "".join(whole)

    def _shell(self, line: str, expected: int) -> tuple[str, str]:
        """Run one line: commands of ours here, everything else by a shell."""
        words = own_words(line)
        if words is not None and words[0] == "cd" and len(words) == 2:
            os.chdir(words[1])
            return "", ""
        code, out, err = _here(words[1:]) if words is not None and words[0] == "adjudge" else _there(line, self.folder)
        if code != expected:
            raise Failed(f"{line}: ends with {code}, not {expected}\n{out[-2000:]}{err[-2000:]}")
        return out, err


def logical_lines(text: str) -> list[str]:
    """The commands of a block: lines, with what is continued, and loops and here-documents as one.

    >>> logical_lines("a \\\\\\n  b\\n# no\\nfor x in y; do\\n  z\\ndone")
    ['a b', 'for x in y; do\\n  z\\ndone']
    """
    lines = re.sub(r"\\\n\s*", "", text).splitlines()
    found: list[str] = []
    until: str | None = None
    for line in lines:
        if until is not None:
            found[-1] += f"\n{line}"
            until = None if line.strip() == until else until
        elif line.strip() and not line.lstrip().startswith("#"):
            found.append(line)
            here = re.search(r"<<-?\s*['\"]?(\w+)", line)
            until = here[1] if here else "done" if re.match(r"(for|while) ", line) and "done" not in line else None
    return found


def own_words(line: str) -> list[str] | None:
    """The words of a simple command; None if it takes a shell to understand it."""
    parser = shlex.shlex(line, posix=True, punctuation_chars=True)
    parser.whitespace_split, parser.commenters = True, "#"
    words = list(parser)
    if "\n" in line or not words or any(set(word) <= _BREAKS for word in words) or "*" in line:
        return None
    return [os.path.expandvars(word) for word in words] if "$(" not in line else None


def _here(arguments: list[str]) -> tuple[int, str, str]:
    """Run a command of ours in this process, which takes a fraction of the time."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = run(arguments)
    texts = [each.buffer.getvalue().decode() for each in (out, err)]  # type: ignore[attr-defined]
    return code, texts[0], texts[1]


def _there(line: str, folder: Path) -> tuple[int, str, str]:
    """Run a line by a shell that knows where our program is."""
    bin_ = folder.parent / f"{folder.name}-bin"
    if not bin_.exists():
        bin_.mkdir()
        ours = f'"{sys.executable}" -c "from adjudge.cli import main; main()"'
        for name, called in (("adjudge", ours), ("python", f'"{sys.executable}"')):
            (bin_ / name).write_text(f'#!/bin/sh\nexec {called} "$@"\n')
            (bin_ / name).chmod(0o755)
    path = f"{bin_}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
    ran = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", line],
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
    )
    return ran.returncode, ran.stdout, ran.stderr


def compare(shown: str, printed: str) -> None:
    """Raise unless what is shown is what was printed; `...` alone in a line stands for any number of lines."""
    want = [line.rstrip() for line in shown.strip("\n").splitlines()]
    have = [line.rstrip() for line in printed.strip("\n").splitlines()]
    if not _fits(want, have):
        raise Failed("shown:\n{}\nprinted:\n{}".format("\n".join(want), "\n".join(have[:80])))


def _fits(want: list[str], have: list[str]) -> bool:
    parts: list[list[str]] = [[]]
    for line in want:
        if line.strip() == "...":
            parts.append([])
        else:
            parts[-1].append(line)
    if len(parts) == 1:
        return want == have
    first, *middle, last = parts
    if have[: len(first)] != first or len(have) < len(first) + len(last):
        return False
    if last and have[len(have) - len(last) :] != last:
        return False
    at, end = len(first), len(have) - len(last)
    for part in middle:
        starts = (place for place in range(at, end - len(part) + 1) if have[place : place + len(part)] == part)
        place = next(starts, None)
        if place is None:
            return False
        at = place + len(part)
    return True


def check_value(shown: str, value: Any) -> None:
    """Raise unless a value is what a comment says it is, as far as the comment has digits."""
    if shown in (str(value), repr(value)):
        return
    try:
        claimed = ast.literal_eval(shown)
    except (ValueError, SyntaxError):
        raise Failed(f"shown: {shown}\nis: {value!r}") from None
    digits = max((len(each) for each in re.findall(r"\.(\d+)", shown)), default=0)
    if not _close(claimed, value, 0.5000001 * 10**-digits):
        raise Failed(f"shown: {shown}\nis: {value!r}")


def _close(claimed: Any, value: Any, slack: float) -> bool:
    if isinstance(claimed, list | tuple) and isinstance(value, list | tuple):
        pairs = zip(claimed, value, strict=False)
        return len(claimed) == len(value) and all(_close(one, other, slack) for one, other in pairs)
    if isinstance(claimed, dict) and isinstance(value, dict):
        return claimed.keys() == value.keys() and all(_close(claimed[key], value[key], slack) for key in claimed)
    if isinstance(claimed, float):
        try:
            return abs(claimed - float(value)) <= slack
        except (TypeError, ValueError):
            return False
    return bool(claimed == value)


def _comment(line: str, start: int) -> str:
    """The comment behind a statement."""
    rest = line.encode()[start:].decode().strip()
    return rest.removeprefix("#").strip() if rest.startswith("#") else ""
