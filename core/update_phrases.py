"""Phrases of a few languages that announce a change or show what a query asks for; lists, and no computation.

Such lists are incomplete: use them as evidence among other evidence, never as proof.
"""

from __future__ import annotations

import re
from collections.abc import Set as AbstractSet

from core import text

# Explicit statements of a change. One word boundary for all alternatives: one for each takes four times as long.
_SAY_UPDATE = (
    r"no longer\b|not any ?more\b|switch(?:ed|es)? (?:from|to)\b|moved? (?:from \S+ )?to\b"
    r"|replac(?:ed|es) \w+ (?:with|by)\b|instead of\b|changed (?:from|to)\b|as of\b|now (?:uses?|is|has|runs?)\b"
)
_SAY_UPDATE_IN_CHINESE = "不再|改为|改用"
SAYS_UPDATE = rf"\b(?=\w)(?:{_SAY_UPDATE})|{_SAY_UPDATE_IN_CHINESE}"

# Mentions of a change, possibly of something else.
_MENTION_CHANGE = (
    r"now\b|any ?more\b|instead\b|since\b|after all\b|these days\b|lately\b|actually\b|new(?:est)?\b"
    r"|from \w+ on(?:wards)?\b|in favou?r of\b|back to\b|took over\b|gave up\b|stepped down\b|broke up\b"
    r"|decided (?:against|not)\b|changed (?:his|her|their|my|our) mind\b"
    r"|(?:switch|mov|chang|replac|updat|upgrad|downgrad|migrat|renam|rewr|revers|rais|lower|increas|decreas|reduc"
    r"|doubl|extend|postpon|reschedul|delay|slipp|cancel|dropp|remov|stopp|quit|left|sold|retir|promot|becam|turn|grew"
    r"|gone|fix|clos|finish|start|adjust|revis|convert|swapp|transferr|relocat|resign|deprecat|abandon|renew|rebrand)"
    r"(?:ed|es|ing|led|ote|itten|e)?\b"
    r"|jetzt\b|nun\b|mehr\b|statt\b|sondern\b|seit\b|ab \w+\b|neue[rsnm]?\b|wurde\b|reduziert\b"
    r"|(?:um|ge|ver|er)\w+(?:zogen|wechselt|ändert|schoben|höht|kündigt|legt)\b"
    r"|ahora\b|ya no\b|en (?:lugar|vez) de\b|desde\b|nuev[oa]s?\b|(?:cambi|mud|pas|dej|aplaz|aument|baj|subi)ó\b"
    r"|maintenant\b|désormais\b|ne \w+ plus\b|au lieu de\b|nouve(?:au|lle)\b|depuis\b"
)
_MENTION_CHANGE_WITHOUT_SPACES = "现在|目前|[改换搬]|升级|增加|减少|提高|降低|推迟|提前|跳槽|取消|已|になった|今は"
_CHANGE = re.compile(
    rf"\b(?=\w)(?:{_SAY_UPDATE}|{_MENTION_CHANGE})|{_SAY_UPDATE_IN_CHINESE}|{_MENTION_CHANGE_WITHOUT_SPACES}",
    re.IGNORECASE,
)

_ABOUT_PAST = re.compile(
    r"\bbefore\b|\boriginal(?:ly)?\b|\bprevious(?:ly)?\b|\bformer(?:ly)?\b|\bused? to\b|\bat first\b|\binitial(?:ly)?\b"
    r"|\bin the (?:past|beginning)\b|\bearlier\b|(?<!how )\bold\b|\bback then\b|\bfrüher|\bvorher|\bursprünglich"
    r"|\bzuvor\b|\bdamals\b|\banfangs\b|\bantes\b|\banterior|\bprevi[oa]|\bal principio\b|\bauparavant\b|\bavant\b"
    r"|\bancien|以前|之前|原来|原先|原本|最初|曾经|过去",
    re.IGNORECASE,
)

# `has` and `have` ask for an event, unless for a number or a decision.
_ABOUT_EVENT = re.compile(
    r"\b(?:did|were|had|would|might|could|why)\b"
    r"|^(?!.*\bhow (?:many|much|long)\b)(?!.*\b(?:does|do|set|chosen|decided|agreed|planned|booked)\b)"
    r".*\b(?:has|have) (?!to\b)",
    re.IGNORECASE,
)

# If such a word follows on its line, `was` is the German `what`. Searched for in two steps: a pattern with a lookahead
# from each `was` takes the square of the length.
_WAS = re.compile(r"\bwas\b", re.IGNORECASE)
_GERMAN = re.compile(r"\b(?:der|die|das|den|dem|ein|eine|er|sie|wir|ich|ist)\b", re.IGNORECASE)

# Stop words of languages other than English (`text.STOP_WORDS`).
FUNCTION_WORDS = frozenset(
    """der die das den dem des ein eine einer einem einen und oder für mit auf bei im in von zu zum zur an am aus nach
    ist sind war wird werden wurde soll möchte hat haben ihr ihre ihren sein seine er sie es wir ich nicht welche
    welcher welches welchen welchem was auch el la los las de del en un una unos unas y o al para por con se su sus es
    son está están era hay que qué cuál cuáles cuándo cuánto cuántos cuántas dónde quién cómo lo le les des du et ou est
    sont dans pour avec sur qui quel quelle""".split()
)

# Roots of the words that a question is phrased with, as opposed to its subject: `where does … live`, `which version …`.
ASKING = frozenset(
    text.root(word)
    for word in """live reside stay home address work job employer employ position role use used prefer preference
    preferred like favourite favorite want wish need keep kept store save call name own owner lead manage responsible
    take get give given go goes come happen run host plan schedule write written build built make made set put find
    found show start begin end due last open expire contain include allow support accept pay paid cost charge drive eat
    drink study learn play speak wear sleep wake many much long often far old big high fast kind type sort version size
    amount number count level status state value colour color url link current currently present latest still today
    right maximum minimum max min most least day date time hour week month year place location city country
    wohnen wohnt lebt arbeitet arbeiten heißt nutzt nutzen verwenden verwendet benutzt läuft liegt findet hoch lange oft
    viel viele wer wo wann wie vive vivir trabaja trabajar usa usan usamos prefiere quiere tiene tienen
    住 在 用 使 喜 欢 工 作 什 么 哪 里 个 多 少 时 候 是 谁 由 负 责 天 间 吗 呢 的 了 几 有 版 本 叫 名 字 要 想
    """.split()
)

# Home and work: a statement about one says nothing about the other, even of the same person.
_ASPECTS = tuple(
    frozenset(map(text.root, words.split()))
    for words in (
        """live lives living reside home flat apartment house move moved relocate rent wohnt wohnen wohnung umgezogen
        vive vivir mudó casa piso habite 住 搬""",
        """work works working job employer employed office company hired position arbeitet arbeiten firma stelle trabaja
        trabajo empresa travaille 工""",
    )
)

_RELATIVE = re.compile(
    r"\W*(?:\w+: )?(?:the |my |our )?\w+['’]s (?:\w+ )?(brother|sister|wife|husband|partner|mother|mum|mom|father|dad"
    r"|son|daughter|child|kids?|parents?|friend|boss|manager|colleague|neighbou?r|roommate|cousin|aunt|uncle|dog|cat"
    r"|boyfriend|girlfriend)\b",
    re.IGNORECASE,
)


def asks_about_past(question: str) -> bool:
    """Return whether a query asks for a past state."""
    return _ABOUT_PAST.search(question) is not None


def asks_about_event(question: str) -> bool:
    """Return whether a query asks for something that happened or might happen, not for a state."""
    return _ABOUT_EVENT.search(question) is not None or any(map(_asks_what_was, question.split("\n")))


def _asks_what_was(line: str) -> bool:
    last = 0
    for match in _WAS.finditer(line):
        last = match.end()
    return last > 0 and _GERMAN.search(line, last) is None


def update_phrase(sentence: str) -> str:
    """Return the first phrase that announces a change, in lower case; empty if there is none."""
    found = _CHANGE.search(sentence)
    return found[0].lower() if found else ""


def is_about_other_aspect(asked: AbstractSet[str], said: AbstractSet[str]) -> bool:
    """Return whether the query asks for home and the text names only work, or the reverse; both as roots."""
    return any(
        not asked.isdisjoint(aspect)
        and said.isdisjoint(aspect)
        and any(not said.isdisjoint(other) for other in _ASPECTS if other is not aspect)
        for aspect in _ASPECTS
    )


def relative(statement: str) -> str:
    """Return `brother` if a statement begins with "X's brother", and so on: it is then not about X. Empty otherwise."""
    found = _RELATIVE.match(statement)
    return found[1].lower() if found else ""
