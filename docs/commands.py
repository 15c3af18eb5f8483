"""Write docs/reference/commands.md, every command with its options, from the commands themselves (`make docs`)."""

import inspect
import re
from pathlib import Path
from typing import Any

from websp_gym.cli.app import GROUPS, load

PAGE = Path(__file__).resolve().parent / "reference" / "commands.md"
_KINDS = {
    "int": "N",
    "int range": "N",
    "float": "X",
    "float range": "X",
    "str": "TEXT",
    "list[str]": "TEXT",
    "path": "PATH",
}
"""What an option takes, by what Typer calls it."""
_HEAD = """# Commands

```sh
websp --help            # the commands in groups
websp run --help        # one of them
websp --install-completion   # completes commands, ids, sites and agents in your shell
```

Every command exits with 0 when it did what it was asked, 1 when something failed, and 2 when it could not begin.
A bad option, a missing key and a missing browser are such reasons.
After Ctrl-C it exits with 130.
"""


def page() -> str:
    """Return the page as it should be."""
    parts = [_HEAD]
    for group, commands in GROUPS.items():
        parts.append(f"## {group}\n")
        for name in commands:
            parts += _described(f"websp {name}", load(name))
    return "\n".join(parts)


def _described(name: str, command: Any) -> list[str]:
    """Return the lines about a command and its subcommands."""
    lines = [f"### {name}\n", f"{_prose(command.help or '')}\n"]
    context = command.make_context(name, [], resilient_parsing=True)
    arguments = [each for each in command.params if each.param_type_name == "argument"]
    usage = " ".join([name, *(_shown(each) for each in arguments)])
    options = [each for each in command.params if each.param_type_name == "option" and not each.hidden]
    if subcommands := getattr(command, "commands", None):
        for sub, inner in subcommands.items():
            lines += [line.replace("### ", "#### ", 1) for line in _described(f"{name} {sub}", inner)]
        return lines
    lines.append(f"```\n{usage}{' [OPTIONS]' if options else ''}\n```\n")
    rows = [(_shown(each), each.help) for each in arguments if each.help]
    rows += [_option(each, context) for each in options if each.name != "help"]
    if rows:
        lines += ["| | |", "|---|---|"]
        lines += [f"| {_cell(f'`{first}`')} | {_cell(said)} |" for first, said in rows]
        lines.append("")
    return lines


def _shown(argument: Any) -> str:
    name = argument.metavar or argument.name.upper()
    return name if argument.required or name.startswith("[") else f"[{name}]"


def _option(option: Any, context: Any) -> tuple[str, str]:
    """Return the names of an option with what it takes, and what it does with its default."""
    names = [*option.opts, *option.secondary_opts]
    kind = option.metavar or option.display_type(context).strip("<>")
    value = "" if option.is_flag else f" {_KINDS.get(kind, kind)}"
    default = option.get_default(context)
    shown = option.show_default and not option.is_flag and default not in (None, (), [], "")
    told = f"{option.help or ''}{f' Default: {default}.' if shown else ''}"
    return ", ".join(names) + value, told


def _cell(text: str) -> str:
    return re.sub(r"\s+", " ", text).replace("|", "\\|").strip()


def _prose(text: str) -> str:
    """Return a help text as paragraphs, without line breaks and with its example as code."""
    paragraphs = re.split(r"\n\s*\n", inspect.cleandoc(text))
    return "\n\n".join(re.sub(r"\s+", " ", each).strip() for each in paragraphs)


if __name__ == "__main__":
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(page(), "utf-8")
