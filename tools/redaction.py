"""Secrets out of texts that people and models see: error messages and tool listings.

Three signs, as in detect-secrets: a known prefix, a telling name before a value, credentials in an address.
"""

import re

REDACTED = "[redacted]"

_NAME = (
    r"(?:api[-_ ]?key|access[-_ ]?key|secret(?:[-_ ]?key)?|token|passw(?:or)?d|passwd|pwd|authorization"
    r"|cookie|credentials?|密码|口令|密钥|令牌)"
)
_VALUE = r"[^\s,;&\"'，；。)}\]]+"
_PATTERNS = (
    re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)", re.DOTALL),
    re.compile(r"(?<![A-Za-z0-9])(?:sk|pk|rk)[-_][A-Za-z0-9_-]{12,}"),
    re.compile(r"(?<![A-Za-z0-9])(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|glpat-[\w-]{16,})"),
    re.compile(r"(?<![A-Za-z0-9])(?:AIza[\w-]{30,}|hf_[A-Za-z0-9]{20,}|lsv2_\w{20,}|xox[a-z]-[\w-]{10,})"),
    re.compile(r"(?<![A-Za-z0-9])(?:(?:AKIA|ASIA)[A-Z0-9]{16}|LTAI[A-Za-z0-9]{12,})(?![A-Za-z0-9])"),
    re.compile(r"(?<![A-Za-z0-9])eyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?"),
)
_SCHEME = re.compile(r"(?i)\b(bearer|basic)\s+[A-Za-z0-9+/=._~-]{8,}")
_ADDRESS = re.compile(r"(?i)(?<=://)[^\s/@:]*:[^\s/@]+(?=@)")
# After a telling name, a value that is glued by `=` or stands in quotes is always taken for a secret; after a
# colon or 是 only one with a digit in it, because "token: the name of the branch" is prose.
_GLUED = re.compile(rf"(?i)({_NAME}[\"']?\s*(?:=\s*|[:：]\s*(?=[\"'])))(\"[^\"]*\"|'[^']*'|{_VALUE})")
_SAID = re.compile(rf"(?i)({_NAME}\s*(?:[:：]|是|为|\bis\b)\s*)(?=[^\s,;，；。]*[0-9])({_VALUE})")
_SECRET_KEY = re.compile(rf"(?i).*{_NAME}")
_EXAMPLES = ("default", "const", "enum", "examples")


def redact(text: str) -> str:
    """`text` with everything that looks like a secret replaced by `[redacted]`."""
    for pattern in _PATTERNS:
        text = pattern.sub(REDACTED, text)
    text = _SCHEME.sub(rf"\1 {REDACTED}", text)
    text = _ADDRESS.sub(REDACTED, text)
    return _SAID.sub(rf"\1{REDACTED}", _GLUED.sub(rf"\1{REDACTED}", text))


def redacted(value: object) -> object:
    """A copy of a JSON value with `redact` applied to every string; one under a telling key goes whole."""
    match value:
        case str():
            return redact(value)
        case dict():
            return {key: _under(str(key), item) for key, item in value.items()}
        case list():
            return [redacted(item) for item in value]
        case _:
            return value


def _under(key: str, value: object) -> object:
    if not _SECRET_KEY.fullmatch(key):
        return redacted(value)
    if isinstance(value, str):
        return REDACTED
    if isinstance(value, dict):  # the schema of a property with a telling name: its example values go too
        return {name: REDACTED if name in _EXAMPLES else redacted(item) for name, item in value.items()}
    return redacted(value)
