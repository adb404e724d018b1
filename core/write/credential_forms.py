"""Credentials recognised by their format: the prefixes and lengths that their issuers publish.

Every pattern is linear in the length of the text: a repetition is bounded by some hundred characters, or the
look-behind lets a match begin only at the start of a run of characters, so that each run is read once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from core.write.credential_values import is_encoded_pair, is_mixed, is_placeholder, is_random


@dataclass(frozen=True, slots=True)
class Form:
    """The format of a credential. Every match contains one of the lower-case `hints`; a text without any is not
    searched. The secret is the first group of the pattern, or the whole match if it has none."""

    kind: str
    hints: tuple[str, ...]
    pattern: re.Pattern[str]
    holds: Callable[[str], bool] = bool


def _form(kind: str, hints: str, pattern: str, holds: Callable[[str], bool] = bool) -> Form:
    return Form(kind, tuple(hints.split()), re.compile(pattern), holds)


# Where a token may begin and end: next to any character that a token cannot contain.
_B = r"(?<![A-Za-z0-9])"
_W = r"(?<![A-Za-z0-9_-])"
_E = r"(?![A-Za-z0-9])"
_FLY = r"[A-Za-z0-9+/=_-]{24,}+"
_PRIVATE = r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
_UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"

MIN_CHARS = 20  # of the shortest credential that is recognised by its format alone

FORMS = (
    # Up to its last line; a tempered dot, so that many first lines are not each searched to the end of the text.
    _form(
        "private key",
        "private",
        rf"(?s){_PRIVATE}(?:(?!-----BEGIN ).)*?-----END [A-Z0-9 ]{{0,40}}PRIVATE KEY(?: BLOCK)?-----",
    ),
    _form("private key", "private", rf"{_PRIVATE}(?:\s|\\[nr])*+[A-Za-z0-9+/=]{{16}}[A-Za-z0-9+/=\s\\]*+"),
    _form("AWS access key", "akia asia abia acca", rf"{_B}(?:AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{{16}}{_E}"),
    _form("AWS API key", "absk", rf"{_B}ABSK[A-Za-z0-9+/]{{100,}}+=*+"),
    _form("GitHub token", "ghp_ gho_ ghu_ ghs_ ghr_", rf"{_B}gh[pousr]_[A-Za-z0-9]{{36,}}+"),
    _form("GitHub token", "github_pat_", rf"{_W}github_pat_[A-Za-z0-9_]{{50,}}+"),
    _form(
        "GitLab token",
        "gl",
        rf"{_W}gl(?:pat|dt|rt|ptt|ft|soat|cbt|agent|oas|ffct|imt)-[A-Za-z0-9_-]{{20,}}+(?:\.[0-9a-z]{{9}})?",
    ),
    _form("Slack token", "xox", rf"{_W}xox[abceoprs](?:\.xox[bp])?-[A-Za-z0-9-]{{16,}}+"),
    _form("Slack token", "xapp-", rf"{_W}xapp-\d-[A-Za-z0-9-]{{20,}}+"),
    _form(
        "Slack webhook",
        "hooks.slack",
        r"hooks\.slack(?:-gov)?\.com/(?:services|workflows|triggers)/([A-Za-z0-9+/_-]{24,}+)",
    ),
    _form("Stripe key", "k_live_ k_test_ k_prod_", rf"{_B}[rs]k_(?:live|test|prod)_[0-9A-Za-z]{{16,}}+"),
    _form("webhook secret", "whsec_", rf"{_B}whsec_[A-Za-z0-9+/]{{16,}}+=*+"),
    _form("Google API key", "aiza", rf"{_W}AIza[0-9A-Za-z_-]{{35}}"),
    _form("Google client secret", "gocspx-", rf"{_W}GOCSPX-[A-Za-z0-9_-]{{20,}}+"),
    _form("Google access token", "ya29.", rf"{_W}ya29\.[A-Za-z0-9_-]{{30,}}+"),
    _form("Google refresh token", "1//0", rf"{_B}1//0[A-Za-z0-9_-]{{30,}}+", is_mixed),
    _form("SendGrid key", "sg.", rf"{_W}SG\.[A-Za-z0-9_-]{{16,32}}\.[A-Za-z0-9_-]{{32,64}}"),
    _form("Twilio key", "sk", rf"{_B}SK[0-9a-f]{{32}}{_E}"),
    _form("PyPI token", "pypi-", rf"{_W}pypi-Ag[A-Za-z0-9_-]{{40,}}+"),
    _form("DigitalOcean token", "_v1_", rf"{_B}do[opr]_v1_[a-f0-9]{{40,}}+"),
    _form("Databricks token", "dapi", rf"{_B}dapi[a-f0-9]{{32}}(?:-\d)?{_E}"),
    _form("Shopify token", "shp", rf"{_B}shp(?:at|ca|pa|ss|tka|ua)_[A-Fa-f0-9]{{32,}}+"),
    _form("Telegram token", ":a", r"(?<!\d)\d{8,10}:A[A-Za-z0-9_-]{34}(?![A-Za-z0-9_-])"),
    _form("Discord webhook", "discord", r"discord(?:app)?\.com/api/(?:v\d{1,2}/)?webhooks/(\d{16,20}/[\w-]{40,}+)"),
    _form(
        "Discord token",
        ".",
        r"(?<![\w.-])[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}(?![\w.-])",
        is_mixed,
    ),
    _form("Vault token", "hvs. hvb. hvr.", rf"{_W}hv[sbr]\.[A-Za-z0-9_-]{{24,}}+"),
    _form("Vault token", "s.", r"(?<![\w.-])s\.[A-Za-z0-9]{24}(?![\w.])", is_mixed),
    _form("Linear key", "lin_", rf"{_B}lin_(?:api|oauth|wh)_[A-Za-z0-9]{{32,}}+"),
    _form("age key", "age-secret-key", rf"{_B}AGE-SECRET-KEY-(?:PQ-)?1[A-Z0-9]{{50,}}+"),
    _form("signature of an address", "sig=", r"[?&;]sig=([A-Za-z0-9%+/_-]{30,}+=*+)", is_mixed),
    _form("signature of an address", "signature=", r"X-(?:Amz|Goog)-Signature=([A-Fa-f0-9]{64,}+)"),
    _form("npm token", "npm_", rf"{_B}npm_[A-Za-z0-9]{{36,}}+"),
    _form("Hugging Face token", "hf_ api_org_", rf"{_B}(?:hf|api_org)_[A-Za-z0-9]{{30,}}+"),
    _form("API key", "sk-", rf"{_W}sk-[A-Za-z0-9_-]{{20,}}+", lambda value: is_random(value[3:])),
    _form("API key", "gsk_ pplx- r8_ xai- fw_", rf"{_W}(?:gsk_|pplx-|r8_|xai-|fw_)[A-Za-z0-9]{{24,}}+", is_mixed),
    _form("Grafana token", "glsa_ glc_", rf"{_B}gl(?:sa|c)_[A-Za-z0-9+/=_]{{32,}}+"),
    _form("Atlassian token", "atatt atctt atbb", rf"{_B}AT(?:ATT|CTT|BB)[A-Za-z0-9_=-]{{28,}}+", is_mixed),
    _form("Mailgun key", "key-", rf"{_W}key-[0-9a-f]{{32}}{_E}"),
    _form("Mailchimp key", "-us", rf"{_B}[0-9a-f]{{32}}-us\d{{1,2}}{_E}"),
    _form("Notion token", "ntn_ secret_", rf"{_B}(?:ntn_|secret_)[A-Za-z0-9]{{43,}}+", is_mixed),
    _form("Airtable token", "pat", rf"{_B}pat[A-Za-z0-9]{{14}}\.[a-f0-9]{{64}}"),
    _form("Postman key", "pmak-", rf"{_B}PMAK-[a-f0-9]{{24}}-[a-f0-9]{{34}}"),
    _form("New Relic key", "nrak- nrii- nrjs- nral-", rf"{_W}NR(?:AK|II|JS|AL)-[A-Za-z0-9_-]{{19,}}+"),
    _form("New Relic key", "01xx nral", rf"{_B}(?:[a-z]{{2}}01xx[0-9a-f]{{34}}|[0-9a-f]{{32,40}}NRAL){_E}"),
    _form("Doppler token", "dp.", rf"{_W}dp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9_.-]{{40,}}+"),
    _form("Terraform token", ".atlasv1.", rf"{_W}[A-Za-z0-9]{{14}}\.atlasv1\.[A-Za-z0-9_-]{{50,}}+"),
    _form("Dynatrace token", "dt0", rf"{_B}dt0[a-z]\d\d\.[A-Z0-9]{{24}}\.[A-Z0-9]{{64}}"),
    _form("Dropbox token", "sl.", r"(?<![\w.-])sl\.(?:u\.)?[A-Za-z0-9_-]{100,}+"),
    _form("Facebook token", "eaa", rf"{_B}EAA[A-Za-z0-9]{{90,}}+"),
    _form("Square token", "sq0 eaaa", rf"{_W}(?:sq0(?:atp|csp|idp)-|EAAA)[A-Za-z0-9_-]{{22,}}+", is_mixed),
    _form("Azure client secret", "q~", r"(?<![\w~.-])[\w~.]{3}\dQ~[\w~.-]{31,34}(?![\w~.-])"),
    _form(
        "Teams webhook", "webhook.office", r"webhook\.office\.com/webhookb2/([0-9A-Za-z@/-]{60,}+)"
    ),
    _form("Zapier webhook", "hooks.zapier", r"hooks\.zapier\.com/hooks/catch/(\d{4,12}/[a-z0-9]{5,}+)"),
    _form("HubSpot token", "pat-", rf"{_W}pat-(?:na|eu|ap)\d-{_UUID}"),
    _form("OpenShift token", "sha256~", r"(?<![\w-])sha256~[A-Za-z0-9_-]{43}"),
    _form("Nostr key", "nsec1", rf"{_B}nsec1[a-z0-9]{{58}}{_E}"),
    _form("wallet key", "xprv yprv zprv", rf"{_B}[xyz]prv[A-Za-z0-9]{{100,}}+"),
    _form("Fly token", "fm1_ fm2_", rf"{_W}fm[12]_{_FLY}(?:,f[mo]\d_{_FLY})*+", lambda value: is_random(value[4:])),
    _form(
        "access token",
        "dckr_ figd_ pul- rubygems_ sntry pscale_ tskey- sbp_ sb_secret_ nfp_ rnd_ ccipat_ bkua_ hrku- cfpat- tfp_ pnu_"
        " sgp_ shippo_ clojars_ rdme_ fo1_ re_ patsgp_ ops_eyj a3t",
        rf"{_W}(?:dckr_(?:pat|oat)_|figd_|pul-|rubygems_|sntry[su]_|pscale_(?:tkn|pw|oauth)_|tskey-(?:auth|api|client)-"
        r"|sbp_|sb_secret_|nfp_|rnd_|CCIPAT_|bkua_|HRKU-|CFPAT-|tfp_|pnu_|sgp_|shippo_(?:live|test)_|CLOJARS_|rdme_"
        r"|fo1_|re_|ops_(?=eyJ))[A-Za-z0-9_.=-]{24,}+",
        lambda value: is_random(value[4:]),
    ),
    _form(
        "web token",
        "eyj",
        rf"{_W}eyJ[A-Za-z0-9_-]{{10,}}+\.(?:eyJ[A-Za-z0-9_-]{{10,}}+\.[A-Za-z0-9_-]{{10,}}+|\.[A-Za-z0-9_-]{{10,}}+)",
    ),
    _form(
        "bearer token",
        "bearer",
        rf"{_B}[Bb]earer\s{{1,5}}([A-Za-z0-9._~+/-]{{20,}}+=*+)",
        lambda value: is_random(value) and not is_placeholder(value),
    ),
    _form("basic credentials", "basic", rf"{_B}[Bb]asic\s{{1,5}}([A-Za-z0-9+/]{{12,}}+={{0,2}})", is_random),
    _form(
        "basic credentials",
        '"auth',
        r"\"auth\\?\"\s{0,5}:\s{0,5}\\?\"([A-Za-z0-9+/]{8,}+={0,2})\\?\"",
        is_encoded_pair,
    ),
    _form(
        "password in an address",
        "://",
        r"(?<![\w+.-])[A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s/:@\"']{0,100}:([^\s/@\"']{3,200})@[^\s/]",
        lambda value: not is_placeholder(value),
    ),
)  # fmt: skip
_SHORT = ("private key", "basic credentials", "password in an address")
SHORT_FORMS = tuple(form for form in FORMS if form.kind in _SHORT)


def spans(text: str, lowered: str) -> Iterator[tuple[int, int, str]]:
    """Yield the spans of credentials of a known format, with their kind; `lowered` is the text in lower case."""
    forms = FORMS if max(map(len, text.split()), default=0) >= MIN_CHARS else SHORT_FORMS
    for form in forms:
        for hint in form.hints:  # written out: a generator takes four times as long, and nearly every text runs this
            if hint in lowered:
                break
        else:
            continue
        for match in form.pattern.finditer(text):
            group = 1 if form.pattern.groups else 0
            if form.holds(match[group]):
                yield (*match.span(group), form.kind)
