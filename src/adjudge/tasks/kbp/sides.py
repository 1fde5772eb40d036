"""Facts in memory or in a database, asked in the same way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from adjudge.tasks.kbp.paths_facts import Facts, total_walks
from adjudge.tasks.kbp.relations import only_relation
from adjudge.tasks.kbp.store import Stored, only_stored
from adjudge.tasks.kbp.store_facts import fact_number, relation_counts, total_stored_walks

if TYPE_CHECKING:
    import numpy.typing as npt

    Ints: TypeAlias = npt.NDArray[Any]

AnyFacts: TypeAlias = Facts | Stored


def folder_of(side: AnyFacts) -> str | None:
    """The folder of a database, for what else does not fit into memory; None for facts in memory.

    >>> from adjudge.tasks.kbp.paths_facts import make_facts
    >>> folder_of(make_facts([0], [0], [1])) is None
    True
    """
    return side.store.folder if isinstance(side, Stored) else None


def walks_of(side: AnyFacts, hops: int) -> list[int]:
    """How many walks of 1, 2, ... hops there are, exactly.

    >>> from adjudge.tasks.kbp.paths_facts import make_facts
    >>> walks_of(make_facts([0, 1], [0, 0], [1, 2]), 2)
    [2, 1]
    """
    return total_stored_walks(side, hops) if isinstance(side, Stored) else total_walks(side, hops)


def number_of(side: AnyFacts) -> int:
    """How many different triples there are.

    >>> from adjudge.tasks.kbp.paths_facts import make_facts
    >>> number_of(make_facts([0, 0], [0, 0], [1, 1], [0, 1]))
    1
    """
    return fact_number(side) if isinstance(side, Stored) else len(side.subjects)


def relations_in(side: AnyFacts, size: int) -> Ints:
    """How many different triples each relation has, of so many relations.

    >>> from adjudge.tasks.kbp.paths_facts import make_facts
    >>> relations_in(make_facts([0, 1], [0, 2], [1, 2]), 3).tolist()
    [1, 0, 1]
    """
    import numpy as np

    return relation_counts(side, size) if isinstance(side, Stored) else np.bincount(side.relations, minlength=size)


def of_relation(side: AnyFacts, relation: int) -> AnyFacts:
    """The facts of one relation.

    >>> from adjudge.tasks.kbp.paths_facts import make_facts
    >>> of_relation(make_facts([0, 1], [3, 4], [1, 2], [0, 0]), 4).subjects.tolist()
    [1]
    """
    return only_stored(side, relation) if isinstance(side, Stored) else only_relation(side, relation)
