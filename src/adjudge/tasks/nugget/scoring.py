"""Score systems against gold nuggets."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from adjudge.evaluate.run import run_of
from adjudge.tasks.nugget.settings import Mode, settings
from adjudge.tasks.nugget.task import NuggetTask, evaluate_nuggets

if TYPE_CHECKING:
    from adjudge.stats.result import Result

_SETTINGS = ("types", "attributes", "coref", "sequencing", "coref_threshold", "coref_mapping")


def score(
    gold: Any,
    systems: Any,
    *,
    tokens: Any = None,
    profile: str = "spec",
    by: str | Iterable[str] = (),
    mode: Mode | None = None,
    suffix: str = ".tab",
    names: Sequence[str | None] | None = None,
    **options: Any,
) -> Result:
    """The scores of one or several systems: nuggets by span and attributes, coreference, and sequencing.

    `gold` and `systems` are paths of TBF files or lists of `NuggetDocument`; `systems` may be a list of paths or a
    mapping from names. `tokens` is the folder of the token tables, or a mapping from document ids to tables: with it
    places are tokens, without it they are what the gold file has, or `mode` says. `attributes` are those of which all
    combinations are scored. Coreference and sequencing are scored if there are such lines, or always or never (`coref`,
    `sequencing`), over the `coref_mapping` from a `coref_threshold` of Dice on. `types` lists the types that count;
    `by` also scores by `type` or `realis`. `pool` chooses between micro and macro averages; without it there are both.
    The other `options` are those of every task: `bootstrap`, `ci`, `seed`, `interval`, `test`, `docs`, `jobs` and
    `cluster` (see `adjudge.evaluate.run`).

    >>> from adjudge.model.nugget import Nugget, NuggetDocument
    >>> gold = [NuggetDocument("d", [Nugget("E1", "Life_Die", "Actual", "died", ("t3",))])]
    >>> system = [NuggetDocument("d", [Nugget("m1", "Life_Die", "Other", "has died", ("t2", "t3"))])]
    >>> score(gold, system, bootstrap=0)["nugget.type"].f1
    0.6667
    """
    chosen = settings(profile, **{name: options.pop(name) for name in _SETTINGS if name in options})
    run = run_of(by=by, **options)
    task = NuggetTask(chosen, tokens=tokens, suffix=suffix, mode=mode, by=run.by)
    return evaluate_nuggets(task, gold, systems, run, names=names).result()
