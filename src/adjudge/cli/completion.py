"""`adjudge completion`: what a shell needs to complete commands, options, metrics and files."""

from __future__ import annotations

from typing import Any

import click
from click.shell_completion import CompletionItem

from adjudge.cli.options import command, output_option
from adjudge.cli.output import check_targets, emit

# Where nothing of ours fits, each of the scripts lets the shell complete names of files.
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


def complete_metrics(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Names of the catalogue that go on from what is typed, also after a comma."""
    from adjudge.metrics import catalogue

    before, comma, last = incomplete.rpartition(",")
    return [
        CompletionItem(f"{before}{comma}{each.name}", help=each.about)
        for each in catalogue()
        if each.name.startswith(last)
    ]
