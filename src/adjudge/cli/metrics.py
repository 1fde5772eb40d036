"""`adjudge metrics`, `schema` and `completion`: what is available, for people, programs and shells.

Metrics that one command computes with code of its own are listed here too. They depend on official rules, on paths or
on whole corpora and cannot be given to `adjudge score`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from adjudge.cli.options import command, output_option, output_options
from adjudge.cli.output import check_targets, emit, emit_json, is_file
from adjudge.cli.score import complete_metrics
from adjudge.errors import UsageError, did_you_mean, visible

if TYPE_CHECKING:
    from adjudge.metrics.registry import Definition
    from adjudge.tasks.own_metrics import OwnMetric

_SCHEMAS = {
    "result": "adjudge.stats.saved:json_schema",
    "agreement": "adjudge.report.agreement:json_schema",
    "selection": "adjudge.report.comparing:json_schema",
    "findings": "adjudge.cli.findings:json_schema",
    "metric": "adjudge.algebra.spec:spec_schema",
}


@command(
    "metrics",
    click.Argument(["name"], required=False, shell_complete=complete_metrics),
    output_options,
    examples=["adjudge metrics relation", "adjudge metrics event.argument-cls"],
)
def metrics(name: str | None, **options: Any) -> None:
    """List the metrics, or those of one family, or show one of them: what it is, and how it is computed.

    NAME is a metric (relation.strict), a family (relation), a specification file, or module:name; several metrics are
    separated by commas. With --quiet, only the names.
    """
    from adjudge.metrics import catalogue
    from adjudge.tasks.own_metrics import OWN_METRICS, own_metric

    every: Sequence[Definition | OwnMetric] = (*catalogue(), *OWN_METRICS)
    known = {each.name: each for each in sorted(every, key=lambda each: each.name)}
    families = dict.fromkeys(definition.family for definition in known.values())
    if name is None or name in families:
        check_targets(options)
        _list([each for each in known.values() if name in (None, each.family)], options)
        return
    if own := own_metric(name):
        check_targets(options)
        if options["format_"] == "text" and not options["quiet"]:
            emit(f"{own.name}\n\n{own.about}\n\nComputed by:  {own.command}\n", options["output"])
        else:
            _list([own], options)
        return
    written = name.replace("(", ",").split(",")[0].strip()
    if not (written in known or ":" in name or is_file(name)) and (near := did_you_mean(name, [*known, *families])):
        raise UsageError(f"there is no metric {name!r}", hint=near)
    _show(name, options, lambda each: f"{each.name}")


@command(
    "explain",
    click.Argument(["metric"], shell_complete=complete_metrics),
    output_options,
    examples=["adjudge metrics event.argument-cls"],
)
def explain(metric: str, **options: Any) -> None:
    """The same as `adjudge metrics NAME`; with --quiet, only the plan."""
    _show(metric, options, lambda each: each.plan())


def _show(name: str, options: Mapping[str, Any], quietly: Callable[[Any], str]) -> None:
    """Print what metrics are and how they are computed."""
    from adjudge.cli.family import metric_files
    from adjudge.metrics import catalogue
    from adjudge.tasks.chosen import as_metrics

    check_targets(options, inputs=metric_files(name, options))
    known, found = {each.name: each for each in catalogue()}, as_metrics(name)
    if options["format_"] == "json":
        rows = [
            {
                **(_row(known[each.name]) if each.name in known else {"name": each.name}),
                "written": str(each),
                "definition": each.definition(),
                "plan": each.plan(),
            }
            for each in found
        ]
        emit_json(rows, options["output"])
    elif options["format_"] == "text":
        shown = [quietly(each) if options["quiet"] else _described(each, known.get(each.name)) for each in found]
        emit(visible("\n\n".join(shown) + "\n", keep="\n"), options["output"])
    elif all(each.name in known for each in found):
        _list([known[each.name] for each in found], options)
    else:
        raise UsageError(f"a metric of your own cannot be shown as {options['format_']}", hint="use text or json")


def _described(metric: Any, known: Definition | None) -> str:
    import json

    blocks = []
    if known is not None:
        blocks += [known.name, known.documentation.split("\n\n>>>")[0]]
        if known.options:
            blocks.append(f"Options:  {', '.join(f'{key}={value}' for key, value in known.options.items())}")
        if known.example:
            blocks.append(f"A document:  {json.dumps(known.example, ensure_ascii=False)}")
    definition = metric.definition()
    if known is not None:  # its name and purpose are shown above
        definition = definition.partition("\n")[2]
    return "\n\n".join([*blocks, definition, f"plan\n{metric.plan()}"])


def _row(definition: Definition | OwnMetric) -> dict[str, Any]:
    from adjudge.tasks.own_metrics import OwnMetric

    named = {name: getattr(definition, name) for name in ("name", "about", "family")}
    if isinstance(definition, OwnMetric):
        return {**named, "field": None, "options": [], "example": None, "command": definition.command}
    own = [f"{key}={value}" for key, value in definition.options.items()]
    return {**named, "field": definition.within, "options": own, "example": definition.example, "command": None}


def _list(chosen: Sequence[Definition | OwnMetric], options: Mapping[str, Any]) -> None:
    from adjudge.report.tables import render_listing

    if options["quiet"] and options["format_"] == "text":
        emit("".join(f"{each.name}\n" for each in chosen), options["output"])
        return
    every = ("name", "about", "family", "field", "options")
    columns = {"json": (*every, "example", "command"), "csv": every}.get(options["format_"], ("name", "about"))
    emit(render_listing([_row(each) for each in chosen], columns, options["format_"]), options["output"])


@command(
    "schema",
    click.Argument(["what"], type=click.Choice(list(_SCHEMAS))),
    output_option,
    examples=["adjudge schema result > result.schema.json"],
)
def schema(what: str, **options: Any) -> None:
    """Print the JSON Schema of a result (what score, compare and demo print with --format json, and what --save
    writes), of what agree, select or validate prints, or of a metric specification.
    """
    from importlib import import_module

    check_targets(options)
    module, _, function = _SCHEMAS[what].partition(":")
    emit_json(getattr(import_module(module), function)(), options["output"])


# Where nothing of ours fits, each script lets the shell complete file names.
_BASH = """\
_adjudge_complete() {
    local IFS=$'\\n' line kind
    COMPREPLY=()
    while read -r line; do
        kind=${line%%,*}
        if [[ $kind == plain ]]; then COMPREPLY+=("${line#*,}"); fi
    done < <(env COMP_WORDS="${COMP_WORDS[*]}" COMP_CWORD="$COMP_CWORD" \\
        _ADJUDGE_COMPLETE=bash_complete "$1" 2>/dev/null)
}
complete -o default -o bashdefault -F _adjudge_complete adjudge
"""
_ZSH = """\
#compdef adjudge
_adjudge() {
    local -a found described plain
    local kind key text
    (( ! $+commands[adjudge] )) && return 1
    found=("${(@f)$(env COMP_WORDS="${words[*]}" COMP_CWORD=$((CURRENT-1)) \\
        _ADJUDGE_COMPLETE=zsh_complete adjudge 2>/dev/null)}")
    for kind key text in "${found[@]}"; do
        [[ $kind == plain ]] || continue
        if [[ $text == _ ]]; then plain+=("$key"); else described+=("$key:$text"); fi
    done
    if (( ! ${#plain} && ! ${#described} )); then _files; return; fi
    (( ${#described} )) && _describe -V unsorted described -U
    (( ${#plain} )) && compadd -U -V unsorted -a plain
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then _adjudge "$@"; else compdef _adjudge adjudge; fi
"""
_FISH = """\
function __adjudge_complete
    set -l found (env _ADJUDGE_COMPLETE=fish_complete COMP_WORDS=(commandline -cp) \\
        COMP_CWORD=(commandline -t) adjudge 2>/dev/null)
    set -l shown 0
    for line in $found
        set -l parts (string split -m 1 "," -- $line)
        if test "$parts[1]" = plain
            echo $parts[2]
            set shown 1
        end
    end
    if test $shown -eq 0
        __fish_complete_path (commandline -t)
    end
end
complete --no-files --command adjudge --arguments "(__adjudge_complete)"
"""
SCRIPTS = {"bash": _BASH, "zsh": _ZSH, "fish": _FISH}


@command(
    "completion",
    click.Argument(["shell"], type=click.Choice(list(SCRIPTS))),
    output_option,
    examples=['adjudge completion bash >> "$HOME/.bashrc"'],
)
def completion(shell: str, **options: Any) -> None:
    """Print a script that completes commands, options and metrics in your shell.

    \b
    bash:  adjudge completion bash >> ~/.bashrc
    zsh:   adjudge completion zsh > "${fpath[1]}/_adjudge"
    fish:  adjudge completion fish > ~/.config/fish/completions/adjudge.fish
    """
    check_targets(options)
    emit(SCRIPTS[shell], options["output"])
