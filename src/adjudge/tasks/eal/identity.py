"""Which responses compete, which of them stands for the others, and which are right.

Of responses that compete, the one with the highest confidence is taken; of several with that confidence, the one with
the largest 2014 id, which is a hash of the content. So the choice depends neither on the order of lines nor on chance.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import NamedTuple, TypeAlias

from adjudge.formats.eal_ids import id_2014
from adjudge.model.eal import Argument, Assessment, Cas, Realis, Response

Cluster: TypeAlias = "int | Cas"  # a CAS outside all clusters stands for itself
Key: TypeAlias = Callable[[Response], Hashable]

ACCEPTABLE = frozenset(("C", "I"))


class Trfr(NamedTuple):
    """Type, role, filler, realis: the responses of a document that say the same."""

    document: str
    type: str
    role: str
    realis: Realis
    cluster: Cluster


def trfr(response: Response, cluster: Cluster) -> Trfr:
    """The class of a response whose CAS is in `cluster`.

    >>> from adjudge.model.eal import Span
    >>> bob = Response("d", "Life.Die", "Victim", Cas("Bob", Span(0, 2)), Span(0, 2), (Span(0, 9),), (), "Actual")
    >>> trfr(bob, 7)
    Trfr(document='d', type='Life.Die', role='Victim', realis='Actual', cluster=7)
    """
    return Trfr(response.document, response.type, response.role, response.realis, cluster)


def by_cluster(coref: Mapping[Cas, int]) -> Key:
    """The class of a response under a coreference; a CAS without a cluster stands for itself."""

    def key(response: Response) -> Trfr:
        return trfr(response, coref.get(response.cas, response.cas))

    return key


def best(arguments: Iterable[Argument]) -> Argument:
    """The argument with the highest confidence; of several, that with the largest 2014 id.

    Ids are computed only where confidences are equal. The same response with the same confidence on several lines: the
    one whose comment, first column and line come first.

    >>> from adjudge.model.eal import Span
    >>> bob = Response("d", "Life.Die", "Victim", Cas("Bob", Span(0, 2)), Span(0, 2), (Span(0, 9),), (), "Actual")
    >>> best([Argument(bob, 0.5), Argument(bob._replace(base_filler=Span(4, 5)), 0.75)]).confidence
    0.75
    """
    found = list(arguments)
    if len(found) == 1:
        return found[0]
    top = max(argument.confidence for argument in found)
    found = [argument for argument in found if argument.confidence == top]
    return found[0] if len(found) == 1 else min(found, key=_tie)


def _tie(argument: Argument) -> tuple[object, ...]:
    response = argument.response
    # Two contents may have one hash: then the content itself decides.
    comment = argument.comment
    return -id_2014(response), response, comment is not None, comment or "", argument.id, argument.line


def distinct(arguments: Iterable[Argument]) -> dict[Response, Argument]:
    """The best argument of each response, in the order in which the responses first appear."""
    arguments = list(arguments)
    found = {argument[0]: argument for argument in arguments}
    if len(found) == len(arguments):  # nearly always
        return found
    found = {}
    for argument in arguments:
        other = found.setdefault(argument.response, argument)
        if other is not argument:
            found[argument.response] = best((other, argument))
    return found


def is_good(response: Response, assessment: Assessment) -> bool:
    """Whether event type, role, CAS and base filler are correct or inexact, and the realis is the assessor's.

    >>> from adjudge.model.eal import Span
    >>> bob = Response("d", "Life.Die", "Victim", Cas("Bob", Span(0, 2)), Span(0, 2), (Span(0, 9),), (), "Actual")
    >>> is_good(bob, Assessment("C", "C", "I", "C", "Actual")), is_good(bob, Assessment("C", "C", "C", "C", "Other"))
    (True, False)
    """
    return _all(response, assessment, ACCEPTABLE)


def is_perfect(response: Response, assessment: Assessment) -> bool:
    """Whether event type, role, CAS and base filler are all correct, and the realis is the assessor's."""
    return _all(response, assessment, frozenset("C"))


def _all(response: Response, assessment: Assessment, accepted: frozenset[str]) -> bool:
    return (
        assessment.event_type in accepted
        and assessment.role in accepted
        and assessment.cas in accepted
        and assessment.base_filler in accepted
        and assessment.realis == response.realis
    )
