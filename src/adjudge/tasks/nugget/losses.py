"""What a conversion could not keep, counted."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from adjudge.errors import Problem

SHOWN = 3  # examples in a note


class Loss(NamedTuple):
    """Something that the target has no room for."""

    kind: str
    document: str
    item: str
    line: int = 0


KINDS = {
    "place": "{n} nugget{s} without any character left out",
    "no-token": "{n} nugget{s} without a whole token left out",
    "cut": "{n} nugget{s} that cover{v} only a part of some token, without which {is_} written",
    "grown": "{n} nugget{s} inside a token, of which the whole is taken",
    "shape": "{n} nugget{s} whose pieces are not those of the tokens; the tokens are kept, not the pieces",
    "gap": "{n} discontinuous nugget{s} written from the first character to the last",
    "line-break": "{n} nugget{s} cut at a line break, which is not kept",
    "id": "{n} nugget{s} renamed",
    "type": "{n} nugget type{s} written in another way",
    "realis": "{n} realis value{s} written in another way",
    "text": "{n} mention string{s} that differ{v} from the text, which is taken",
    "confidence": "{n} nugget{s} whose confidence is not kept",
    "system": "{n} document{s} whose system id is not kept",
    "no-text": "{n} document{s} whose text is not known, brat needs it beside the annotations: give it with --texts",
    "order": "{n} document{s} whose order of nuggets is not kept",
    "merged": "{n} coreference relation{s} that overlap{v} another, merged with it",
    "cluster": "{n} coreference relation{s} of less than two nuggets left out",
    "unknown": "{n} relation{s} with nuggets that are not there, without which {is_} written",
    "relation": "{n} relation{s} left out",
    "relation-name": "{n} relation{s} renamed",
    "relation-id": "{n} relation id{s} not kept",
}
"""What is said of each kind of loss."""


def summary(losses: Iterable[Loss], *, path: str | None = None) -> list[Problem]:
    """A note for each kind of loss: how many, and the first of them.

    >>> print(*summary([Loss("grown", "a", "E1", 7), Loss("grown", "a", "E3", 9)], path="gold.tbf"))
    gold.tbf:7: 2 nuggets inside a token, of which the whole is taken (a E1, a E3)
    """
    found: dict[str, list[Loss]] = {}
    for loss in losses:
        found.setdefault(loss.kind, []).append(loss)
    notes = []
    for kind, form in KINDS.items():
        if members := found.get(kind):
            one = len(members) == 1
            message = form.format(
                n=len(members), s="" if one else "s", v="s" if one else "", is_="it is" if one else "they are"
            )
            examples = [f"{loss.document} {loss.item}".strip() for loss in members[:SHOWN]]
            more = ", ..." if len(members) > SHOWN else ""
            notes.append(Problem(f"{message} ({', '.join(examples)}{more})", path=path, line=members[0].line or None))
    return notes
