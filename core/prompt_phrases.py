"""Phrases of a few languages that show what a prompt wants of memories: small talk, and references to earlier talk.

Such lists are incomplete: use them as evidence among other evidence, never as proof.
"""

from __future__ import annotations

import re

from core import text

MAX_SMALL_TALK_CHARS = 200

# What people write to an assistant without asking for anything. Words that may also be what a question is about, such
# as `work`, `best` or `tomorrow`, count only in the phrases below.
_WORDS = frozenset(
    text.all_query_words(
        """
        yes yeah yep yup no nope ok okay okey k kk sure fine alright right exactly correct indeed absolutely definitely
        certainly course true agreed agree disagree deal approved approve lgtm understood gotcha got noted
        thanks thank thx ty cheers please pls plz welcome sorry oops
        great good nice cool perfect awesome excellent amazing wonderful brilliant fantastic lovely super
        wow haha hahaha lol hmm hm oh ah ugh yay
        hello hi hey bye goodbye greetings
        go going ahead continue carry keep proceed again nvm maybe perhaps later done finished next
        roger interesting understand
        really also too let lets just das es ist ça de c'est
        ja nein danke dankeschön bitte weiter mach alles klar genau passt gut sieht gute guten morgen vielen dank prima
        gerne hallo tschüss verstanden einverstanden
        oui non merci beaucoup accord continue continuez parfait bonjour bonsoir marche salut bien super
        sí si gracias muchas perfecto sigue acuerdo hola vale bueno claro adelante bien
        sim não obrigado obrigada pode continuar perfeito ótimo olá bom
        sì grazie va bene continua perfetto ciao prego
        да нет спасибо хорошо продолжай отлично привет пожалуйста понятно
        """
    )
)
_PHRASES = re.compile(
    r"\b(?:"
    r"good (?:morning|afternoon|evening|night|day|job|work|point|idea|luck)|(?:well|all) done"
    r"|(?:nice|great) (?:work|job|idea)|(?:i )?love (?:it|this|that)"
    r"|(?:i )?(?:don'?t |do not )?like (?:it|this|that)|you(?:'re| are) the best"
    r"|that(?:'?s| is) (?:all|it|exactly it)(?: for (?:today|now))?|no (?:problem|worries)|never ?mind"
    r"|my (?:bad|mistake)|(?:this |that )?(?:makes|made) sense|fair enough|take your time|hurry up"
    r"|(?:this |that |it )?(?:sounds|looks|seems|works|worked)"
    r"(?: (?:good|great|fine|nice|perfect|right|wrong|better|ok|okay))?(?: (?:to|for) me)?"
    r"|(?:did not|didn'?t|does not|doesn'?t|is not|isn'?t|still not|not) (?:work|working)"
    r"|(?:that|this|it)(?:'s| is) (?:wrong|right|fine)|not (?:sure|now|yet)"
    r"|i (?:see|know|don'?t know|don'?t think so)|let'?s (?:go|start|begin|do (?:it|this|that)|move on|continue)"
    r"|do (?:it|this|that)|try (?:it|this|that)? ?again|undo (?:it|this|that)|ship it|move on|once more"
    r"|(?:please )?(?:wait|stop|hold on|one (?:moment|second|minute|sec))(?: (?:a|one) (?:moment|second|minute|sec))?"
    r"|let me (?:think|see)(?: about (?:it|this|that))?|(?:see|talk to) you(?: (?:soon|later|tomorrow))?"
    r"|have a (?:nice|good|great) (?:day|one|evening|weekend)|what'?s (?:up|next|new)|what now|what do you mean"
    r"|anything else|how are (?:you|things)(?: doing)?(?: today)?"
    r"|(?:can|could) you (?:please )?(?:help(?: me)?|explain|repeat|say) ?(?:with something|it|that|this)?(?: again)?"
    r"|help(?: me)?|explain (?:it|this|that)|tell me more|more details"
    r"|(?:a )?(?:bit |little )?(?:shorter|longer|better)|make it (?:shorter|longer|better)"
    r"|(?:i have a |a )?quick question|i have a question|are you sure|is that all"
    r"|the (?:first|second|third|last|other) (?:one|option)|option \w|(?:all|none|both) of (?:it|them)|both"
    r"|(?:thanks )?a lot|(?:so|very) much|one more time|next (?:one|step)|(?:yes|not|no)?,? ?that one"
    r"|forget (?:it|that)|sounds like a plan|(?:that'?s )?(?:not )?(?:exactly )?what i (?:meant|wanted)|no need"
    r"|not bad|good to know|sure thing|great question|i'm (?:back|ready|done)"
    r"|let me know(?: when (?:you are|you're|it is|it's) (?:done|ready|finished))?|how long will it take"
    r"|(?:when|if) you(?:'re| are) ready"
    r")\b",
    re.IGNORECASE,
)
# Every word that small talk may hold: one look at each tells most prompts apart, before a pattern is tried.
_POSSIBLE = _WORDS | text.STOP_WORDS | set(re.findall("[a-z]+", _PHRASES.pattern)) | set("123456789")

# Languages that set no spaces, by what is left of a prompt without these.
_WITHOUT_SPACES = re.compile(
    "好的|好吧|好|是的|对|谢谢|多谢|感谢|不用了|看起来不错|不错|继续吧|继续|请|你好|您好|没问题|明白了?|知道了|可以|完美|再见"
    "|はい|いいえ|ありがとう(?:ございます)?|いいですね|続けて(?:ください)?|わかりました|了解(?:です)?|おはよう(?:ございます)?|こんにちは|お願いします|大丈夫です?"
    "|네|아니요|감사합니다|고마워요?|좋아요?|계속(?:하세요|해주세요)?|알겠습니다|안녕하세요"
)

# References to something that was said or decided before.
_RECALL = re.compile(
    r"\b(?:remember(?:ed|s)?|recall(?:ed)?|remind me|earlier|previously|last (?:time|week|month|session)"
    r"|(?:as|like|what) (?:we|i|you) (?:discussed|decided|agreed|said|mentioned|talked about|told you)"
    r"|(?:we|you|i) (?:have )?(?:already|once) \w+|(?:did|have) (?:we|i|you) (?:ever|already)|you (?:told|said)"
    r"|we (?:talked|spoke) about|back when|the other day"
    r"|erinnerst du|weißt du noch|letztes mal|wie besprochen|vorhin|neulich"
    r"|te acuerdas|recuerdas|la última vez|como (?:hablamos|dijimos)|anteriormente"
    r"|tu te souviens|rappelle-moi|la dernière fois|comme (?:convenu|discuté)"
    r"|lembra|da última vez|como combinamos|ricordi|l'ultima volta|помнишь|в прошлый раз)\b"
    r"|记得|上次|之前说|我们讨论过|覚えて|前回|先日|기억|지난번",
    re.IGNORECASE,
)


def is_small_talk(prompt: str) -> bool:
    """Return whether every word of a prompt is a stop word or one of small talk; one without a word is."""
    if len(prompt) > MAX_SMALL_TALK_CHARS:
        return False
    if prompt.isascii() and not _POSSIBLE.issuperset(text.all_query_words(prompt)):
        return False
    rest = _PHRASES.sub(" ", _WITHOUT_SPACES.sub(" ", text.normalise(prompt).replace("’", "'")))
    return all(word in _WORDS or word in text.STOP_WORDS for word in text.all_query_words(rest))


def recall_phrase(prompt: str) -> str:
    """Return the first phrase by which a prompt refers to earlier talk; empty if there is none."""
    found = _RECALL.search(prompt)
    return found[0] if found else ""
