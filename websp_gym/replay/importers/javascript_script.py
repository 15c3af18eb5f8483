"""Parsing a JavaScript or TypeScript script into the kinds of statements that recorders write, without executing it.

Statements of other shapes (``if``, loops, classes) are kept as unreadable, with their first words.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from websp_gym.replay.importers.script import Call, Chain, Function, Pattern, Statement, Unreadable, Value
from websp_gym.texts import encodable

_TOKEN = re.compile(
    r"""(?P<space>\s+|//[^\n]*|/\*.*?\*/)
    |(?P<name>[A-Za-z_$][\w$]*)
    |(?P<number>\d[\w.]*)
    |(?P<text>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`)
    |(?P<sign>=>|\?\.|\.\.\.|[=!]==?|[-+*/%&|<>?:^~!]|[.,;=(){}\[\]@#])""",
    re.VERBOSE | re.DOTALL,
)
_REGEX = re.compile(r"/((?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\[\n])+)/[a-z]*")
_ESCAPE = re.compile(
    r"\\(?:u\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(\r?\n)|(.))", re.DOTALL
)
_LETTERS = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0"}
_WORDS = {"true": True, "false": False, "null": None, "undefined": None}
_DECLARE = frozenset({"const", "let", "var"})
_OPEN = {"(": ")", "[": "]", "{": "}"}
_MOST_TOKENS = 500_000
_DEEPEST = 100


@dataclass(frozen=True)
class _Token:
    kind: str
    text: str
    line: int
    first: bool
    """Whether it is the first on its line."""
    begin: int
    end: int


class ScriptError(ValueError):
    """Raised for a text that is not JavaScript."""


def read_javascript(text: str) -> tuple[Statement, ...]:
    """Return the statements of a script. Raise ScriptError if it is not JavaScript."""
    return _Parser(text, _tokens(text)).statements()


def _tokens(text: str) -> list[_Token]:
    tokens: list[_Token] = []
    at, line, first = 0, 1, True
    while at < len(text):
        before = tokens[-1] if tokens else None
        ends_value = before is not None and (
            before.kind in ("name", "number", "text") or before.text in ")]}"
        )
        match = None if ends_value or text[at] != "/" else _REGEX.match(text, at)
        kind = "regex" if match and text[at + 1] not in "/*" else ""
        match = match if kind else _TOKEN.match(text, at)
        if not match:
            raise ScriptError(f"line {line}: {text[at : at + 20]!r} cannot be read")
        kind = kind or match.lastgroup or ""
        if kind == "space":
            first = first or "\n" in match[0]
        else:
            tokens.append(_Token(kind, match[0], line, first, at, match.end()))
            first = False
        line += match[0].count("\n")
        at = match.end()
        if len(tokens) > _MOST_TOKENS:
            raise ScriptError(f"line {line}: it is too long to be a recording")
    return tokens


class _Parser:
    def __init__(self, text: str, tokens: list[_Token]) -> None:
        self.text = text
        self.tokens = tokens
        self.at = 0
        self.depth = 0

    # ---------------------------------------------------------------- tokens
    @property
    def next(self) -> str:
        """The text of the next token; empty at the end."""
        return self.tokens[self.at].text if self.at < len(self.tokens) else ""

    @property
    def line(self) -> int:
        return self.tokens[min(self.at, len(self.tokens) - 1)].line if self.tokens else 1

    def take(self, *texts: str) -> bool:
        """Consume the next token if it is one of these."""
        if self.next and self.next in texts and self.tokens[self.at].kind != "text":
            self.at += 1
            return True
        return False

    def skip(self, stop: str = "") -> str:
        """Skip a statement or, up to one of the signs, an expression; return its first words."""
        begin = self.at
        while self.at < len(self.tokens):
            text = self.next
            if text in stop or text in (")", "]", "}") or (not stop and text == ";"):
                break
            if not stop and self.at > begin and self.tokens[self.at].first and text not in (".", "?."):
                break
            self._past(text)
        return self._source(begin)

    def _source(self, begin: int) -> str:
        """Return the first line of what was read since a token."""
        if begin >= self.at:
            return ""
        return self.text[self.tokens[begin].begin : self.tokens[self.at - 1].end].partition("\n")[0][:80]

    def _past(self, text: str) -> None:
        """Go past a token, and what its bracket holds."""
        self.at += 1
        if text not in _OPEN or self.tokens[self.at - 1].kind != "sign":
            return
        depth = 1
        while depth and self.at < len(self.tokens):
            if self.tokens[self.at].kind == "sign":
                depth += (self.next in _OPEN) - (self.next in _OPEN.values())
            self.at += 1

    # ---------------------------------------------------------------- statements
    def statements(self) -> tuple[Statement, ...]:
        """Return the statements up to the end or the brace that closes them."""
        self.depth += 1
        if self.depth > _DEEPEST:
            raise ScriptError(f"line {self.line}: nested too deeply")
        found: list[Statement] = []
        while self.at < len(self.tokens) and self.next != "}":
            if self.take(";"):
                continue
            begin = self.at
            statement = self._statement()
            if statement is not None:
                found.append(statement)
            if self.at == begin:  # a bracket too many
                raise ScriptError(f"line {self.line}: unexpected {self.next!r}")
        self.depth -= 1
        return tuple(found)

    def _statement(self) -> Statement | None:
        line = self.line
        if self.take("import", "export"):
            if self.next in ("default", "async", "function", "const"):
                return self._statement()
            self.skip()
            return None
        if self.next in _DECLARE:
            return self._declaration(line)
        self.take("async")
        if self.take("function"):
            name = self.next
            self.at += 1
            self._past(self.next)  # its parameters
            return Statement(line, body=self._block(), function=name)
        if self.next in (
            "if",
            "for",
            "while",
            "do",
            "try",
            "switch",
            "class",
            "return",
            "throw",
            "type",
            "interface",
        ):
            return Statement(line, Unreadable(self._compound()))
        if self.next == "{":
            return Statement(line, body=self._block())
        value = self._expression()
        if self.take("="):
            name = value.root if isinstance(value, Chain) and not value.calls else ""
            return Statement(line, self._expression(), (name,) if name else ())
        return Statement(line, value)

    def _declaration(self, line: int) -> Statement:
        self.at += 1
        name = self.next
        if name in _OPEN:  # const [page1] = …
            name = self.tokens[self.at + 1].text if self.at + 1 < len(self.tokens) else ""
            self._past(self.next)
        else:
            self.at += 1
        if self.take(":"):
            self.skip("=;")
        value = self._expression() if self.take("=") else None
        return Statement(line, value, (name,) if name else ())

    def _compound(self) -> str:
        """Go past a statement with a condition and blocks."""
        begin = self.at
        while self.at < len(self.tokens):
            text = self.next
            if text in (";", "}"):
                break
            self._past(text)
            if text == "{" and self.next not in ("else", "catch", "finally", "while"):
                break
        return self._source(begin)

    def _block(self) -> tuple[Statement, ...]:
        if self.take(":"):  # the type that a function returns
            self.skip("{")
        if not self.take("{"):
            raise ScriptError(f"line {self.line}: expected a block, not {self.next!r}")
        found = self.statements()
        if not self.take("}"):
            raise ScriptError(f"line {self.line}: the file ends too early; it was cut off")
        return found

    # ---------------------------------------------------------------- expressions
    def _expression(self) -> Value:
        begin = self.at
        value = self._operand()
        if self.take("as"):  # TypeScript
            self.skip(",;)]}")
        if self.at < len(self.tokens) and self._goes_on():
            self.skip(",;:")
            return Unreadable(self._source(begin))
        return value

    def _goes_on(self) -> bool:
        """Whether an operator follows: a computed value."""
        token = self.tokens[self.at]
        return token.kind == "sign" and token.text not in ",;:)]}=" and token.text != "=>"

    def _operand(self) -> Value:
        self.take("await", "new")
        if self.at >= len(self.tokens):
            raise ScriptError(f"line {self.line}: the file ends too early; it was cut off")
        function = self._arrow()
        if function is not None:
            return self._links("", function) if self.next in ("(", ".") else function
        token = self.tokens[self.at]
        if token.kind == "text":
            self.at += 1
            return _text(token.text)
        if token.kind in ("number", "regex"):
            self.at += 1
            return (
                _number(token.text) if token.kind == "number" else Pattern(token.text.rpartition("/")[0][1:])
            )
        if token.text in ("[", "{"):
            return self._array() if token.text == "[" else self._object()
        if self.take("("):
            inner = self._expression()
            if not self.take(")"):
                self.skip(")")
                self.take(")")
                inner = Unreadable("( … )")
            return self._links("", inner) if self.next in ("(", ".", "?.") else inner
        if token.kind == "name":
            self.at += 1
            if token.text in _WORDS:
                return _WORDS[token.text]
            return self._links(token.text)
        return Unreadable(self.skip(",;:") or token.text)

    def _links(self, root: str, inner: Value = None) -> Value:
        """Read what follows a name, or an expression in parentheses."""
        calls: list[Call] = []
        if isinstance(inner, Chain):
            root, calls = inner.root, list(inner.calls)
        while True:
            if self.take(".", "?."):
                calls.append(Call(self.next))
                self.at += 1
            elif self.take("("):
                arguments = self._list(")")
                options = arguments[-1] if arguments and isinstance(arguments[-1], dict) else {}
                name = calls.pop().name if calls and calls[-1].arguments is None else ""
                calls.append(Call(name, arguments, options))
            elif self.next == "[":
                self._past("[")
                calls.append(Call("[]"))
            elif (
                self.next == "!"
                and self.at + 1 < len(self.tokens)
                and self.tokens[self.at + 1].text in (".", ")")
            ):
                self.at += 1  # TypeScript: not null
            else:
                break
        if isinstance(inner, Function):  # (async () => { … })()
            return inner
        return Chain(root, tuple(calls))

    def _arrow(self) -> Function | None:
        """Read ``async ({ page }) => …``; return None and stay if it is not a function."""
        begin = self.at
        self.take("async")
        if self.take("function"):
            self.skip("({")
            self._past("(")
            return Function(self._block())
        if self.next == "(":
            self._past("(")
        elif self.at < len(self.tokens) and self.tokens[self.at].kind == "name":
            self.at += 1
        if self.take(":"):
            self.skip("=;")
        if not self.take("=>"):
            self.at = begin
            return None
        if self.next == "{":
            return Function(self._block())
        return Function((Statement(self.line, self._expression()),))

    def _array(self) -> Value:
        self.take("[")
        return self._list("]")

    def _list(self, end: str) -> tuple[Value, ...]:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise ScriptError(f"line {self.line}: nested too deeply")
        found: list[Value] = []
        while not self.take(end):
            if self.at >= len(self.tokens):
                raise ScriptError(f"line {self.line}: the file ends too early; it was cut off")
            if self.take(","):
                continue
            begin = self.at
            found.append(self._expression())
            if self.at == begin:
                raise ScriptError(f"line {self.line}: unexpected {self.next!r}")
        self.depth -= 1
        return tuple(found)

    def _object(self) -> dict[str, Value]:
        self.take("{")
        found: dict[str, Value] = {}
        while not self.take("}"):
            if self.at >= len(self.tokens):
                raise ScriptError(f"line {self.line}: the file ends too early; it was cut off")
            if self.take(","):
                continue
            token = self.tokens[self.at]
            self.at += 1
            key = _text(token.text) if token.kind == "text" else token.text
            if self.take(":"):
                found[str(key)] = self._expression()
            elif token.kind == "name" and self.next in (",", "}"):
                found[token.text] = Chain(token.text)
            else:  # a method, or "...rest"
                self.skip(",")
        return found


def _text(token: str) -> Value:
    if token[0] == "`" and "${" in token:
        return Unreadable(token[:80])
    return encodable(_ESCAPE.sub(_letter, token[1:-1]))


def _letter(match: re.Match[str]) -> str:
    code = match[1] or match[2] or match[3]
    if code:
        number = int(code, 16)
        return chr(number) if number <= 0x10FFFF else "\ufffd"
    return "" if match[4] else _LETTERS.get(match[5], match[5])


def _number(token: str) -> Value:
    try:
        return int(token) if token.isdecimal() else float(token)
    except ValueError:
        return Unreadable(token[:40])
