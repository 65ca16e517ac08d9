"""Find live-looking credentials in a text and put typed placeholders in their place."""

from __future__ import annotations

import base64
import binascii
import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    """Where a credential stands in the text that was scanned, and of what kind it is; never the credential."""

    kind: str
    start: int
    end: int


def redact(text: str) -> tuple[str, list[Finding]]:
    """Return `text` with each credential replaced by `[secret:<kind>]`, and what was found, in order."""
    findings = find(text)
    if not findings:
        return text, []
    done, pieces = 0, []
    for finding in findings:
        pieces += [text[done : finding.start], f"[secret:{finding.kind}]"]
        done = finding.end
    return "".join([*pieces, text[done:]]), findings


def find(text: str) -> list[Finding]:
    """Return the credentials in `text` in order; overlapping ones are one, of the more specific kind."""
    lowered = text.lower()
    if len(lowered) != len(text):  # the dotted capital I grows; offsets must stay those of the text
        lowered = text
    found = [finding for rule in _RULES if rule.may_match(lowered) for finding in rule.search(text)]
    return _merged(found)


def _merged(found: list[Finding]) -> list[Finding]:
    rank = {rule.kind: place for place, rule in reversed(list(enumerate(_RULES)))}
    merged: list[Finding] = []
    for finding in sorted(found, key=lambda one: (one.start, -one.end)):
        if merged and finding.start < merged[-1].end:
            last = merged[-1]
            kind = min(last.kind, finding.kind, key=rank.__getitem__)
            merged[-1] = Finding(kind, last.start, max(last.end, finding.end))
        else:
            merged.append(finding)
    return merged


@dataclass(frozen=True, slots=True)
class _Rule:
    kind: str
    keywords: tuple[str, ...]  # lower case; a text without any of them is not searched
    pattern: re.Pattern[str]  # group 1, where there is one, is the credential
    accepts: Callable[[re.Match[str]], bool]

    def may_match(self, lowered: str) -> bool:
        return any(keyword in lowered for keyword in self.keywords)

    def search(self, text: str) -> Iterator[Finding]:
        for match in self.pattern.finditer(text):
            if self.accepts(match):
                yield Finding(self.kind, *match.span(match.lastindex or 0))


# --- is it live? ---------------------------------------------------------------------------------------------------

_STAND_IN = re.compile(
    r"(?i)your|my[-_]|x{4}|\*{3}|\.{3}|…|0{8}|1234567890?$|placeholder|change[-_]?me|redacted|dummy|sample|replace|insert"
    r"|not[-_]?real|^https?://(?!hooks)|^[(:\[]|<|\{|\$|%[({sd]|\[secret:"
)
_UUID = re.compile(r"(?i)[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}")
_CODE = re.compile(
    r"[A-Za-z_][\w.]*(?:\(.*|\[.*)|[A-Za-z_]\w*(?:(?:\.|::|->)[A-Za-z_]\w*)+|(?:[A-Z][a-z]+\d{0,5}){2,}"
    r"|(?i:true|false|none|null|nil|undefined)"
)
_DATE = re.compile(r"\d{4}-\d\d-\d\d(?:T.*)?")


def _value(match: re.Match[str]) -> str:
    return match[match.lastindex or 0]


def _is_real(match: re.Match[str]) -> bool:
    value = _value(match)
    return not _STAND_IN.search(value) and len(set(value)) > 7


def _is_mixed(match: re.Match[str]) -> bool:
    """One long piece of letters and digits, as no name of a class or a package has."""
    pieces = re.split(r"[-_]", _value(match))
    return _is_real(match) and any(len(piece) >= 16 and re.search(r"\d", piece) for piece in pieces)


def _is_token(match: re.Match[str]) -> bool:
    value = _value(match)
    return _is_real(match) and bool(re.search(r"\d", value)) and not _CODE.fullmatch(value) and _entropy(value) >= 3


def _is_strong_token(match: re.Match[str]) -> bool:
    value = _value(match)
    return _is_token(match) and not _UUID.fullmatch(value) and not _DATE.fullmatch(value) and not value.isdigit()


def _is_password(match: re.Match[str]) -> bool:
    value = _value(match)
    if _STAND_IN.search(value) or _CODE.fullmatch(value) or _DATE.fullmatch(value):
        return False
    return not re.fullmatch(r"[A-Za-z]+[.,;:!?)]*|[A-Za-z]+(?:[-_/][A-Za-z]+)+", value) and len(set(value)) > 3


def _is_strong_password(match: re.Match[str]) -> bool:
    kinds = sum(bool(re.search(kind, _value(match))) for kind in ("[a-z]", "[A-Z]", r"\d", r"[^\w\s.,;:)-]"))
    return kinds >= 3 and _is_password(match)


def _is_written_out(match: re.Match[str]) -> bool:
    return not re.search(r"[<{$]|\*{3}|x{4}|X{4}|\.{3}|…|%s|\[secret:", _value(match))


def _holds_key(match: re.Match[str]) -> bool:
    return bool(re.search(r"[A-Za-z0-9+/=]{16}", match[1].split("-----")[2]))


def _is_jwt(match: re.Match[str]) -> bool:
    head = match[0].split(".", 1)[0]
    try:
        header = json.loads(base64.urlsafe_b64decode(head + "=" * (-len(head) % 4)))
    except (ValueError, RecursionError):
        return False
    return isinstance(header, dict) and ("alg" in header or "typ" in header)


def _is_basic(match: re.Match[str]) -> bool:
    try:
        return b":" in base64.b64decode(_value(match), validate=True)
    except binascii.Error:
        return False


def _always(_: re.Match[str]) -> bool:
    return True


def _entropy(text: str) -> float:
    """Shannon's, in bits a character."""
    return -sum(n / len(text) * math.log2(n / len(text)) for n in Counter(text).values())


# --- what credentials look like ------------------------------------------------------------------------------------

_PEM = r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----"
_SEPARATOR = r"""["'`]?\s{0,4}(?::=|=>|==?|:)\s{0,4}"""
_QUOTED_OR_BARE = r"""(?:"([^"\n]{6,512})"|'([^'\n]{6,512})'|`([^`\n]{6,512})`|([^\s"'`,;<>]{%d,512}))"""


def _rule(
    kind: str, keywords: str, pattern: str, accepts: Callable[[re.Match[str]], bool] = _is_real, *, whole: bool = True
) -> _Rule:
    bounded = rf"(?<![A-Za-z0-9_-]){pattern}(?![A-Za-z0-9_-])" if whole else pattern
    return _Rule(kind, tuple(keywords.split()), re.compile(bounded), accepts)


_RULES = (
    _rule("private-key", "-----begin", "(" + _PEM + r"[^-]*+(?:-(?!----)[^-]*+)*+-----END [A-Z0-9 ]{0,60}-----)", _holds_key, whole=False),
    _rule("private-key", "-----begin", _PEM + r"(?:(?:\s|\\[nr])*+[A-Za-z0-9+/=]{16,}+)++", _always, whole=False),
    _rule("aws-access-key", "akia asia abia acca", r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}"),
    _rule("aws-secret-key", "secret", r"(?i:secret[\w .-]{0,20}?key|aws[\w .-]{0,20}?secret)[^A-Za-z0-9/+\n]{1,12}([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])", whole=False),
    _rule("aws-secret-key", "akia asia", r"(?:AKIA|ASIA)[A-Z0-9]{16}[^A-Za-z0-9/+]{1,12}([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])", whole=False),
    _rule("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", r"gh[pousr]_[A-Za-z0-9]{30,255}"),
    _rule("github-token", "github_pat_", r"github_pat_[A-Za-z0-9_]{22,255}"),
    _rule("gitlab-token", "glpat- gldt- glrt- glcbt- glptt- glft- glsoat- glagent-", r"gl(?:pat|dt|rt|cbt|ptt|ft|soat|agent)-[A-Za-z0-9_.-]{20,300}"),
    _rule("slack-token", "xox", r"xox[abeoprs]-[A-Za-z0-9-]{10,250}"),
    _rule("slack-token", "xapp-", r"xapp-\d-[A-Za-z0-9-]{10,250}"),
    _rule("slack-webhook", "hooks.slack.com", r"https://hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9/_-]{20,250}"),
    _rule("discord-webhook", "/api/webhooks/", r"https://(?:\w{1,20}\.)?discord(?:app)?\.com/api/webhooks/\d{15,22}/[A-Za-z0-9_-]{50,100}"),
    _rule("google-api-key", "aiza", r"AIza[A-Za-z0-9_-]{35}"),
    _rule("google-oauth", "gocspx- ya29.", r"(?:GOCSPX-[A-Za-z0-9_-]{20,40}|ya29\.[A-Za-z0-9_-]{20,2000})"),
    _rule("stripe-key", "k_live_ k_test_", r"[srp]k_(?:live|test)_[A-Za-z0-9]{16,250}"),
    _rule("stripe-key", "whsec_", r"whsec_[A-Za-z0-9+/=]{24,250}"),
    _rule("anthropic-key", "sk-ant-", r"sk-ant-[A-Za-z0-9_-]{20,250}", _is_mixed),
    _rule("openai-key", "sk-", r"sk-(?!ant-)[A-Za-z0-9_-]{20,250}", _is_mixed),
    _rule("npm-token", "npm_", r"npm_[A-Za-z0-9]{36}"),
    _rule("pypi-token", "pypi-", r"pypi-[A-Za-z0-9_-]{16,1000}", _is_mixed),
    _rule("hugging-face-token", "hf_", r"hf_[A-Za-z0-9]{30,60}"),
    _rule("sendgrid-key", "sg.", r"SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{16,64}"),
    _rule("twilio-key", "sk", r"SK[0-9a-f]{32}"),
    _rule("twilio-token", "twilio", r"(?i:twilio[\w .-]{0,30}?token)[^A-Za-z0-9\n]{1,8}([0-9a-f]{32})(?![0-9a-z])", whole=False),
    _rule("telegram-token", ":a", r"\d{6,10}:A[A-Za-z0-9_-]{34}"),
    _rule("digitalocean-token", "_v1_", r"do[opr]_v1_[a-f0-9]{64}"),
    _rule("azure-key", "accountkey", r"(?i:AccountKey)=([A-Za-z0-9+/]{80,100}={0,2})", whole=False),
    _rule("azure-key", "accesskey", r"(?i:Shared(?:Secret)?AccessKey)=([A-Za-z0-9+/]{40,100}={0,2})", whole=False),
    _rule("azure-key", "sig=", r"[?&]sig=([A-Za-z0-9%+/]{40,120})", whole=False),
    _rule("age-key", "age-secret-key-", r"AGE-SECRET-KEY-1[A-Z0-9]{58}"),
    _rule("linear-key", "lin_api_", r"lin_api_[A-Za-z0-9]{40}"),
    _rule("jwt", "eyj", r"eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{2,}\.[A-Za-z0-9_-]*(?:\.[A-Za-z0-9_-]+){0,2}", _is_jwt),
    _rule("url-password", "://", r"(?<![A-Za-z0-9+.-])[A-Za-z][A-Za-z0-9+.-]{1,30}://[^\s/:@\"'<>]{0,100}:([^\s/@\"'<>]{1,200})@", _is_written_out, whole=False),
    _rule("authorization", "basic", r"(?i:\bbasic)\s+([A-Za-z0-9+/]{8,500}={0,2})(?![A-Za-z0-9+/=])", _is_basic, whole=False),
    _rule("authorization", "bearer token", r"(?i:\bbearer|\bauthorization[\"']?\s{0,4}[:=]\s{0,4}[\"']?token)\s+([A-Za-z0-9._~+/-]{16,2000}={0,2})", _is_token, whole=False),
    _rule("password", "passw pwd passphrase", r"(?i:password|passwd|passphrase|pwd|passwort)" + _SEPARATOR + _QUOTED_OR_BARE % 6, _is_password, whole=False),
    _rule("password", "password passphrase", r"(?i:password|passphrase)\s(?:is|was):?\s[\"'`]?([^\s\"'`]{8,200})", _is_strong_password, whole=False),
    _rule("password", "--passw", r"--passw(?:or)?d[ =]([^\s\"'`<>]{6,200})", _is_password, whole=False),
    _rule("api-key", "key", r"(?i:api|access|secret|private|auth|encryption|signing|client)[-_ .]?(?i:key)" + _SEPARATOR + _QUOTED_OR_BARE % 16, _is_token, whole=False),
    _rule("token", "secret token credential", r"(?<!\[)(?i:secret|token|credentials?)" + _SEPARATOR + _QUOTED_OR_BARE % 16, _is_strong_token, whole=False),
    _rule("token", "--token --api-key --secret", r"--(?:token|api-key|secret)[ =]([^\s\"'`<>]{16,500})", _is_token, whole=False),
)  # fmt: skip
