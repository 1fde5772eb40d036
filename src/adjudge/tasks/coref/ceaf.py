"""The best one-to-one alignment of chains, for CEAF: exact, and very cheap if most chains have a clear counterpart.

A cell that weighs at least as much as the best other cell of its row plus the best other cell of its column is in some
best alignment. Taking such cells until none is left solves nearly all of a real document. The rest falls into small
components, which are solved by enumerating subsets (loading the general solver takes longer than scoring a small
corpus), and rare large ones, which go to the general solver.
"""

from __future__ import annotations

from collections.abc import Mapping

Cells = Mapping[int, Mapping[int, float]]
_SUBSETS = 6  # columns of a component small enough for a table of all their subsets


def align(cells: Cells) -> dict[int, int]:
    """The heaviest one-to-one choice of cells, {row: {column: weight > 0}} -> {row: column}.

    max sum w_ij T_ij, sum_j T_ij <= 1, sum_i T_ij <= 1 (Eq. 13 with 1:1).

    >>> align({0: {0: 3, 1: 2}, 1: {0: 2}})
    {0: 1, 1: 0}
    """
    columns: dict[int, dict[int, float]] = {}
    for row, mine in cells.items():
        for column, weight in mine.items():
            if column in columns:
                columns[column][row] = weight
            else:
                columns[column] = {row: weight}
    mates: dict[int, int] = {}
    rest = {row: dict(mine) for row, mine in cells.items() if mine}
    _take_dominant(rest, columns, mates)
    while rest:
        mates.update(_solve(_take_component(rest, columns)))
    return mates


def _take_dominant(
    rows: dict[int, dict[int, float]], columns: dict[int, dict[int, float]], mates: dict[int, int]
) -> None:
    """Move cells that are in some best alignment from the table to `mates`, until none is left."""
    todo = list(reversed(rows))
    waiting = set(todo)
    while todo:
        row = todo.pop()
        waiting.discard(row)
        mine = rows.get(row)
        if mine is None:
            continue
        best, column, second = 0.0, -1, 0.0
        for other, weight in mine.items():
            if weight > best:
                best, column, second = weight, other, best
            elif weight > second:
                second = weight
        theirs = columns[column]
        rival = 0.0
        for other, weight in theirs.items():
            if weight > rival and other != row:
                rival = weight
        if best < second + rival:
            continue
        mates[row] = column
        del rows[row], columns[column]
        # Rows that lost a cell or a rival may now have a dominant cell.
        changed = []
        for other in theirs:
            if other != row:
                left = rows[other]
                del left[column]
                if left:
                    changed.append(other)
                else:
                    del rows[other]
        for other_column in mine:
            if other_column != column:
                rivals = columns[other_column]
                del rivals[row]
                changed.extend(rivals)
        for other in changed:
            if other not in waiting:
                waiting.add(other)
                todo.append(other)


def _take_component(
    rows: dict[int, dict[int, float]], columns: dict[int, dict[int, float]]
) -> dict[int, dict[int, float]]:
    """Remove the connected component of the first row from the table and return it, rows ascending."""
    first = next(iter(rows))
    found = {first: rows.pop(first)}
    todo = [first]
    while todo:
        for column in found[todo.pop()]:
            for row in columns.pop(column, ()):
                if row in rows:
                    found[row] = rows.pop(row)
                    todo.append(row)
    return {row: found[row] for row in sorted(found)}


def _solve(rows: dict[int, dict[int, float]]) -> dict[int, int]:
    names = sorted({column for mine in rows.values() for column in mine})
    if len(names) <= _SUBSETS:
        return _by_subsets(rows, {column: 1 << place for place, column in enumerate(names)})
    if len(rows) <= _SUBSETS:
        turned: dict[int, dict[int, float]] = {column: {} for column in names}
        for row, mine in rows.items():
            for column, weight in mine.items():
                turned[column][row] = weight
        found = _by_subsets(turned, {row: 1 << place for place, row in enumerate(rows)})
        return {row: column for column, row in found.items()}
    from adjudge.algebra.solve.assignment import max_weight_matching

    _, chosen = max_weight_matching([(row, column, w) for row, mine in rows.items() for column, w in mine.items()])
    return {row: column for row, column, _ in chosen}


def _by_subsets(rows: Mapping[int, Mapping[int, float]], bits: Mapping[int, int]) -> dict[int, int]:
    """The best choice for the rows so far and every set of used columns, row by row."""
    best: dict[int, tuple[float, tuple[tuple[int, int], ...]]] = {0: (0.0, ())}
    for row, mine in rows.items():
        extended = dict(best)
        for taken, (value, chosen) in best.items():
            for column, weight in mine.items():
                bit = bits[column]
                if not taken & bit and value + weight > extended.get(taken | bit, (0.0,))[0]:
                    extended[taken | bit] = (value + weight, (*chosen, (row, column)))
        best = extended
    return dict(max(best.values(), key=lambda found: found[0])[1])
