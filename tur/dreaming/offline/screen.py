"""What may not pass into a memory: secrets, and instructions planted in foreign text."""

import re

from tur.dreaming.offline.lexicon import (
    ADDRESSED,
    AUTHORITY,
    DEFENCE,
    FOREIGN_SOURCE,
    IMPERATIVE,
    PLANTED,
    REPORTED,
    RULE_NEVER,
    RULE_STRONG,
    SECRET_WORD,
)
from tur.policy.secrets import redact

MARK = re.compile(r"\[redacted(?::[\w .-]*)?\]", re.IGNORECASE)
_SHAPES = re.compile(
    r"-----BEGIN [^-]*PRIVATE KEY-----.*?(?:-----END [^-]*-----|$)"
    r"|\w+://[^/\s:@]*:[^/\s@]+@\S*"
    r"|\b(?i:pin|otp|tan)\s*:?\s+\d{4,8}\b"
    r"|\b(?i:login|logins|creds?|credentials|zugang|zugangsdaten|acceso|identifiants?)\s*:?\s+[\w.@-]+\s?/\s?(?=\S*\d)\S+"
    r"|\b(?:sk|pk|rk)[-_][A-Za-z0-9_-]{8,}|\bAKIA[0-9A-Z]{8,}|\bASIA[0-9A-Z]{12,}|\bgh[pousr]_\w{8,}|\bgithub_pat_\w+|\bglpat-[\w-]+|\bxox[abeoprs]-[\w-]+"
    r"|\beyJ[\w-]{8,}\.[\w.-]+|\bAIza[\w-]{10,}|\bya29\.[\w-]+|\bhf_\w{8,}|\bnpm_\w{8,}|\bpypi-\w{8,}|\bdop_v1_\w+|\bSG\.[\w.-]{10,}|\bwhsec_\w+|\bhvs\.\w+|\bAGE-SECRET-KEY-\w+"
    # Documentation and test keys carry the word EXAMPLE inside a longer token.
    r"|(?<![\w/.-])(?=[\w./+=:-]*EXAMPLE)(?=[\w./+=:-]*[a-z0-9-][\w-]*)[\w./+=:-]*(?:[A-Z0-9a-z_-]EXAMPLE|EXAMPLE[A-Z0-9a-z_-])[\w./+=:-]*",
    re.DOTALL)  # fmt: skip
_ASSIGNED = re.compile(
    rf"(?P<lead>(?<![a-z]){SECRET_WORD}\s*(?:is|was|of|ist|lautet|war|es|est|=|:|=>|->|→)\s*[\"'`]?)(?P<value>(?!\d{{1,3}}(?:[.,]\d+)?%?(?![^\s,.;)]))[^\s\"'`,;)]*[\d!$%&*#@^~+=][^\s\"'`,;)]*)",
    re.IGNORECASE,
)
_FOLLOWED = re.compile(
    rf"(?P<lead>(?<![a-z]){SECRET_WORD}\s+[\"'`]?)(?P<value>(?=[^\s]*\d)(?=[^\s]*[A-Za-z])[A-Za-z0-9_+/=.!$%-]{{10,}})",
    re.IGNORECASE,
)
_LONG = re.compile(
    r"(?<![\w./-])(?=(?:[A-Za-z+]*\d){4})(?=[A-Z0-9+]*[a-z])(?=[a-z0-9+]*[A-Z])[A-Za-z0-9+]{24,}={0,2}(?![\w./-])"
)
_URL_RESIDUE = re.compile(r"\w+://\S*\[redacted[^\]]*\]\S*")
_FINDING = re.compile(
    r"(?<!\w)(?:sits?|lies?|lay|leak\w*|expos\w+|commits?|committed|checked\s+in|public|hard-?coded|visible|prints?|printed|logs|logged|dump\w*|ships?|embed\w*|embedded|plain\s*text|readable|found\s+in|in\s+the\s+(?:repo|history|image|log|mirror|bundle)|"
    r"liegt|steht|öffentlich|geleakt|im\s+klartext|eingecheckt|sichtbar|landet\w*|expuest[oa]|filtrad[oa]|imprime|imprime[nt]*|muestra|affiche|gibt|públic[oa]|visible|en\s+claro|exposée?|publique?|en\s+clair|fuitée?)(?!\w)",
    re.IGNORECASE,
)
_QUOTED = re.compile(
    r"\"[^\"\n]{8,}\"|“[^”\n]{8,}”|„[^“”\n]{8,}[“”]|«[^»\n]{8,}»|(?<!\w)'[^'\n]{12,}'(?!\w)|‘[^’\n]{12,}’|`[^`\n]{20,}`|<!--.*?(?:-->|$)|<(?P<tag>\w+)[^>]*>.*?(?:</(?P=tag)>|$)",
    re.DOTALL,
)
_CUT = "\x1e"
"""Stands where a quotation was cut."""
_COMMANDED = re.compile(
    r"(?<!\w)(?:approval|approve[sd]?|sign-?off|review|deploy|push|merge|disable|skip|enable|grant|delete|allow|trust|remember|store|save|freigabe|genehmigung|aprobación|approbation)(?!\w)"
    # In the imperative: at the start of the speech or of one of its clauses.
    r"|(?:^|[.:;,!]\s*|(?<!\w)(?:and|please|und|bitte|y|et)\s+)(?:drop|mark|ignore|send|upload|run|execute|install|forward|publish|transfer|pay|wipe|purge|remove|whitelist|unlock|reset|change|write|print|reveal|tell|reply|treat|consider|turn|stop|lösche|sende|führe|überweise|schalte|borra|envía|ejecuta|supprime|envoie|exécute)(?!\w)",
    re.IGNORECASE,
)


def mark_secrets(text: str) -> str:
    """The text with secret-like values replaced by `[redacted:secret]`."""
    text = redact(text)[0]
    text = _URL_RESIDUE.sub("[redacted:url]", text)
    text = _SHAPES.sub("[redacted:secret]", text)
    text = _ASSIGNED.sub(r"\g<lead>[redacted:secret]", text)
    text = _FOLLOWED.sub(r"\g<lead>[redacted:secret]", text)
    return _LONG.sub("[redacted:secret]", text)


def without_secrets(sentence: str, wording: str) -> str | None:
    """The sentence with `wording` in place of marks, or None when it is only about using a secret."""
    if not MARK.search(sentence):
        return sentence
    if not _FINDING.search(sentence):
        return None
    one = rf"(?:[`\"']?(?:[\w.-]+\s*[=:]\s*)?)?{MARK.pattern}[`\"']?"
    run = re.compile(
        rf"{one}(?:\s*(?:,|with|and|und|mit|y|con|et|avec|/|:)?\s*(?:the\s+)?(?:secret|key|password|token|value|id)?\s*{one})*",
        re.IGNORECASE,
    )
    told = run.sub(wording, sentence)
    return told[0].upper() + told[1:] if told else None


def without_planted(text: str) -> str:
    """The note without text that speaks to the reader instead of telling something.

    Foreign text is data. What a ticket, a mail or a page says between quotes, in tags, or after
    "reads:" is cut when it commands; a note that itself commands the memory is cut whole, unless
    what is left warns of just that.
    """
    foreign = bool(FOREIGN_SOURCE.search(text))
    reported = bool(REPORTED.search(text))
    head, colon, tail = text.partition(":")
    spoken = foreign and bool(colon) and not AUTHORITY.search(head + ":")
    addressed = bool(ADDRESSED.search(text)) and (foreign or not AUTHORITY.search(text))
    planted = addressed or bool(PLANTED.search(text))

    def commands(quote: str) -> bool:
        inner = quote.strip("\"“”„«»'‘’`").strip()
        if PLANTED.search(quote) or (addressed and ADDRESSED.search(quote)):
            return True
        # A command line or a short label between quotes is no speech.
        if not (foreign or planted) or len(inner.split()) < 4 or (quote.startswith("`") and not reported):
            return False
        return any(cue.search(inner) for cue in (RULE_STRONG, RULE_NEVER, IMPERATIVE, _COMMANDED))

    rest = _QUOTED.sub(lambda m: _CUT if commands(m.group(0)) else m.group(0), text)
    if rest == text and not planted:
        announced = spoken and FOREIGN_SOURCE.search(head) and (REPORTED.search(head) or len(head.split()) <= 6)
        if announced and commands(tail) and not DEFENCE.search(text):
            return ""
        return text
    kept = [
        line
        for line in re.split(r"(?<=[.!?])\s+|\n", rest)
        if not PLANTED.search(line) and not (addressed and ADDRESSED.search(line))
    ]
    introduced = {
        s.replace(_CUT, "").strip() for s in re.split(r"(?<=[.!?])\s+|\n", rest) if re.search(rf":\s*{_CUT}", s)
    }
    rest = " ".join(kept).replace(_CUT, "").strip(" :,-")
    # What introduced the quotation ("Ticket 17 reads:") tells nothing without it.
    warns = [s for s in re.split(r"(?<=[.!?;])\s+", rest) if DEFENCE.search(s) or AUTHORITY.search(s)]
    if warns:
        return " ".join(warns)
    told = [
        s
        for s in re.split(r"(?<=[.!?])\s+", rest)
        if s
        and s.strip(" :,-") not in {i.strip(" :,-") for i in introduced}
        and not (FOREIGN_SOURCE.search(s) or REPORTED.search(s))
        and len(s.split()) >= 5
    ]
    return " ".join(told)
