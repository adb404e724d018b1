"""Completion scripts for shells, generated from the table of commands.

`offers` are the words that can stand for an argument's placeholder, such as the profiles' names for PROFILE; FILE and
FOLDER are completed by the shell itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from inspector import program
from inspector.command_table import COMMANDS, GROUPS, SHARED_OPTIONS, STANDALONE_OPTIONS, Argument

Offers = Mapping[str, Sequence[str]]
FILES, FOLDERS = "FILE", "FOLDER"
HELP = Argument(("--help",), {"action": "store_true", "help": "show its usage"})
TOP = (
    *SHARED_OPTIONS,
    *STANDALONE_OPTIONS,
    Argument(("--serve",), {"action": "store_true", "help": "serve the store to agents"}),
    Argument(("--version",), {"action": "store_true", "help": "show the version"}),
    HELP,
)


def places() -> dict[str, tuple[Argument, ...]]:
    """Return, for every command typed so far, the arguments that can come next."""
    commands = {command.name: (*command.arguments, *SHARED_OPTIONS, HELP) for command in COMMANDS}
    return {"": TOP, **dict.fromkeys(GROUPS, (HELP,)), **commands}


def below(place: str) -> dict[str, str]:
    """Return the commands that can come next, each with its description."""
    abouts = {**GROUPS, **{command.name: command.about for command in COMMANDS}}
    start = f"{place} " if place else ""
    return {
        name.removeprefix(start): about
        for name, about in abouts.items()
        if name.startswith(start) and " " not in name.removeprefix(start)
    }


def bash(offers: Offers) -> str:
    finding: list[str] = []
    values: dict[str, list[str]] = {}
    words: list[str] = []
    for place, arguments in places().items():
        finding += [_bash_step(place, name) for name in below(place)]
        for each in arguments:
            if each.is_option and each.placeholder:
                values.setdefault(_bash_fill(each.placeholder, offers), []).extend(
                    f'"{place}:{name}"' for name in each.names
                )
        options = [name for each in arguments if each.is_option for name in each.names]
        kinds = {each.placeholder for each in arguments if not each.is_option}
        fills = "".join(f"; {_bash_fill(kind, offers)}" for kind in sorted(kinds) if kind in {FILES, *offers})
        words.append(f'        "{place}") {_bash_words([*below(place), *options])}{fills} ;;')
    patterns = [f"        {' | '.join(names)}) {fill}; return ;;" for fill, names in values.items()]
    return _BASH.format(
        program=program.NAME, finding="\n".join(finding), values="\n".join(patterns), words="\n".join(words)
    )


def _bash_step(place: str, name: str) -> str:
    return f'            "{place}|{name}") command="{f"{place} {name}".strip()}" ;;'


def _bash_fill(placeholder: str, offers: Offers) -> str:
    if placeholder == FILES:
        return "_memory_inspector_files -f"
    if placeholder == FOLDERS:
        return "_memory_inspector_files -d"
    return _bash_words(offers[placeholder]) if placeholder in offers else ":"


def _bash_words(words: Sequence[str]) -> str:
    return f'_memory_inspector_words "{" ".join(words)}"'


_BASH = """\
# bash completion for {program}; made by `{program} completion bash`.

_memory_inspector_words() {{
    COMPREPLY+=($(compgen -W "$1" -- "${{COMP_WORDS[COMP_CWORD]}}"))
}}

_memory_inspector_files() {{
    local IFS=$'\\n'
    compopt -o filenames 2>/dev/null
    COMPREPLY+=($(compgen "$1" -- "${{COMP_WORDS[COMP_CWORD]}}"))
}}

_memory_inspector() {{
    local command="" each
    for each in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
        [ "$each" = --serve ] && each=serve
        case "$command|$each" in
{finding}
        esac
    done
    COMPREPLY=()
    case "$command:${{COMP_WORDS[COMP_CWORD-1]}}" in
{values}
    esac
    case "$command" in
{words}
    esac
}}

complete -F _memory_inspector {program}
"""


def zsh(offers: Offers) -> str:
    return "\n".join([f"#compdef {program.NAME}", *_zsh_functions(offers), '_memory-inspector "$@"', ""])


def _zsh_functions(offers: Offers) -> Iterator[str]:
    """Yield a zsh function for each place; a group of commands calls the function of the command."""
    for place, arguments in places().items():
        lines = [f"{_zsh_name(place)}() {{"]
        specs = [spec for each in arguments for spec in _zsh_specs(each, offers)]
        names = below(place)
        if names:
            shown = " ".join(_quoted(f"{name}:{_plain(about)}") for name, about in names.items())
            lines += ["  local context state line", f"  local -a names=({shown})"]
            specs += ["'1: :->name'", "'*:: :->rest'"]
        lines.append("  _arguments -C -S \\\n    " + " \\\n    ".join(specs))
        if names:
            cases = " ".join(f"{name}) {_zsh_name(f'{place} {name}'.strip())} ;;" for name in names)
            lines.append("  case $state in")
            lines.append(f"    name) _describe {_quoted('command')} names ;;")
            lines.append(f"    rest) case $words[1] in {cases} esac ;;")
            lines.append("  esac")
        yield "\n".join([*lines, "}", ""])


def _zsh_name(place: str) -> str:
    return "_" + "-".join(["memory-inspector", *place.split()])


def _zsh_specs(argument: Argument, offers: Offers) -> Iterator[str]:
    kind = argument.placeholder
    fill = {FILES: "_files", FOLDERS: "_files -/"}.get(kind, f"({' '.join(offers[kind])})" if kind in offers else " ")
    if not argument.is_option:
        many = "*" if argument.options.get("nargs") in ("*", "+") else ""
        yield _quoted(f"{many}:{kind.lower()}:{fill}")
        return
    many = "*" if argument.options.get("action") == "append" else ""
    for name in argument.names:
        about = _plain(argument.help).replace("[", "(").replace("]", ")")
        yield _quoted(f"{many}{name}[{about}]" + (f":{kind.lower().replace(':', '')}:{fill}" if kind else ""))


def fish(offers: Offers) -> str:
    finding = [
        f"            case '{place}|{name}'; set command '{f'{place} {name}'.strip()}'"
        for place in places()
        for name in below(place)
    ]
    lines = [_FISH.format(program=program.NAME, finding="\n".join(finding))]
    for place, arguments in places().items():
        start = f"complete -c {program.NAME} -n {_quoted(f'__memory_inspector_at {place}'.strip())}"
        lines += [f"{start} -a {name} -d {_quoted(_plain(about))}" for name, about in below(place).items()]
        for each in arguments:
            kind = each.placeholder
            words = _quoted(" ".join(offers[kind])) if kind in offers else ""
            fill = {FILES: " -r -F", FOLDERS: " -x -a '(__fish_complete_directories)'", "": ""}.get(
                kind, f" -x -a {words}" if words else " -x"
            )
            if each.is_option:
                lines += [f"{start} -l {name[2:]}{fill} -d {_quoted(_plain(each.help))}" for name in each.names]
            elif kind == FILES or words:
                lines.append(start + (" -F" if kind == FILES else f" -a {words}"))
    return "\n".join([*lines, ""])


_FISH = """\
# fish completion for {program}; made by `{program} completion fish`.

function __memory_inspector_at --description 'whether the command typed so far is this one'
    set -l command ''
    for each in (commandline -opc)[2..]
        test "$each" = --serve; and set each serve
        switch "$command|$each"
{finding}
        end
    end
    test "$command" = "$argv"
end

complete -c {program} -f\
"""

SHELLS = {"bash": bash, "zsh": zsh, "fish": fish}


def _plain(text: str) -> str:
    """Return a description without characters that would end it early."""
    return text.replace(":", ",").replace("`", "").replace("\\", "")


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "’") + "'"
