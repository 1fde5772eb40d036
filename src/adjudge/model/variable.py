"""A variable of a graph or a template: its name means nothing outside the structure that contains it."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from typing import Any, NoReturn


class Variable:
    """A latent variable; a field of this type is compared by the best matching of variables, not by name.

    >>> Variable("x") == Variable("x")
    True
    >>> Variable("x")
    Variable(name='x')
    """

    # Not a dataclass: libraries that read JSON into types would ask for an object {"name": ...} instead of a name.
    __slots__ = ("name",)
    __match_args__ = ("name",)

    name: str

    def __init__(self, name: str) -> None:
        object.__setattr__(self, "name", name)

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        raise FrozenInstanceError(f"cannot assign to {name!r}: a variable does not change")

    def __delattr__(self, name: str) -> NoReturn:
        raise FrozenInstanceError(f"cannot delete {name!r}: a variable does not change")

    def __eq__(self, other: object) -> bool:
        return self.name == other.name if isinstance(other, Variable) else NotImplemented

    def __hash__(self) -> int:
        return hash((Variable, self.name))

    def __repr__(self) -> str:
        return f"{type(self).__name__}(name={self.name!r})"

    def __reduce__(self) -> tuple[type[Variable], tuple[str]]:
        return type(self), (self.name,)
