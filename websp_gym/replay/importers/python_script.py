"""Parsing a Python script into statements, without executing it."""

from __future__ import annotations

import ast

from websp_gym.replay.importers.script import (
    Call,
    Chain,
    Pattern,
    ScriptFunction,
    Statement,
    Unreadable,
    Value,
)

_IGNORED = (ast.Import, ast.ImportFrom, ast.Pass, ast.Global, ast.Nonlocal)


def read_python(text: str) -> tuple[Statement, ...]:
    """Return the statements of a script.

    Raises:
        SyntaxError: It is not Python.
        RecursionError: It is nested too deeply.
    """
    return _body(ast.parse(text).body)


def _body(nodes: list[ast.stmt]) -> tuple[Statement, ...]:
    return tuple(_statement(node) for node in nodes if not isinstance(node, _IGNORED))


def _statement(node: ast.stmt) -> Statement:
    line = node.lineno
    if isinstance(node, ast.Expr):
        return Statement(line, _value(node.value))
    if isinstance(node, ast.Assign | ast.AnnAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        names = tuple(target.id for target in targets if isinstance(target, ast.Name))
        return Statement(line, _value(node.value) if node.value else None, names)
    if isinstance(node, ast.With | ast.AsyncWith):
        item = node.items[0]
        names = (item.optional_vars.id,) if isinstance(item.optional_vars, ast.Name) else ()
        return Statement(line, _value(item.context_expr), names, _body(node.body))
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return Statement(line, body=_body(node.body), function=node.name)
    if isinstance(node, ast.ClassDef):
        return Statement(line, body=_body(node.body))
    if _is_main(node):
        return Statement(line)
    return Statement(line, Unreadable(ast.unparse(node).partition("\n")[0][:80]))


def _is_main(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test).startswith("__name__")


def _value(node: ast.expr) -> Value:
    if isinstance(node, ast.Constant) and isinstance(node.value, str | int | float | bool | None):
        return node.value
    if isinstance(node, ast.List | ast.Tuple):
        return tuple(_value(each) for each in node.elts)
    if isinstance(node, ast.Dict):
        return {
            str(_value(key)): _value(value) for key, value in zip(node.keys, node.values, strict=True) if key
        }
    if isinstance(node, ast.Await):
        return _value(node.value)
    if isinstance(node, ast.Lambda):
        return ScriptFunction((Statement(node.lineno, _value(node.body)),))
    return _pattern(node) or _chain(node) or Unreadable(ast.unparse(node)[:80])


def _pattern(node: ast.expr) -> Pattern | None:
    """Return the regular expression of ``re.compile(r"…")``."""
    if isinstance(node, ast.Call) and ast.unparse(node.func) == "re.compile" and node.args:
        source = _value(node.args[0])
        return Pattern(source) if isinstance(source, str) else None
    return None


def _chain(node: ast.expr) -> Chain | None:
    """Return the chain ``page.get_by_role("button").click()``; None for other expressions."""
    calls: list[Call] = []
    while not isinstance(node, ast.Name):
        if isinstance(node, ast.Attribute):
            calls.append(Call(node.attr))
            node = node.value
        elif isinstance(node, ast.Await):
            node = node.value
        elif isinstance(node, ast.Call):
            arguments = tuple(_value(each) for each in node.args)
            options = {each.arg: _value(each.value) for each in node.keywords if each.arg}
            name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
            calls.append(Call(name, arguments, options))
            node = node.func.value if isinstance(node.func, ast.Attribute) else node.func
        else:
            return None
    return Chain(node.id, tuple(reversed(calls)))
