"""What `kbp query` and `kbp pooling-bias` have in common: options and their values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

from adjudge.cli.options import compose

if TYPE_CHECKING:
    from adjudge.tasks.kbp.answers import Policy
    from adjudge.tasks.kbp.query_inputs import Answers

F = TypeVar("F", bound=Callable[..., Any])

VIEWS = ("each", "best", "mean")
MATCHES = ("assessed", "exact", "case")


def limits(_: click.Context, __: click.Parameter, text: str | None) -> tuple[int, int] | None:
    """Justifications in one document and in all, as 1:3; M is any number."""
    if text is None:
        return None
    parts = text.split(":")
    if len(parts) != 2 or not all(
        part == "M" or (part.isdigit() and part.isascii() and 0 < len(part) < 5) for part in parts
    ):
        raise click.BadParameter(f"{text!r} is not possible, write for example 1:3, with M for any number")
    each, all_ = (0 if part == "M" else int(part) for part in parts)
    return each, all_


def policy_options(*, unassessed: str) -> Callable[[F], F]:
    """The options of the policy; what is not assessed differs in its default."""
    return compose(
        click.option(
            "--inexact",
            type=click.Choice(("right", "wrong", "ignore")),
            default="wrong",
            show_default=True,
            help="What answers are that were assessed as inexact.",
        ),
        click.option(
            "--unassessed",
            type=click.Choice(("wrong", "ignore")),
            default=unassessed,
            show_default=True,
            help="What answers are that nobody has assessed.",
        ),
        click.option(
            "--duplicates",
            type=click.Choice(("wrong", "ignore")),
            default="ignore",
            show_default=True,
            help="What answers are that repeat a right one.",
        ),
        click.option(
            "--wrong-parent",
            type=click.Choice(("wrong", "ignore")),
            default="wrong",
            show_default=True,
            help="What answers are that follow a wrong one.",
        ),
    )


query_options = compose(
    click.option(
        "--match",
        type=click.Choice(MATCHES),
        default="assessed",
        show_default=True,
        help="With assessments: an answer is assessed if just this one is, or if one with the same value is, or with "
        "the same value but for case.",
    ),
    click.option(
        "--entry-points",
        type=click.Choice(VIEWS),
        default="each",
        show_default=True,
        help="Of a query with several entry points, each counts, the best one, or their mean.",
    ),
    click.option(
        "--justifications",
        metavar="A:B",
        callback=limits,
        help="Keep so many answers with the same node, in one document and in all, M for any number. "
        "[default: M:M for files of answers; for knowledge bases 1:3 with assessments, 1:1 with gold]",
    ),
    click.option("--same-type", is_flag=True, help="A query starts only at nodes of its type."),
)


def policy_of(options: dict[str, Any]) -> Policy:
    """The policy that the options say."""
    from adjudge.tasks.kbp.answers import Policy

    return Policy(*(options[name] for name in Policy._fields))


def limits_of(given: tuple[int, int] | None, systems: Sequence[Answers], *, gold: bool) -> list[tuple[int, int]]:
    """The limits for each system."""
    usual = (1, 1) if gold else (1, 3)
    return [given if given is not None else usual if system.asked else (0, 0) for system in systems]
