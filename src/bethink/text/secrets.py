"""Find live-looking credentials in a text and put typed placeholders in their place."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache

from . import looks


@dataclass(frozen=True, slots=True)
class Finding:
    """Where a credential stands in the text that was scanned, and of what kind it is; never the credential."""

    kind: str
    start: int
    end: int


def redact(text: str) -> tuple[str, list[Finding]]:
    """Return `text` with each credential replaced by `[secret:<kind>]`, and what was found, in order."""
    findings = find(text)
    return _replaced(text, findings), findings


def redact_named(name: str, text: str) -> tuple[str, list[Finding]]:
    """Return `text` as `redact` does; it also is a credential where it would be one after `name`, as in `password`."""
    findings = find(text) or _after_name(name, text)
    return _replaced(text, findings), findings


def _after_name(name: str, text: str) -> list[Finding]:
    quote = "" if '"' in text or "\n" in text else '"'
    before = f"{name}: {quote}"
    found = _found(f"{before}{text}{quote}", _possible(name))
    start, end = len(before), len(before) + len(text)
    return [Finding(f.kind, f.start - start, f.end - start) for f in found if start <= f.start and f.end <= end]


def _replaced(text: str, findings: list[Finding]) -> str:
    done, pieces = 0, []
    for finding in findings:
        pieces += [text[done : finding.start], f"[secret:{finding.kind}]"]
        done = finding.end
    return "".join([*pieces, text[done:]])


def find(text: str) -> list[Finding]:
    """Return the credentials in `text` in order; overlapping ones are one, of the more specific kind."""
    return _found(text, _possible(text))


def _possible(text: str) -> list[_Form]:
    lowered = text.lower()
    return [form for form in _FORMS if form.may_occur(lowered)]


def _found(text: str, forms: Iterable[_Form]) -> list[Finding]:
    return _merged([finding for form in forms for finding in form.search(text)])


def _merged(found: list[Finding]) -> list[Finding]:
    merged: list[Finding] = []
    for finding in sorted(found, key=lambda one: (one.start, -one.end)):
        if merged and finding.start < merged[-1].end:
            last = merged[-1]
            kind = min(last.kind, finding.kind, key=_RANK.__getitem__)
            merged[-1] = Finding(kind, last.start, max(last.end, finding.end))
        else:
            merged.append(finding)
    return merged


@dataclass(frozen=True, slots=True)
class _Form:
    kind: str
    keywords: tuple[str, ...]  # lower case; a text without any of them is not searched
    pattern: str  # group 1, where there is one, is the credential
    accepts: Callable[[str], bool]

    def may_occur(self, lowered: str) -> bool:
        return any(keyword in lowered for keyword in self.keywords)

    def search(self, text: str) -> Iterator[Finding]:
        for match in _compiled(self.pattern).finditer(text):
            if self.accepts(match[match.lastindex or 0]):
                yield Finding(self.kind, *match.span(match.lastindex or 0))


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Compile on first use: all of them take 20 ms, and most texts need none."""
    return re.compile(pattern)


# --- what credentials look like ------------------------------------------------------------------------------------

_PEM = r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----"
_IS = r"""["'`]?\s{0,4}(?::=|=>|==?|:)\s{0,4}"""
_VALUE = r"""(?:"([^"\n]{6,512})"|'([^'\n]{6,512})'|`([^`\n]{6,512})`|([^\s"'`,;<>]{%s,512}))"""
_PASSWORD, _LONG = _VALUE % 6, _VALUE % 16


def _form(kind: str, keywords: str, pattern: str, accepts: Callable[[str], bool]) -> _Form:
    return _Form(kind, tuple(keywords.split()), pattern, accepts)


def _token(kind: str, keywords: str, pattern: str, accepts: Callable[[str], bool] = looks.real) -> _Form:
    """Describe a token that stands between characters that are not of a token."""
    return _form(kind, keywords, rf"(?<![A-Za-z0-9_-]){pattern}(?![A-Za-z0-9_-])", accepts)


# The more specific first: of overlapping findings the kind of the earlier form is kept. Each pattern is linear in time:
# what repeats is bounded, possessive, or starts where the run that it repeats over starts.
_FORMS = (
    _form(
        "private-key",
        "-----begin",
        f"({_PEM}[^-]*+(?:-(?!----)[^-]*+)*+-----END [A-Z0-9 ]{{0,60}}-----)",
        looks.key_block,
    ),
    _form("private-key", "-----begin", f"({_PEM}" r"(?:(?:\s|\\[nr])*+[A-Za-z0-9+/=]{16,}+)++)", looks.anything),
    _token("aws-access-key", "akia asia abia acca", r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}"),
    _form(
        "aws-secret-key",
        "secret",
        r"(?i:secret[\w .-]{0,20}?key|aws[\w .-]{0,20}?secret)[^A-Za-z0-9/+\n]{1,12}"
        r"([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])",
        looks.real,
    ),
    _form(
        "aws-secret-key",
        "akia asia",
        r"(?:AKIA|ASIA)[A-Z0-9]{16}[^A-Za-z0-9/+]{1,12}([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])",
        looks.real,
    ),
    _token("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", r"gh[pousr]_[A-Za-z0-9]{30,255}"),
    _token("github-token", "github_pat_", r"github_pat_[A-Za-z0-9_]{22,255}"),
    _token("gitlab-token", "gl", r"gl(?:pat|dt|rt|cbt|ptt|ft|soat|agent)-[A-Za-z0-9_.-]{20,300}"),
    _token("slack-token", "xox", r"xox[abeoprs]-[A-Za-z0-9-]{10,250}"),
    _token("slack-token", "xapp-", r"xapp-\d-[A-Za-z0-9-]{10,250}"),
    _token("slack-webhook", "hooks.slack.com", r"https://hooks\.slack\.com/[a-z]{5,12}/[A-Za-z0-9/_-]{20,250}"),
    _token(
        "discord-webhook",
        "/api/webhooks/",
        r"https://(?:\w{1,20}\.)?discord(?:app)?\.com/api/webhooks/\d{15,22}/[A-Za-z0-9_-]{50,100}",
    ),
    _token("google-api-key", "aiza", r"AIza[A-Za-z0-9_-]{35}"),
    _token("google-oauth", "gocspx- ya29.", r"(?:GOCSPX-[A-Za-z0-9_-]{20,40}|ya29\.[A-Za-z0-9_-]{20,2000})"),
    _token("stripe-key", "k_live_ k_test_", r"[srp]k_(?:live|test)_[A-Za-z0-9]{16,250}"),
    _token("stripe-key", "whsec_", r"whsec_[A-Za-z0-9+/=]{24,250}"),
    _token("anthropic-key", "sk-ant-", r"sk-ant-[A-Za-z0-9_-]{20,250}", looks.mixed),
    _token("openai-key", "sk-", r"sk-(?!ant-)[A-Za-z0-9_-]{20,250}", looks.mixed),
    _token("npm-token", "npm_", r"npm_[A-Za-z0-9]{36}"),
    _token("pypi-token", "pypi-", r"pypi-[A-Za-z0-9_-]{16,1000}", looks.mixed),
    _token("hugging-face-token", "hf_", r"hf_[A-Za-z0-9]{30,60}"),
    _token("sendgrid-key", "sg.", r"SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{16,64}"),
    _token("twilio-key", "sk", r"SK[0-9a-f]{32}"),
    _form(
        "twilio-token",
        "twilio",
        r"(?i:twilio[\w .-]{0,30}?token)[^A-Za-z0-9\n]{1,8}([0-9a-f]{32})(?![a-z])",
        looks.real,
    ),
    _token("telegram-token", ":a", r"\d{6,10}:A[A-Za-z0-9_-]{34}"),
    _token("digitalocean-token", "_v1_", r"do[opr]_v1_[a-f0-9]{64}"),
    _form("azure-key", "accountkey", r"(?i:AccountKey)=([A-Za-z0-9+/]{80,100}={0,2})", looks.real),
    _form("azure-key", "accesskey", r"(?i:Shared(?:Secret)?AccessKey)=([A-Za-z0-9+/]{40,100}={0,2})", looks.real),
    _form("azure-key", "sig=", r"[?&]sig=([A-Za-z0-9%+/]{40,120})", looks.real),
    _token("age-key", "age-secret-key-", r"AGE-SECRET-KEY-1[A-Z0-9]{58}"),
    _token("linear-key", "lin_api_", r"lin_api_[A-Za-z0-9]{40}"),
    _token(
        "jwt",
        "eyj",
        r"eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{2,}\.[A-Za-z0-9_-]*(?:\.[A-Za-z0-9_-]+){0,2}",
        looks.json_web_token,
    ),
    _form(
        "url-password",
        "://",
        r"(?<![A-Za-z0-9+.-])[A-Za-z][A-Za-z0-9+.-]{1,30}://[^\s/:@\"'<>]{0,100}:([^\s/@\"'<>]{1,200})@",
        looks.written_out,
    ),
    _form("authorization", "basic", r"(?i:\bbasic)\s+([A-Za-z0-9+/]{8,500}={0,2})(?![A-Za-z0-9+/=])", looks.basic),
    _form(
        "authorization",
        "bearer token",
        r"(?i:\bbearer|\bauthorization[\"']?\s{0,4}[:=]\s{0,4}[\"']?token)\s+([A-Za-z0-9._~+/-]{16,2000}={0,2})",
        looks.random,
    ),
    _form(
        "password",
        "passw pwd passphrase",
        rf"(?i:password|passwd|passphrase|pwd|passwort){_IS}{_PASSWORD}",
        looks.password,
    ),
    _form(
        "password",
        "password passphrase",
        r"(?i:password|passphrase)\s(?:is|was):?\s[\"'`]?([^\s\"'`]{8,200})",
        looks.strong_password,
    ),
    _form("password", "--passw", r"--passw(?:or)?d[ =]([^\s\"'`<>]{6,200})", looks.password),
    _form(
        "api-key",
        "key",
        rf"(?i:api|access|secret|private|auth|encryption|signing|client)[-_ .]?(?i:key){_IS}{_LONG}",
        looks.random,
    ),
    _form(
        "token",
        "secret token credential",
        rf"(?<!\[)(?i:secret|token|credentials?){_IS}{_LONG}",
        looks.random_and_no_id,
    ),
    _form("token", "--token --api-key --secret", r"--(?:token|api-key|secret)[ =]([^\s\"'`<>]{16,500})", looks.random),
)
_RANK = {form.kind: place for place, form in reversed(list(enumerate(_FORMS)))}
