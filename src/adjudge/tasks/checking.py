"""What is wrong with files of a task, or with what is in memory, as findings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from adjudge.evaluate.validation import Checks
from adjudge.tasks.readers import GUESS, chosen

if TYPE_CHECKING:
    from adjudge.findings import Findings


def check_named(
    name: str,
    source: Any,
    *,
    gold: Any = None,
    reader: str = GUESS,
    metrics: Any = (),
    side: str | None = None,
    **options: Any,
) -> Findings:
    """The findings of a side of a family, or of coreference; `limit` and `severity` as on the command line."""
    limit, severity = options.pop("limit", None), options.pop("severity", {})
    if name == "coref":
        from adjudge.tasks.own import OwnRequest, own_request

        request = own_request(name, None, None, options)
        assert isinstance(request, OwnRequest)
        checks = Checks(limit=limit, severity=severity, gold=None if gold is None else _opened(request, gold))
        return request.task.validate(_opened(request, source), checks)
    from adjudge.tasks.adjusting import adjusted
    from adjudge.tasks.family import find_family
    from adjudge.tasks.request import request_of
    from adjudge.tasks.task import family_task

    family = find_family(name)
    request_of(name, None, None, {key: value for key, value in options.items() if key != "compat"})
    words = {key: options[key.replace("-", "_")] for key in family.options if key.replace("-", "_") in options}
    asked = {to: words[key] for key, to in family.of_metrics.items() if key in words}
    theirs = chosen(name, source, (), (reader, None), family.default).readers[0]
    found = family_task(family, theirs, metrics=metrics, adjust=adjusted(family, words), options=asked or None)
    checks = Checks(limit=limit, severity=severity, gold=_side(name, gold, options), side=side)
    return found.validate(_side(name, source, options), checks)


def _side(name: str, source: Any, options: Mapping[str, Any]) -> Any:
    """Files as they are, what is in memory as the documents that it stands for."""
    from adjudge.evaluate.sides import is_file
    from adjudge.tasks.request import request_of

    if source is None or is_file(source):
        return source
    return request_of(name, None, None, options).sides(source)[0]


def _opened(request: Any, source: Any) -> Any:
    from adjudge.evaluate.sides import is_file

    return source if is_file(source) else request.sides(source)[0]
