"""A variable of a graph or a template: its name means nothing outside the structure it stands in."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Variable:
    """A latent variable; a field of this type is compared by the best matching of variables, not by name.

    >>> Variable("x") == Variable("x")
    True
    """

    name: str
