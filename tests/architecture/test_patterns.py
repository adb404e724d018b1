"""Every regular expression of the code takes time in proportion to the length of what it is given.

A pattern that backtracks holds the interpreter's lock: one hostile text then stops the whole server. All patterns are
found (those of modules by importing them, those within calls of `re` in the source) and each is run by the methods it
is really used with, on texts made to be slow: runs of one character, and repetitions of what the pattern itself asks
for, followed by what lets it fail.
"""

from __future__ import annotations

import ast
import dataclasses
import importlib
import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from re import _constants as codes  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from types import ModuleType
from typing import Any

import pytest
from growth import grows_too_fast

ROOT = Path(__file__).parents[2]
SOURCES = sorted([*ROOT.glob("core/**/*.py"), *ROOT.glob("inspector/**/*.py")])

RUNS = (*"-1 aA\"'港\n.=[/_", "a1", "a-", "1.", "a ", "港1", "\n ", "a:")
METHODS = ("match", "fullmatch", "search", "sub", "subn", "split", "findall", "finditer")
JOINTS = ("", " ", "-", "\n")
MAX_WORDS, MAX_ENDS = 48, 6


@dataclasses.dataclass(frozen=True)
class Use:
    """One pattern, and a method by which it is used."""

    pattern: re.Pattern[str]
    method: str

    def run(self, text: str) -> None:
        if self.method in ("match", "fullmatch", "search"):
            getattr(self.pattern, self.method)(text)
        else:  # sub, split, findall and finditer all go through the whole text
            for _ in self.pattern.finditer(text):
                pass


# finding them


def modules() -> Iterator[tuple[ModuleType, ast.Module]]:
    for path in SOURCES:
        if path.stem != "__main__":
            name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
            yield importlib.import_module(name), ast.parse(path.read_text("utf-8"))


def compiled(value: Any, depth: int = 4) -> Iterator[re.Pattern[str]]:
    """The patterns in a value of a module, however deep in its tables."""
    if isinstance(value, re.Pattern):
        yield value
    elif depth and isinstance(value, Mapping):
        yield from itertools.chain.from_iterable(compiled(each, depth - 1) for each in value.values())
    elif depth and isinstance(value, (list, tuple, set, frozenset)):
        yield from itertools.chain.from_iterable(compiled(each, depth - 1) for each in value)
    elif depth and dataclasses.is_dataclass(value) and not isinstance(value, type):
        inner = (getattr(value, each.name, None) for each in dataclasses.fields(value))
        yield from itertools.chain.from_iterable(compiled(each, depth - 1) for each in inner)
    elif depth == 4 and isinstance(value, type):
        yield from itertools.chain.from_iterable(compiled(each, depth - 1) for each in vars(value).values())


def methods(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Which names of a module are called by which method of a pattern."""
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=ast.Name(id=name), attr=method) if method in METHODS:
                yield name, method


def literal(node: ast.expr, inside: ast.AST, names: Mapping[str, Any]) -> str:
    """The pattern that a call of `re` is given; what is only known when it runs stands as a word."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=parts):
            return "".join(literal(part, inside, names) for part in parts)
        case ast.FormattedValue(value=ast.Name(id=name)) if isinstance(names.get(name), str):
            return str(names[name])
        case ast.FormattedValue():
            return "alpha"
        case ast.Name(id=name):
            for each in ast.walk(inside):
                match each:
                    case ast.Assign(targets=[ast.Name(id=assigned)], value=value) if assigned == name:
                        return literal(value, inside, names)
    raise AssertionError(f"this pattern cannot be found out: {ast.unparse(node)}")


def is_parameter(node: ast.expr, function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return isinstance(node, ast.Name) and node.id in {each.arg for each in function.args.args}


def inline(module: ModuleType, tree: ast.Module) -> Iterator[Use]:
    """The patterns within calls of `re` in functions."""
    for function in (each for each in ast.walk(tree) if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef))):
        for node in ast.walk(function):
            match node:
                case ast.Call(func=ast.Attribute(value=ast.Name(id="re"), attr=method)) if method != "escape":
                    flags = next((each.value for each in node.keywords if each.arg == "flags"), ast.Constant(0))
                    if is_parameter(node.args[0], function):
                        continue  # what it is given is compiled into a table of the module, and found there
                    known = eval(ast.unparse(flags), {"re": re})
                    yield Use(re.compile(literal(node.args[0], function, vars(module)), known), method)


def uses() -> Iterator[tuple[str, Use]]:
    found: dict[re.Pattern[str], set[str]] = {}
    where: dict[re.Pattern[str], str] = {}
    for module, tree in modules():
        called = list(methods(tree))
        for name, value in vars(module).items():
            for pattern in compiled(value):
                where.setdefault(pattern, f"{module.__name__}.{name}")
                by = {method for named, method in called if named == name and value is pattern}
                found.setdefault(pattern, set()).update(by)
        for use in inline(module, tree):
            yield f"{module.__name__}: {use.pattern.pattern[:30]!r}", use
    for pattern, by in found.items():
        for method in sorted(by or {"finditer"}):  # handed on under another name: as the most demanding
            yield where[pattern], Use(pattern, method)


# hostile texts


def is_in(char: str, members: Iterable[tuple[Any, Any]]) -> bool:
    categories: dict[str, Callable[[str], bool]] = {
        "DIGIT": str.isdigit,
        "SPACE": str.isspace,
        "WORD": lambda each: each.isalnum() or each == "_",
    }
    is_there, is_negated = False, False
    for kind, value in members:
        if kind is codes.NEGATE:
            is_negated = True
        elif kind is codes.LITERAL:
            is_there |= ord(char) == value
        elif kind is codes.RANGE:
            is_there |= value[0] <= ord(char) <= value[1]
        elif kind is codes.CATEGORY:
            name = str(value).removeprefix("CATEGORY_").removeprefix("UNI_")
            holds = categories[name.removeprefix("NOT_").removeprefix("UNI_")](char)
            is_there |= holds != ("NOT_" in name)
    return is_there != is_negated


def _first(value: Any) -> str:
    return chr(value if isinstance(value, int) else value[0])


def said(items: Iterable[tuple[Any, Any]]) -> str:
    """A short text that a part of a pattern asks for, or nearly."""
    text = ""
    for kind, value in items:
        if kind is codes.LITERAL:
            text += chr(value)
        elif kind is codes.NOT_LITERAL:
            text += "b" if value == ord("a") else "a"
        elif kind is codes.ANY:
            text += "a"
        elif kind is codes.IN:
            named = [char for each, first in value if each in (codes.LITERAL, codes.RANGE) for char in _first(first)]
            text += next((char for char in ("a", "-", "1", ".", " ", *named) if is_in(char, value)), "a")
        elif kind in (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT):
            least, most, inner = value
            text += said(inner) * max(least, min(most, 1))
        elif kind is codes.SUBPATTERN:
            text += said(value[3])
        elif kind is codes.ATOMIC_GROUP:
            text += said(value)
        elif kind is codes.BRANCH:
            text += said(value[1][0])
    return text


def repeats(items: Iterable[tuple[Any, Any]], before: str = "") -> Iterator[tuple[str, str]]:
    """What each repetition of a pattern repeats, and what it wants before that."""
    for item in items:
        kind, value = item
        if kind in (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT):
            yield before, said(value[2])
            yield from repeats(value[2], before)
        elif kind is codes.SUBPATTERN:
            yield from repeats(value[3], before)
        elif kind is codes.ATOMIC_GROUP:
            yield from repeats(value, before)
        elif kind is codes.BRANCH:
            for branch in value[1]:
                yield from repeats(branch, before)
        elif kind in (codes.ASSERT, codes.ASSERT_NOT):
            yield from repeats(value[1], before)
        before += said([item])


def words(pattern: re.Pattern[str]) -> list[str]:
    """Words that a pattern asks for, at most so many, from the whole of it."""
    found = list(dict.fromkeys(re.findall(r"\w{2,}", re.sub(r"\\[a-zA-Z]", " ", pattern.pattern))))
    return found[:: len(found) // MAX_WORDS + 1]


def hostile(pattern: re.Pattern[str]) -> Iterator[tuple[str, str, str]]:
    """Beginnings, what is repeated, and ends."""
    tree = parser.parse(pattern.pattern, pattern.flags & ~re.UNICODE)
    whole, asked = said(tree), words(pattern)
    ends = ("", "!", "\n", "\0")
    for run in RUNS:
        yield from (("", run, end) for end in ends)
        yield whole, run, "!"
    for before, body in dict.fromkeys(repeats(tree)):
        for end in ends:
            yield before, body or "a", end
        for joint in JOINTS:
            yield "", before + body + joint, "!"
            yield before, (body or "a") + joint, "!"
    for joint in JOINTS:
        yield "", whole + joint, "!"
    for word, joint in itertools.product(asked, (" ", "-")):
        for end in ("", *asked[:: len(asked) // MAX_ENDS + 1]):
            yield "", word + joint, f" {end}"


def text_of(attack: tuple[str, str, str], chars: int) -> str:
    before, repeated, end = attack
    return before + (repeated * (chars // max(1, len(repeated)) + 1))[:chars] + end


def is_slow(use: Use, attack: tuple[str, str, str]) -> bool:
    return grows_too_fast(use.run, lambda chars: text_of(attack, chars))


@pytest.mark.parametrize("slow", [r"[^\s,]*\d[^\s,]*", r"(a+)+b", r"\bwas\b(?!.*\bder\b)"])
def test_a_pattern_that_backtracks_is_found(slow):
    use = Use(re.compile(slow), "finditer")
    assert any(is_slow(use, attack) for attack in hostile(use.pattern))


def test_every_pattern_takes_time_in_proportion_to_the_length_of_its_text():
    found = list(uses())
    assert len(found) > 50  # they were looked for in the right places
    slow = [
        (where, use.method, attack)
        for where, use in found
        if (attack := next((each for each in hostile(use.pattern) if is_slow(use, each)), None)) is not None
    ]
    assert slow == []
