"""Finding and replacing secrets in text, before the text is stored or shown.

Works by shape: the fixed prefixes of known tokens, and what is assigned to a name that says
secret. It prefers to miss an unmarked word over to damage ordinary prose, hashes and ids.
"""

import re
from collections.abc import Callable

_START = r"(?:(?<![A-Za-z0-9_-])|(?<=\\[nrt]))"
"""Where a token may begin; after `\\n` too, as in a log of JSON."""

_TOKENS: tuple[tuple[str, str], ...] = (
    ("aws_access_key", r"(?:AKIA|ASIA|AROA|AIDA|AGPA|ANPA|ANVA|ABIA|ACCA)[A-Z0-9]{12,124}(?![A-Za-z0-9_])"),
    ("anthropic_key", r"sk-ant-[A-Za-z0-9_-]{8,}"),
    ("openai_key", r"sk-(?=[A-Za-z_-]{0,60}[0-9])[A-Za-z0-9_-]{16,}"),
    ("github_token", r"gh[pousr]_[A-Za-z0-9]{16,}|github_pat_[A-Za-z0-9_]{20,}"),
    ("gitlab_token", r"gl(?:pat|ptt|dt|rt|cbt|oas|soat|ft|imt|agent)-[A-Za-z0-9_.-]{16,}"),
    ("slack_token", r"xox[abeoprs]-[A-Za-z0-9-]{8,}|xapp-[0-9]-[A-Za-z0-9-]{10,}"),
    ("npm_token", r"npm_[A-Za-z0-9]{20,}"),
    ("pypi_token", r"pypi-(?=[A-Za-z_-]{0,60}[0-9])(?=[a-z0-9_-]{0,60}[A-Z])[A-Za-z0-9_-]{16,}"),
    ("google_api_key", r"AIza[A-Za-z0-9_-]{30,}"),
    ("google_oauth", r"ya29\.[A-Za-z0-9_-]{20,}|GOCSPX-[A-Za-z0-9_-]{20,}"),
    ("stripe_key", r"[srp]k_(?:live|test)_[A-Za-z0-9]{10,}|whsec_[A-Za-z0-9+/=]{20,}"),
    ("jwt", r"eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*"),
    ("huggingface_token", r"hf_[A-Za-z0-9]{16,}"),
    ("sendgrid_key", r"SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}"),
    ("twilio_key", r"(?:SK|AC)[0-9a-f]{32}(?![A-Za-z0-9])"),
    ("telegram_token", r"[0-9]{8,10}:AA[A-Za-z0-9_-]{30,}"),
    ("discord_token", r"[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}"),
    ("digitalocean_token", r"do[opr]_v1_[a-f0-9]{40,}"),
    ("databricks_token", r"dapi[0-9a-f]{32}"),
    ("docker_token", r"dckr_(?:pat|oat)_[A-Za-z0-9_-]{16,}"),
    ("mailgun_key", r"key-[0-9a-f]{32}(?![A-Za-z0-9])"),
    ("shopify_token", r"shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{32}"),
    ("linear_key", r"lin_(?:api|oauth)_[A-Za-z0-9]{20,}"),
    ("grafana_token", r"gl(?:sa|c)_[A-Za-z0-9_+/=]{20,}"),
    ("vault_token", r"hv[sbr]\.[A-Za-z0-9_-]{20,}"),
    ("age_key", r"AGE-SECRET-KEY-1[A-Z0-9]{40,}"),
    ("postman_key", r"PMAK-[A-Za-z0-9-]{30,}"),
    ("square_token", r"sq0(?:atp|csp|idp)-[A-Za-z0-9_-]{20,}"),
    ("newrelic_key", r"NRAK-[A-Z0-9]{20,}"),
    ("sentry_token", r"sntry[su]_[A-Za-z0-9+/=_-]{20,}"),
    ("planetscale_token", r"pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.-]{20,}"),
    ("groq_key", r"gsk_[A-Za-z0-9]{20,}"),
    ("xai_key", r"xai-[A-Za-z0-9]{30,}"),
    ("replicate_token", r"r8_[A-Za-z0-9]{30,}"),
    ("perplexity_key", r"pplx-[A-Za-z0-9]{30,}"),
)
_TOKEN = re.compile(_START + "(?=[A-Za-z0-9])(?:" + "|".join(f"(?P<{kind}>{shape})" for kind, shape in _TOKENS) + ")")

_PRIVATE_KEY = re.compile(
    r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
    r"(?:[^-]{0,16384}-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|[A-Za-z0-9+/=\s\\:,]*+)"
)
_URL = re.compile(
    r"(?<![A-Za-z0-9+.])([A-Za-z][A-Za-z0-9+.]{1,20}://)([^\s/:@\"'<>\[\]]{0,200}:[^\s/@\"'<>\[\]]{1,200})(?=@[^\s@])"
)
_WEBHOOK = re.compile(
    r"(https://(?:hooks\.slack\.com/(?:services|workflows)/|discord(?:app)?\.com/api/webhooks/))([A-Za-z0-9/_-]{10,})"
)
_AZURE = re.compile(r"\b((?:AccountKey|SharedAccessKey|SharedAccessSignature)=)([A-Za-z0-9+/=%&_.-]{20,})")
_HEADER = re.compile(
    r"(?i)\b((?:proxy-)?authorization[\"']?\s{0,3}[:=]\s{0,3}[\"']?(?:(?:bearer|basic|token|digest|apikey)\s{1,3})?)"
    r"([A-Za-z0-9+/=_.~-]{8,})"
)
_BEARER = re.compile(r"(?i)\b(bearer\s{1,3})([A-Za-z0-9+/=_.~-]{16,})")

_NAME = (
    r"(?:pass(?:word|wd|phrase|code)|pwd|secret|token|credentials?"
    r"|(?:api|access|secret|private|auth|account|encryption|signing|master|shared|client|session|ssh)[_-]?(?:key|secret|token))"
)
_ASSIGNED = re.compile(
    r"(?i)(?<![A-Za-z])(?:[A-Za-z0-9]{1,40}[_.-]){0,4}(?P<name>" + _NAME + r")"
    r"(?P<sep>[\"']?[ \t]{0,3}(?:=>|:=|[:=](?!=))[ \t]{0,3})"
    r"(?P<value>\"(?:[^\"\\\n]|\\.){1,400}\"|'(?:[^'\\\n]|\\.){1,400}'|[^\s\"'`,;<>{}()\[\]&|]{1,400})"
)
_CAMEL = re.compile(
    r"\b[a-z][A-Za-z0-9]{0,40}(?P<name>Password|Passwd|Secret|Token|ApiKey|SecretKey|AccessKey|PrivateKey)"
    r"(?P<sep>[\"']?[ \t]{0,3}[:=](?!=)[ \t]{0,3})"
    r"(?P<value>\"(?:[^\"\\\n]|\\.){1,400}\"|'(?:[^'\\\n]|\\.){1,400}')"
)
_FLAG = re.compile(
    r"(?i)(?P<name>(?<![A-Za-z0-9-])--?(?:[a-z0-9]{1,20}-){0,3}(?:password|passwd|passphrase|pass|token|secret|api-?key"
    r"|(?:access|secret|private|auth)-(?:key|token)))(?P<sep>[ \t]{1,3})"
    r"(?P<value>\"[^\"\n]{1,400}\"|'[^'\n]{1,400}'|[^\s\"'`,;<>{}()\[\]&|]{1,400})"
)
_SPOKEN = re.compile(
    r"(?i)\b(?P<name>(?:password|passwd|passphrase|secret|token|key|credentials?)(?: (?:is|was|are|of|to|now))?)"
    r"(?P<sep>[ \t]{0,3}[:=]?[ \t\n]{1,3}[\"'`]?|[:=][\"'`]?)"
    r"(?P<value>[A-Za-z0-9+/=_.-]{20,400})(?![A-Za-z0-9+/=_.-]|://)"
)

_TOLD = re.compile(
    r"(?i)\b(?P<name>(?:password|passwd|passphrase|pwd))(?P<sep> (?:is|was) [\"'`]?)"
    r"(?P<value>[A-Za-z0-9!@#$%^&*?+_]{6,100})(?![\w-])"
)
_ALGORITHM = re.compile(r"(?i)(?:sha|md|base|utf|argon|b?scrypt|bcrypt|pbkdf|aes|rot)_?\d*|\d+[a-z]+")

_NOT_SECRET = frozenset(
    (
        *("none", "null", "nil", "true", "false", "yes", "no", "str", "string", "bytes", "int", "bool", "required"),
        *("optional", "undefined", "redacted", "unset", "empty", "missing", "changed", "expired", "revoked"),
        *("invalid", "valid", "wrong", "correct", "hidden", "masked", "rotated", "disabled", "enabled", "default"),
    )
)
_ID_LIKE = re.compile(
    r"(?i)(?:sha(?:1|256|512)[:-])?[0-9a-f]{40}(?:[0-9a-f]{24})?|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
    r"|[0-9]{8}_[0-9]{6}_[0-9a-f]{8}|concept-[0-9a-f]{4,64}|tur:/.*|redacted.*"
)
_CODE_LIKE = re.compile(
    r"[$%~]|\.{0,2}/|[A-Za-z_][\w]*(?:\.[A-Za-z_]\w*)+$|(?:os|env|process|self|settings|config|secrets)[.\[]|\*+$|x+$|\.+$"
)


def redact(text: str) -> tuple[str, list[str]]:
    """The text with each secret replaced by `[redacted:<kind>]`, and the kinds found, each once, in order of finding.

    Names, hosts and everything around a secret stay. Redacting twice changes nothing more. Time
    is linear in the length of the text.
    """
    kinds: list[str] = []

    def mark(kind: str) -> str:
        if kind not in kinds:
            kinds.append(kind)
        return f"[redacted:{kind}]"

    def after_lead(kind: str) -> Callable[[re.Match[str]], str]:
        return lambda match: match[1] + mark(kind)

    def assigned(kind: str, judge: Callable[[re.Match[str], str, bool], bool]) -> Callable[[re.Match[str]], str]:
        def replace(match: re.Match[str]) -> str:
            value = match["value"]
            quote = value[0] if value[0] in "\"'" and value[-1] == value[0] and len(value) > 1 else ""
            bare = value[1:-1] if quote else value.rstrip(".:!?")
            if not judge(match, bare, bool(quote)):
                return match[0]
            tail = "" if quote else value[len(bare) :]
            lead = match[0][: match.start("value") - match.start()]
            return f"{lead}{quote}{mark(kind)}{quote}{tail}"

        return replace

    text = _PRIVATE_KEY.sub(lambda _: mark("private_key"), text)
    text = _URL.sub(after_lead("url_credentials"), text)
    text = _WEBHOOK.sub(after_lead("webhook"), text)
    text = _AZURE.sub(after_lead("azure_key"), text)
    text = _TOKEN.sub(lambda match: mark(str(match.lastgroup)), text)
    text = _HEADER.sub(after_lead("authorization"), text)
    text = _BEARER.sub(lambda match: match[1] + mark("bearer_token") if _mixed(match[2]) else match[0], text)
    text = _ASSIGNED.sub(assigned("assignment", _is_assigned_secret), text)
    text = _CAMEL.sub(assigned("assignment", _is_assigned_secret), text)
    text = _FLAG.sub(assigned("assignment", lambda _, value, quoted: _is_value(value) and _odd(value, quoted)), text)
    text = _TOLD.sub(assigned("secret", _is_told_password), text)
    text = _SPOKEN.sub(assigned("secret", lambda _, value, __: _is_value(value) and _random(value)), text)
    return text, kinds


def _is_assigned_secret(match: re.Match[str], value: str, quoted: bool) -> bool:
    if not _is_value(value):
        return False
    name = match["name"]
    if value.lower() in (name.lower(), match[0][: match.end("name") - match.start()].lower()):
        return False
    is_password = name.lower().startswith(("pass", "pwd"))
    if value.isdecimal() and not is_password:
        return False
    # `PASSWORD=…` without blanks in capitals is an environment file, where any value counts.
    if name.isupper() and match["sep"] == "=":
        return len(value) >= 3
    if quoted:
        return len(value) >= 6 and (" " not in value or (is_password and _odd(value, False)))
    return _odd(value, False) or (is_password and _fills_its_place(match, value))


def _is_told_password(_: re.Match[str], value: str, quoted: bool) -> bool:
    return _is_value(value) and _odd(value, quoted) and not _ALGORITHM.fullmatch(value)


def _fills_its_place(match: re.Match[str], value: str) -> bool:
    """A password that is a plain word: a whole line `password: word`, or `password=word` as in a connection string."""
    if len(value) < 6 or re.match("[A-Z][a-z]+[A-Z]", value):
        return False
    after = match.string[match.end() : match.end() + 1]
    if match["sep"] == "=":
        return after == "" or after in " \t\n\r;&"
    begin = match.string.rfind("\n", 0, match.start()) + 1
    return ":" in match["sep"] and after in ("", "\n", "\r") and not match.string[begin : match.start()].strip(" \t-")


def _is_value(value: str) -> bool:
    if value.lower() in _NOT_SECRET or _ID_LIKE.fullmatch(value) or _CODE_LIKE.match(value):
        return False
    return "://" not in value and len(value) >= 3


def _odd(value: str, quoted: bool) -> bool:
    """Whether a value is no plain word or number: long enough, with a digit or a sign among letters."""
    if quoted:
        return len(value) >= 4
    return len(value) >= 6 and bool(re.search(r"[0-9!@#$%^&*?+=]", value)) and not re.fullmatch(r"[0-9.,_-]+", value)


def _mixed(value: str) -> bool:
    return bool(re.search("[0-9]", value) and re.search("[A-Za-z]", value))


def _random(value: str) -> bool:
    """Letters of both cases and digits, and not the words of a path or an identifier."""
    if not (re.search("[0-9]", value) and re.search("[a-z]", value) and re.search("[A-Z]", value)):
        return False
    longest = max(map(len, re.split(r"[/_.-]", value)))
    return longest >= 12 or "+" in value or "=" in value
