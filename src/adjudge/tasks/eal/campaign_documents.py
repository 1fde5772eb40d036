"""The documents of a campaign: which they are, whether their texts are in order, and what lies beside them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from adjudge.errors import FormatError, Problem, UsageError, did_you_mean
from adjudge.formats.eal_sources import Sources
from adjudge.formats.findings import Finding, errors_of
from adjudge.model.whereabouts import not_utf8
from adjudge.tasks.eal.assess_files import open_assessments
from adjudge.tasks.eal.campaign_settings import FILE, CampaignSettings
from adjudge.tasks.eal.quotes import find_quotes

Required: TypeAlias = "Collection[str] | Literal['all'] | None"


@dataclass(frozen=True, slots=True)
class Documents:
    """Those that `campaign.toml` lists, else every document that has a text."""

    listed: tuple[str, ...] | None
    sources: Sources

    def __contains__(self, document: object) -> bool:
        return document in (self.sources if self.listed is None else self.listed)

    def required(self, settings: CampaignSettings) -> Required:
        """The documents that a submission must have."""
        if settings.missing == "empty":
            return None
        return "all" if self.listed is None else self.listed

    def strays(self, names: Iterable[str]) -> list[str]:
        """The files that are of no document."""
        return [name for name in names if name not in self]

    def stray_findings(self, folder: Path, names: Iterable[str]) -> list[Finding]:
        """A warning for each file that is of no document."""
        known = self.sources.one_each() if self.listed is None else self.listed
        message = "this is no document of the campaign and is not scored"
        found = []
        for name in self.strays(names):
            hint = did_you_mean(name, known) or "keep it elsewhere"
            found.append(Finding("stray-file", False, Problem(message, path=str(folder / name), hint=hint), name))
        return found


def read_documents(folder: Path, settings: CampaignSettings) -> Documents:
    """The documents of the campaign in a folder; it is an error if the list of them cannot be read."""
    listed = settings.documents
    if isinstance(listed, str) and listed:
        listed = _read_list(folder / listed)
    names = tuple(dict.fromkeys(each.strip() for each in listed))
    return Documents(names or None, Sources(folder / "sources"))


def _read_list(path: Path) -> tuple[str, ...]:
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise FormatError(not_utf8(error, str(path))) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        hint = f"check `documents` in {FILE}"
        raise UsageError(Problem(f"the list of documents cannot be read: {reason}", str(path), hint=hint)) from None
    names = tuple(line.strip() for line in lines if line.strip() and not line.startswith("#"))
    if not names:
        hint = f"write one id on each line, or take `documents` out of {FILE}"
        raise FormatError(Problem("the list has no documents", path=str(path), hint=hint))
    return names


def check_sources(documents: Documents, settings: CampaignSettings) -> list[Finding]:
    """What is wrong with the texts of a campaign: texts that are not there or cannot be read, and open quotations."""
    found: list[Finding] = []
    sources = documents.sources
    exact = settings.rules().quote_tags == "exact"
    for document in sources.one_each() if documents.listed is None else documents.listed:
        try:
            text = sources.text(document)
        except (FormatError, UsageError) as error:
            found += [Finding("text", True, problem, document) for problem in error.problems]
            continue
        unclosed = find_quotes(text, path=sources.place(document), exact=exact)[1]
        found += [Finding("quote", exact and settings.quotes, problem, document) for problem in unclosed]
    return found


def sound_documents(assessments: Path, documents: Documents) -> list[str]:
    """The documents of the campaign whose assessments follow the rules of the file."""
    store = open_assessments(assessments)
    try:
        names = [document for document in store.documents if document in documents]
        return [document for document in names if not errors_of(store.scan_key(document)[1])]
    finally:
        store.close()


def named(names: Sequence[str], shown: int = 3) -> str:
    """Some names, and how many more there are.

    >>> named(["a", "b"]), named(["a", "b", "c", "d", "e"])
    ('a, b', 'a, b, c and 2 more')
    """
    more = f" and {len(names) - shown} more" if len(names) > shown else ""
    return ", ".join(names[:shown]) + more
