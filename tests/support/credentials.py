"""Texts with and without credentials, filled in from a seed: no file of this project holds anything like one."""

from __future__ import annotations

import random
import re
import string
import uuid
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent.parent / "data" / "secrets"
HELD_BACK = 4  # every fourth line was not looked at while the rules were written

_BASE62 = string.ascii_letters + string.digits
_BECH32 = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
_ALPHABETS = {
    "alnum": _BASE62,
    "alpha": string.ascii_letters,
    "b64": _BASE62 + "+/",
    "b64url": _BASE62 + "-_",
    "bech32": _BECH32,
    "BECH32": _BECH32.upper(),
    "digits": string.digits,
    "hex": "0123456789abcdef",
    "upper": string.ascii_uppercase + "234567",
    "upperhex": "0123456789ABCDEF",
}
# Of the list that wallets use, none of them a word that holds sentences together.
_WORDS = """absorb acid bacon candy cement dentist dune eagle elbow fabric ginger glove hazard hockey icon jacket kidney
lemon lunar mango nephew oblige orbit panther pepper quantum raccoon ribbon saddle sketch timber tuna umbrella velvet
walnut wagon yellow zebra zone cactus""".split()
_FILL = re.compile(rf"\{{((?:{'|'.join([*_ALPHABETS, 'words', 'uuid'])})?)(?::(\d+))?\}}")


@dataclass(frozen=True)
class Sample:
    """A text; `secret` is the part that must not be kept, empty in an innocent one."""

    text: str
    secret: str
    is_held_back: bool


def credentials() -> list[Sample]:
    return [*_samples("credentials.txt"), *_samples("more_credentials.txt", is_afterwards=True)]


def innocents() -> list[Sample]:
    return [*_samples("innocents.txt"), *_samples("more_innocents.txt", is_afterwards=True)]


def _samples(name: str, *, is_afterwards: bool = False) -> list[Sample]:
    lines = (FOLDER / name).read_text(encoding="utf-8").splitlines()
    templates = [line for line in lines if not line.startswith("# ")]
    return [
        _sample(number, template, is_held_back=not is_afterwards and number % HELD_BACK == 0)
        for number, template in enumerate(templates)
    ]


def _sample(number: int, template: str, *, is_held_back: bool) -> Sample:
    chance = random.Random(number)
    text = _FILL.sub(lambda match: _filled(match[1], int(match[2] or 0), chance), template)
    marked = re.search("«(.*)»", text)
    return Sample(re.sub("[«»]", "", text), marked[1] if marked else "", is_held_back)


def _filled(kind: str, length: int, chance: random.Random) -> str:
    if kind == "words":
        return " ".join(chance.choice(_WORDS) for _ in range(length))
    if kind == "uuid":
        return str(uuid.UUID(int=chance.getrandbits(128), version=4))
    if not kind:
        return ""
    first = "0" if kind == "digits" else ""  # a number that is counted never begins with it
    alphabet = _ALPHABETS[kind]
    return "".join(chance.choice(alphabet.replace(first, "") if n == 0 and first else alphabet) for n in range(length))
