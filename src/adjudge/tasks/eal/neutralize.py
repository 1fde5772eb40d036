"""Diagnostics: what the score would be if realis, or the choice among coreferent strings, did not matter.

Realis: everything becomes Actual, in the responses, the assessments and the linking. Coreference, after realis: a
response with the right base filler and a wrong CAS becomes a correct response of the key to the same question.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, TypeAlias

from adjudge.errors import UsageError
from adjudge.formats.eal_ids import id_2014
from adjudge.model.eal import AnswerKey, Argument, Arguments, Assessment, Linking, Response
from adjudge.tasks.eal.changes import Outcome, Remark, change_linking, replace
from adjudge.tasks.eal.identity import ACCEPTABLE, is_good

Generics: TypeAlias = Literal["singleton", "unlinked"]
Order: TypeAlias = Literal["file", "hash"]
First: TypeAlias = Literal["smallest", "key"]


def neutralize_realis(arguments: Arguments, linking: Linking | None, *, generics: Generics = "singleton") -> Outcome:
    """All responses as Actual; of those that have become equal the most confident.

    A response that was Generic is in no hopper. It gets one of its own, unless its new form is linked already; or it
    stays outside (`unlinked`), as in the official program, where it vanishes in the next step.

    >>> from adjudge.model.eal import Cas, Span
    >>> bob = Response("d", "Life.Die", "Victim", Cas("Bob", Span(0, 2)), Span(0, 2), (Span(0, 9),), (), "Generic")
    >>> outcome = neutralize_realis(Arguments("d", [Argument(bob)]), Linking("d"))
    >>> [argument.response.realis for argument in outcome.arguments.arguments], len(outcome.linking.frames)
    (['Actual'], 1)
    """
    mapping = {
        argument.response: (_actual(argument.response), f"realis-was-{argument.response.realis.lower()}")
        for argument in arguments.arguments
        if argument.response.realis != "Actual"
    }
    outcome = replace(arguments, linking, mapping)
    if outcome.linking is None or generics == "unlinked":
        return outcome
    linked = frozenset[Response]().union(*(frame.responses for frame in outcome.linking.frames))
    outside = [actual for old, (actual, _) in mapping.items() if old.realis == "Generic" and actual not in linked]
    return outcome._replace(linking=change_linking(outcome.linking, add=outside)) if outside else outcome


def neutralize_realis_key(key: AnswerKey, *, order: Order = "file") -> AnswerKey:
    """All responses of a key and all answers about realis as Actual.

    Of responses that have become equal, the last that was not Actual gives the assessment. With `order="hash"` they
    come out in the order of the official program.
    """
    assessed: dict[Response, Assessment] = {}
    for original in (True, False):  # those that change come behind the others
        for response, assessment in key.assessed.items():
            if (response.realis == "Actual") is original:
                asked = assessment.realis is not None
                assessed[_actual(response)] = assessment._replace(realis="Actual") if asked else assessment
    if order == "hash":
        assessed = {response: assessed[response] for response in hash_order(assessed, len(key.assessed))}
    unassessed = dict.fromkeys(map(_actual, key.unassessed))
    return AnswerKey(key.document, assessed, [each for each in unassessed if each not in assessed], key.coref)


def hash_order(responses: Iterable[Response], size: int) -> list[Response]:
    """Responses as a hash table of Java gives them back: by the low bits of their 2014 ids, else as they come.

    `size` is the number of entries for which the table was made.
    """
    capacity = 1
    while capacity < int(size / 0.75 + 1):
        capacity *= 2

    def bucket(response: Response) -> int:
        number = id_2014(response) & 0xFFFFFFFF
        return (number ^ number >> 16) & (capacity - 1)

    return sorted(responses, key=bucket)


def neutralize_coref(
    arguments: Arguments, linking: Linking | None, key: AnswerKey, *, first: First = "smallest"
) -> Outcome:
    """Replace responses whose base filler is right and whose CAS is not, or remove them if the key has no better one.

    The replacement is a good response of the key with the same type, role and base filler, else with the same type and
    role: the one with the smallest CAS span and 2014 id, or the first in the order of the key. Realis must be neutral
    on both sides. Responses without assessment stay, with a remark.
    """
    _check_neutral(arguments, key)
    good = [response for response, assessment in key.assessed.items() if is_good(response, assessment)]
    if first == "smallest":
        good.sort(key=lambda response: (response.cas.span, id_2014(response), response))
    same_filler: dict[tuple[object, ...], Response] = {}
    same_role: dict[tuple[object, ...], Response] = {}
    for response in good:
        same_filler.setdefault((response.type, response.role, response.base_filler), response)
        same_role.setdefault((response.type, response.role), response)
    mapping: dict[Response, tuple[Response, str]] = {}
    gone: dict[int, tuple[str, Argument | None]] = {}
    remarks: list[Remark] = []
    for place, argument in enumerate(arguments.arguments):
        response = argument.response
        assessment = key.assessed.get(response)
        if assessment is None:
            remarks.append(Remark(argument, "unassessed", "nobody has assessed it, so it stays as it is"))
        elif assessment.base_filler in ACCEPTABLE and assessment.cas not in ACCEPTABLE:
            question = response.type, response.role
            if (*question, response.base_filler) in same_filler:
                mapping[response] = same_filler[*question, response.base_filler], "correct-cas-for-base-filler"
            elif question in same_role:
                mapping[response] = same_role[question], "correct-cas-for-role"
            else:
                gone[place] = "no-correct-cas", None
    return replace(arguments, linking, mapping, gone, remarks=remarks)


def _actual(response: Response) -> Response:
    return response if response.realis == "Actual" else response._replace(realis="Actual")


def _check_neutral(arguments: Arguments, key: AnswerKey) -> None:
    realis = {argument.response.realis for argument in arguments.arguments}
    realis |= {response.realis for response in key.assessed}
    realis |= {assessment.realis for assessment in key.assessed.values() if assessment.realis is not None}
    if realis - {"Actual"}:
        message = f"{arguments.document}: coreference can be neutralised only where realis is"
        raise UsageError(message, hint="neutralise realis as well, in the store and in the key")
