"""`adjudge eal neutralize`: a store in which realis, or the choice of the CAS, no longer makes a difference."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click

from adjudge.cli.eal_common import Settings, store_options, transform
from adjudge.errors import Problem, UsageError, ValidationError
from adjudge.formats.eal_store import KeyWriter, Store, open_key
from adjudge.model.eal import AnswerKey, Arguments, Linking
from adjudge.tasks.eal.apply import Operation
from adjudge.tasks.eal.changes import Outcome, both
from adjudge.tasks.eal.neutralize import neutralize_coref, neutralize_realis, neutralize_realis_key
from adjudge.tasks.eal.profiles import Profile, get_profile


@click.command(
    "neutralize",
    epilog="\b\nExample:\n  adjudge eal neutralize run1/ --realis --coref --key assessments/ -o run1.neutral",
)
@click.argument("store", metavar="STORE")
@click.option("--realis", is_flag=True, help="All responses become Actual.")
@click.option("--coref", is_flag=True, help="Responses with a wrong CAS for a right base filler are corrected.")
@click.option("--key", metavar="KEY", help="Assessments, which --coref needs.")
@click.option(
    "--save-key", metavar="KEY-OUT", type=click.Path(path_type=Path), help="Also write KEY with all realis Actual."
)
@store_options(keep_ids=False)
def command(store: str, realis: bool, coref: bool, key: str | None, save_key: Path | None, **options: Any) -> None:
    """Take realis, or realis and coreference, out of the comparison.

    With --realis every response becomes Actual; of those that become the same the most confident stays. With --coref a
    response whose base filler is assessed as right and whose CAS is not becomes a good response of KEY with the same
    type, role and base filler, else with the same type and role; if there is none, it is removed.
    """
    _check(realis=realis, coref=coref, key=key, save_key=save_key)
    settings = Settings(**options)
    with ExitStack() as stack:
        repeated = get_profile(options["profile"]).repeated_cluster
        keys = open_key(key, repeated_cluster=repeated) if key is not None else None
        if keys is not None:
            stack.callback(keys.close)

        def neutral_key(document: str, profile: Profile) -> AnswerKey:
            assert keys is not None
            if document not in keys:
                message = f"there are no assessments of {document}"
                raise ValidationError(Problem(message, path=key, hint="assess it, or leave it out of the store"))
            return neutralize_realis_key(keys.key(document), order="file" if profile.name == "spec" else "hash")

        def operation(profile: Profile, _: Store) -> Operation:
            official = profile.name != "spec"

            def step(arguments: Arguments, linking: Linking | None) -> Outcome:
                drop = profile.neutralised_generic == "drop"
                outcome = neutralize_realis(arguments, linking, generics="unlinked" if drop else "singleton")
                if not coref:
                    return outcome
                known = neutral_key(arguments.document, profile)
                return both(outcome, neutralize_coref(*outcome[:2], known, first="key" if official else "smallest"))

            return step

        def save() -> None:
            if save_key is not None and keys is not None:
                # It is there before the store is: if somebody is killed in between, the next one finds it.
                with KeyWriter(save_key, ids=settings.ids, overwrite=settings.overwrite, again=True) as writer:
                    for document in keys.documents:
                        writer.write(neutralize_realis_key(keys.key(document)))

        facts = {"realis": realis, "coref": coref, "key": key}
        transform("neutralize", store, settings, operation, facts=facts, last=save)


def _check(*, realis: bool, coref: bool, key: str | None, save_key: Path | None) -> None:
    if not realis:
        hint = "add --realis" if coref else "give --realis, or --realis and --coref"
        message = "coreference can be neutralised only together with realis" if coref else "nothing to neutralise"
        raise UsageError(message, hint=hint)
    if coref and key is None:
        raise UsageError("--coref needs assessments", hint="give them with --key")
    if save_key is not None and key is None:
        raise UsageError("--save-key needs a key", hint="give it with --key")
    if key is not None and not coref and save_key is None:
        raise UsageError("--key is used by --coref and --save-key only", hint="leave it out, or give one of them")
