"""Every regular expression of the package, and texts that are hard for it: made of what it nearly accepts."""

import ast
import importlib
import pkgutil
import re
from collections.abc import Iterable
from pathlib import Path
from re import _constants as kinds  # type: ignore[attr-defined] # the parser's own names for what it finds
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

import hashinsight

_CALLS = frozenset({"compile", "sub", "subn", "match", "search", "fullmatch", "findall", "finditer", "split"})
_ALPHABET = tuple("aZ0.:-_=\"' \t\\/@[{é汉\u017f\x00")
_SINGLE = frozenset({kinds.LITERAL, kinds.NOT_LITERAL, kinds.IN, kinds.ANY})
_REPEATS = 2
_MOST = 200


def module_patterns() -> dict[str, re.Pattern[Any]]:
    """The compiled ones of every module, wherever they lie in its values; by where they are."""
    patterns = {}
    for name in _modules():
        module = importlib.import_module(name)
        for variable, value in vars(module).items():
            for number, pattern in enumerate(_inside(value)):
                patterns[f"{name}.{variable}[{number}]"] = pattern
    return patterns


def every_pattern() -> dict[str, re.Pattern[Any]]:
    compiled = module_patterns()
    known = {pattern.pattern for pattern in compiled.values()}
    return compiled | {name: pattern for name, pattern in inline_patterns().items() if pattern.pattern not in known}


def inline_patterns() -> dict[str, re.Pattern[Any]]:
    """Those that are written where they are used, as in `re.sub("…", …)`."""
    patterns = {}
    for name in _modules():
        module = importlib.import_module(name)
        tree = ast.parse(Path(str(module.__file__)).read_text())
        for node in ast.walk(tree):
            if _is_call(node):
                given = node.args[0]  # type: ignore[attr-defined]
                text = (
                    given.value if isinstance(given, ast.Constant) else getattr(module, getattr(given, "id", ""), None)
                )
                if isinstance(text, str | bytes):
                    patterns[f"{name}:{node.lineno}"] = re.compile(text)  # type: ignore[attr-defined]
    return patterns


def methods_of(name: str) -> set[str]:
    """What is called on a pattern where it is defined, as `match`; all where that cannot be told."""
    module, _, variable = name.partition("[")[0].rpartition(".")
    if ":" in name:
        return set(_CALLS)
    text = Path(str(importlib.import_module(module).__file__)).read_text()
    return set(re.findall(rf"\b{re.escape(variable)}\.(\w+)\(", text)) or set(_CALLS)


def growing_repeats(pattern: re.Pattern[Any]) -> list[str]:
    """Groups that may repeat without bound and of which every turn is remembered, to be taken back: memory, not time.

    One character is repeated by a counter; a possessive repeat takes nothing back.
    """
    return [str(value) for kind, value in _parts(parser.parse(pattern.pattern, pattern.flags)) if _grows(kind, value)]


def _grows(kind: Any, value: Any) -> bool:
    if kind not in (kinds.MAX_REPEAT, kinds.MIN_REPEAT) or value[1] is not kinds.MAXREPEAT:
        return False
    return len(value[2]) != 1 or value[2][0][0] not in _SINGLE


def _parts(parsed: Any) -> Iterable[tuple[Any, Any]]:
    """Every part of a pattern, wherever it lies."""
    if isinstance(parsed, parser.SubPattern):
        for kind, value in parsed:
            yield kind, value
            yield from _parts(value)
    elif isinstance(parsed, list | tuple):
        for value in parsed:
            yield from _parts(value)


def hard_texts(pattern: re.Pattern[Any]) -> list[str]:
    """What pumps a pattern: beginnings of a match, to be repeated, joined in several ways; and runs of one kind."""
    samples = _samples(parser.parse(pattern.pattern, pattern.flags))
    starts = {sample[:length] for sample in samples for length in range(1, len(sample) + 1)}
    near = sorted({f"{joint}{start}{end}" for start in starts for joint in ("", "_", "-") for end in ("", " ")})
    every = -(-len(near) // _MOST)
    return near[:: every or 1] + [letter + more for letter in _ALPHABET for more in ("", "a", " ")]


def _modules() -> list[str]:
    every = pkgutil.walk_packages(hashinsight.__path__, "hashinsight.")
    return [
        module.name for module in every if not module.name.endswith("__main__") and ".migrations." not in module.name
    ]


def _inside(value: Any, depth: int = 3) -> Iterable[re.Pattern[Any]]:
    if isinstance(value, re.Pattern):
        yield value
    elif depth and isinstance(value, dict):
        yield from (pattern for item in value.values() for pattern in _inside(item, depth - 1))
    elif depth and isinstance(value, list | tuple | set | frozenset):
        yield from (pattern for item in value for pattern in _inside(item, depth - 1))


def _is_call(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id == "re"
        and node.func.attr in _CALLS
        and bool(node.args)
    )


def _samples(parsed: Any) -> list[str]:
    """A few texts that fit: each alternative once, each repeat a little."""
    texts = [""]
    for kind, value in parsed:
        texts = [text + more for text in texts for more in _of(kind, value)][:60]
    return texts


def _of(kind: Any, value: Any) -> list[str]:
    if kind in (kinds.MAX_REPEAT, kinds.MIN_REPEAT, kinds.POSSESSIVE_REPEAT):
        return [text * max(value[0], _REPEATS) for text in _samples(value[2])[:3]]
    of = {
        kinds.LITERAL: lambda: [chr(value)],
        kinds.NOT_LITERAL: lambda: ["^" if chr(value) == "~" else "~"],
        kinds.ANY: lambda: ["x"],
        kinds.IN: lambda: [_one_of(value)],
        kinds.BRANCH: lambda: [text for branch in value[1] for text in _samples(branch)[:2]],
        kinds.SUBPATTERN: lambda: _samples(value[3]),
        kinds.ATOMIC_GROUP: lambda: _samples(value),
    }.get(kind)
    return of() if of else [""]  # anchors, and what is only looked at


def _one_of(choices: Any) -> str:
    is_not = choices[0][0] is kinds.NEGATE
    if is_not:
        return "x"
    kind, value = choices[0]
    if kind is kinds.RANGE:
        return chr(value[0])
    if kind is kinds.CATEGORY:
        return {kinds.CATEGORY_DIGIT: "1", kinds.CATEGORY_SPACE: " "}.get(value, "w")
    return chr(value)
