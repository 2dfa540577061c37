"""The cue words by which notes are read: owned here, in four languages, and nowhere else.

Each cue is a class of wording (how engineers announce a cause, a fix, a release), never the wording
of one project. Cues are matched against text in which code spans are masked, so an identifier such as
`released_at` announces nothing.
"""

import re

Cue = re.Pattern[str]


def _cue(*alternatives: str) -> Cue:
    return re.compile("|".join(alternatives), re.IGNORECASE)


def _words(*alternatives: str) -> str:
    return r"(?<![\w-])(?:" + "|".join(alternatives) + r")(?![\w-])"


# --- who speaks -------------------------------------------------------------------------------------------

_VOICES = (
    r"users?|client|customer|maintainers?|operator|owner|steward|architect|lead|boss|manager|management|board|"
    r"reviewers?|investigator|PI|professor|supervisor|legal|compliance|auditors?|security|stakeholders?|team|editor|"
    r"directors?|head\s+of\s+\w+|authority|authorities|association|works\s+manager|sponsor|teacher|doctor|curator|captain|tester|data\s+protection|works\s+council|union|product|marketing|support|CTO|CEO|CISO|DPO|SRE|ops|QA|council|committee|regulator|designers?|accounting|finance|"
    r"[\w-]+-in-chief|prof|professors?|\w+verantwortliche[rn]?|\w+beauftragte[rn]?|"
    r"producers?|publishers?|(?:tech\w*|copy)\s*writers?|counsel|lawyers?|CFO|COO|CIO|CSO|VP(?:\s+of\s+\w+)?|officers?|chair(?:man|woman|person)?|treasurer|analysts?|scientists?|physicians?|"
    r"nurses?|principal|coach|foreman|chief\s+\w+|ethics\s+(?:board|committee)|licensor|vendor\s+management|procurement|HR|"
    r"Auftraggeber(?:in)?|Kund(?:e|in)|Nutzer(?:in)?|Betreiber(?:in)?|Leiter(?:in)?|Leitung|Chef(?:in)?|Teamleitung|"
    r"Betreuer(?:in)?|Architekt(?:in)?|Maintainer(?:in)?|Datenschutz\w*|Rechtsabteilung|Buchhaltung|Redaktion|"
    r"Fachbereich|Sicherheitsbeauftragte\w*|Projektleit\w+|\w+leiter(?:in)?|\w+leitung|Vorstand|Betrieb|Geschäftsführ\w+|Geschäftsleitung|Direktion|Vorgesetzte\w*|Revision|Betriebsrat|\w*(?:behörde|stelle|amt|gremium|ausschuss)|Fachabteilung|Prüfer(?:in)?|"
    r"cliente|usuari[oa]|responsable|jef[ea]|dueñ[oa]|mantenedor(?:a)?|equipo|directora?|dirección|gerencia|finanzas|seguridad|contabilidad|administrador(?:a)?|auditor(?:a|ía)?|"
    r"utilisat(?:eur|rice)|chef(?:fe)?|mainteneu(?:r|se)|équipe|directeur|directrice|direction|commanditaire|DSI|RSSI|comptabilité|juridique|exploitant|administrateur|hiérarchie"
)
_WISH = (
    r"asks?|asked|wants?|wanted|wishes|prefers?|preferred|insists?|insisted|requires?|required|requests?|requested|"
    r"decided|decides|decrees?|orders?|demands?|expects?|ruled|rules|says|said|told\s+us|would\s+like|likes|forbids|"
    r"is\s+(?:adamant|firm|strict|clear)|does\s+not\s+want|doesn['’]t\s+want|do\s+not\s+want|would\s+(?:rather|prefer|love)|will\s+not\s+(?:have|accept|tolerate|sign)|won['’]t\s+(?:have|accept|sign)|refuses|vetoed|objects\s+to|is\s+against|hates?|dislikes?|needs|cares|is\s+(?:only\s+)?fine\s+with|has\s+(?:forbidden|banned|ordered)|stipulates?|mandates?|set\s+the\s+(?:rule|condition)|put\s+(?:their|her|his)\s+foot\s+down|writes|wrote|"
    r"settled|settles|made\s+(?:it\s+)?clear|laid\s+down|confirmed|has\s+(?:decided|ruled|settled|asked|set|laid\s+down)|forbade|bans?|banned|reminds?|agreed|"
    r"möchte|mag|wünscht|hätte\s+gern\w*|wünscht\s+sich|lehnt|duldet|akzeptiert|schreibt|gibt\s+vor|ordnet|legt\s+Wert|hat\s+(?:\w+\s+){0,5}?(?:untersagt|angeordnet|vorgegeben|bestimmt|gewünscht)|will|verlangt|fordert|bittet|besteht|erwartet|legt\s+fest|hat\s+(?:\w+\s+){0,3}?(?:entschieden|"
    r"festgelegt|gebeten|verboten)|sagt|verbietet|untersagt|bevorzugt|"
    r"pide|pidió|quiere|prefiere|exige|insiste|ordena|solicita|decidió|prohíbe|dice|"
    r"demande|veut|souhaite|préfère|exige|insiste|interdit|a\s+décidé|a\s+demandé"
)
# Verbs of will whose subject is a person, whoever it is.
_WILL = (
    r"insists?|demands?|wishes|decree[sd]|ruled\s+that|forbids?|forbade|is\s+adamant|would\s+(?:rather|like|prefer)|prefers|does(?:\s+not|n['’]t)\s+want|won['’]t\s+(?:have|accept)|puts?\s+(?:their|his|her)\s+foot\s+down|has\s+(?:decided|ruled|asked|forbidden)\s+that|"
    r"hat\s+(?:festgelegt|entschieden|verfügt|angeordnet|untersagt|verboten|gebeten)|besteht\s+darauf|verbietet|untersagt|wünscht\s+sich|möchte,?\s+dass|verlangt,?\s+dass|exige\s+qu\w+|insiste\s+en|prohíbe|interdit\s+(?:de|qu\w+)|souhaite\s+que"
)
_MACHINES = r"compiler|parser|server|linter|container|browser|driver|scheduler|loader|bundler|router|broker|worker|consumer|handler|controller|planner|writer|dispatcher|inspector|helper|buffer|pointer|header|cluster|adapter|docker|renderer|importer|exporter|solver|optimizer|tokenizer|formatter|installer|bootloader|sensor|processor|iterator|generator|validator|connector|executor|cursor|editor|agent|component|document|element"
AUTHORITY = _cue(
    rf"(?:^|[.]\s+)\W*(?:the\s+|our\s+|der\s+|die\s+|unsere?\s+|el\s+|la\s+|le\s+)?(?!it\b|this\b|that\b|I\b|we\b)(?:[\w-]+\s+){{1,4}}?(?:{_WILL})(?!\w)",
    rf"(?:^|[.]\s+)\W*(?:the\s+|our\s+)?(?:[\w-]+\s+){{0,2}}?(?!{_MACHINES})[\w-]+(?:er|or|ist|ent|ant|ess|man|woman|lead|head|chief)\s+(?:wants|asks\s+(?:for|that|us)|asked\s+(?:for|that|us)|requires\s+that|expects\s+(?:us|every|all))(?!\w)",
    rf"(?<!\w)(?:{_VOICES})(?:\s+(?:in\s+charge|on\s+duty|(?:\w+\s+)?today))?\s*(?:\([^)]{{1,30}}\)\s*)?:",
    rf"(?<!\w)(?:{_VOICES})['’]s?\s+(?:own\s+)?(?:words?|wish(?:es)?|call|decision|request|order|condition|ruling|answer|verdict|rule|demand)(?!\w)",
    rf"(?<!\w)(?:{_VOICES})\s+in\s+charge(?!\w)",
    rf"(?:^|[.]\s+)(?:from\s+|by\s+|von\s+|de\s+)?[\w.-]+(?:\s+[\w.-]+)?\s*[(,]\s*(?:the\s+|our\s+|unsere?\s+)?(?:\w+\s+)?(?:{_VOICES})\s*[),]\s*:?",
    rf"(?<!\w)(?:{_VOICES})(?!\w)(?:\s+[\w()'-]+){{0,2}}?\s+(?:{_WISH})(?!\w)",
    rf"(?:word|wish|wishes|call|decision|ruling|order|request|requirement|demand|confirmed|agreed|asked\s+for|decided|"
    rf"decreed|approved|requested|mandated|instruction|answer|message|note|said|laid\s+down)(?:\s+\w+)?\s+(?:from|of|by|"
    rf"with)\s+(?:the\s+|our\s+)?(?:[\w-]+\s+){{0,3}}?(?:{_VOICES})(?!\w)",
    rf"(?:as\s+per|according\s+to)\s+(?:the\s+|our\s+)?(?:\w+\s+)?(?:{_VOICES})(?!\w)",
    rf"(?:Vorgabe|Wunsch|Anweisung|Ansage|Entscheidung|Weisung|Festlegung|Auflage|Bitte|laut|seitens|vo[nm])\s+"
    rf"(?:de[rsmn]\s+|vo[nm]\s+(?:de[rmn]\s+)?|unsere[rsmn]\s+)?(?:\w+\s+)?(?:{_VOICES})(?!\w)",
    rf"(?:orden|decisión|petición|norma|regla|según|demande|consigne|décision|règle|selon)\s+(?:de(?:l|s)?\s+|du\s+)?"
    rf"(?:la\s+|le\s+|el\s+|l['’])?(?:{_VOICES})(?!\w)",
)
WISH = _cue(
    _words(
        r"wants?", r"wishes", r"wish", r"prefers?", r"preferred", r"would like", r"likes", r"asks?", r"asked", r"user",
        r"word from", r"style", r"taste", r"möchte", r"wünscht", r"Wunsch", r"bevorzugt", r"bittet", r"pide", r"quiere",
        r"prefiere", r"cliente", r"souhaite", r"préfère", r"demande", r"veut",
    )
)  # fmt: skip

# --- rules ------------------------------------------------------------------------------------------------

RULE_STRONG = _cue(
    _words(
        r"must(?:\s+not)?", r"mustn['’]t", r"shall\s+not", r"has\s+to", r"have\s+to", r"may\s+not", r"not\s+allowed",
        r"only\s+allowed", r"forbidden", r"prohibited", r"mandatory", r"obligatory", r"no\s+exceptions?",
        r"without\s+exception", r"from\s+(?:now|here)\s+on(?:wards?)?", r"going\s+forward", r"henceforth", r"policy",
        r"ruling", r"house\s+(?:style|rule)", r"standing\s+\w+", r"rule\s+of\s+thumb", r"as\s+a\s+rule", r"do\s+not",
        r"don['’]t", r"under\s+no\s+circumstances", r"at\s+all\s+times", r"needs?\s+the\s+(?:yes|approval|sign-off|ok)",
        r"convention", r"is\s+required", r"are\s+required", r"never\s+(?:again|ever)", r"off[- ]limits", r"(?:the|our|new|house|team|standing)\s+rule(?:\s+is)?(?=\s*(?:[:,.]|that|is|from))",
        r"not\s+acceptable", r"no\s+longer\s+allowed", r"insists?\s+(?:that|on)", r"requires?\s+that", r"ask(?:s|ed)\s+that", r"wants?\s+(?:every|all|no|only|any)", r"verlangt,?\s+dass", r"besteht\s+darauf",
        r"(?:exige|demande|pide|quiere|veut|souhaite)\s+qu['’e]e?", r"should\s+(?:always|never)", r"needs?\s+to\s+be",
        r"muss", r"müssen", r"darf", r"dürfen", r"nie(?:mals)?", r"immer", r"ausnahmslos", r"ab\s+sofort", r"künftig",
        r"verboten", r"untersagt", r"nicht\s+erlaubt", r"nur\s+\w+\s+erlaubt", r"erlaubt", r"zulässig", r"Pflicht",
        r"verpflichtend", r"Vorgabe", r"Regel", r"grundsätzlich", r"(?:ist|sind)\s+(?:(?!nicht)[\w.,-]+\s+){0,6}?zu\s+\w+en",
        r"debe(?:n|ría)?", r"hay\s+que", r"nunca", r"siempre", r"prohibid[oa]s?", r"obligatori[oa]s?", r"norma", r"regla",
        r"de\s+ahora\s+en\s+adelante", r"a\s+partir\s+de\s+ahora", r"sin\s+excepci(?:ón|ones)",
        r"doi(?:t|vent)", r"il\s+faut", r"jamais", r"toujours", r"interdit[es]*", r"obligatoires?", r"règle", r"consigne",
        r"désormais", r"dorénavant", r"sans\s+exception",
    ),
    r"(?<!\w)may\s+(?:be\s+\w+\s+|only\s+|never\s+)",
    r"(?<!\w)(?:is|are)\s+(?:not\s+)?to\s+be\s+\w+(?:ed|en|t|n)(?!\w)",
    r"(?<!\w)(?:we|they|I)\s+(?:do\s+not|don['’]t)\s+want(?!\w)",
    r"(?<!\w)no\s+\w+(?:\s+\w+)?[.!]\s+(?:ever|never|period|full\s+stop|not\s+once|no\s+exceptions?)(?!\w)",
    r"(?<!\w)only\s+(?:[\w./-]+\s+){0,3}may(?!\w)",
    r"(?<!\w)no(?:\s+[\w./`⟦⟧-]+){1,7}?\s+(?:may|without|before|unless|until)(?!\w)",
    r"(?<!\w)(?:kein(?:e|er|en|em)?)(?:\s+[\w./`⟦⟧-]+){1,7}?\s+(?:ohne|bevor|solange)(?!\w)",
    r"(?<!\w)(?:ningún|ninguna|nada\s+de|aucune?)(?:\s+[\w./`⟦⟧-]+){1,7}?\s+(?:sin|antes|sans|avant)(?!\w)",
    r"(?<!\w)(?:sin|sans)\s+\w+(?:\s+\w+){0,5}\s+no\s+se(?!\w)",
)  # fmt: skip
# "never wakes" and "always returns 0" describe a fault; "never float", "always push by PR" lay down a rule.
RULE_NEVER = re.compile(
    r"(?<![\w-])(?:never|always|only\s+ever)\s+(?:be\s+|by\s+|as\s+|in\s+|with\s+)?"
    r"(?![\w-]*(?:[^s\W]s|ed|came|got|went|ran|saw|did|was|were|is|are|had|fires?)(?![\w-]))[\w`⟦(]",
    re.IGNORECASE,
)
RULE_PASSIVE = re.compile(
    r"(?:^|[,;:(]\s*|(?<![\w-])(?:is|are|be|counts?|stays?|remains?|and)\s+(?:[\w-]+\s+){0,4}?)"
    r"(?:never|always)\s+(?:be\s+)?\w+ed(?!\w)", re.IGNORECASE)  # fmt: skip
IMPERATIVE = re.compile(
    r"^(?:please\s+)?(?:write|use|keep|spell|generate|prefer|avoid|name|pin|treat|call|quote|round|store|ship|ask|"
    r"log|report|add|sign|verify|check|give|send|show|hash|escape|validate|normali[sz]e|encrypt|cite|"
    r"capitali[sz]e|translate|test|mock|bump|squash|tag|document|mark|limit|wrap|declare|require|review|refuse|"
    r"normalise|verwende|nutze|schreibe|benutze|vermeide|halte|nenne|"
    r"usar|usa|evitar|evita|escribir|escribe|no\s+\w+ar|utilise[rz]?|évite[rz]?|écri(?:re|vez))(?!\w)",
    re.IGNORECASE)  # fmt: skip
RULE_WORD = _cue(
    r"^\W*(?:the\s+|new\s+|standing\s+|house\s+|team\s*|la\s+|die\s+|neue\s+|nueva\s+|nouvelle\s+)*(?:rule|policy|ruling|convention|covenant|guideline|regel|teamregel|richtlinie|vorgabe|vereinbarung|regla|norma|política|convención|"
    r"règle|consigne|convention|politique)(?!\w)",
)
RULE_ONLY = _cue(
    _words(
        r"only", r"words only", r"at all", r"every(?:where)?", r"any", r"nothing but", r"ever", r"nur", r"ausschließlich",
        r"jede[rsmn]?", r"alle", r"solo", r"sólo", r"únicamente", r"todo", r"seulement", r"uniquement", r"tous?",
        r"otherwise", r"or\s+else", r"else", r"sonst", r"andernfalls", r"si\s+no", r"de\s+lo\s+contrario", r"sinon",
    ),
    r"(?:^|[:,;]\s*)no\s+\w+",
    r"(?:^|[:,;]\s*)kein(?:e|en|er)?\s+\w+",
)  # fmt: skip

# --- the roles of an arc ------------------------------------------------------------------------------------

PROBLEM = _cue(
    _words(
        r"fail(?:s|ed|ing|ures?)?", r"broken", r"breaks?", r"crash(?:es|ed|ing)?", r"hangs?", r"hung", r"stuck", r"bugs?",
        r"wrong(?:ly)?", r"missing", r"misses", r"lost", r"loses?", r"losing", r"leaks?", r"leaked", r"leaking", r"slow(?:er|ly)?",
        r"too\s+(?:long|slow|many|large|big|much|few|late|early)", r"times?\s+out", r"timed\s+out", r"time-?outs?",
        r"dupes?", r"duplicat\w+", r"doubled?", r"orphan(?:s|ed)?", r"corrupt(?:s|ed|ion)?", r"regress\w*", r"flak\w+",
        r"complain(?:s|ed|ts?)?", r"reproduced", r"symptoms?", r"errors?", r"exceptions?", r"traceback", r"panic(?:s|ked)?",
        r"refus(?:es|ed)", r"reject(?:s|ed)", r"stale", r"drifts?", r"drifted", r"mismatch(?:es)?", r"off\s+by", r"red",
        r"overruns?", r"exceed(?:s|ed)", r"drops?", r"dropped\s+(?:off|out)", r"vanish(?:es|ed)?", r"disappear(?:s|ed)?",
        r"no\s+longer\s+(?:works?|loads?|starts?|answers?)", r"does(?:\s+not|n['’]t)", r"did(?:\s+not|n['’]t)",
        r"cannot", r"can['’]t", r"unable", r"nothing\s+happens", r"garbled", r"misaligned", r"incident", r"outage", r"alerts?",
        r"alarms?", r"spikes?", r"spiked", r"jumps?\s+to", r"climbs", r"ballooned", r"without\s+any?\s+(?:warning|error)",
        r"silently", r"quietly", r"deadlocks?", r"stalls?", r"stalled", r"freezes", r"froze\s+up", r"blank", r"empty",
        r"still\s+points?", r"still\s+pointed", r"again\s+and\s+again", r"every\s+time", r"intermittent(?:ly)?", r"dies",
        r"takes\s+(?:[\w.,]+\s+){1,3}?(?:s|sec\w*|min\w*|h|hours?|days?)", r"NaN", r"OOM", r"violat\w+", r"unreadable",
        r"reports?", r"reported", r"stutters?\w*", r"glitch\w*", r"flicker\w*", r"jumps?\s+from", r"gives?\s+up", r"differs?", r"diverge\w*", r"less\s+than\s+expected", r"more\s+than\s+expected", r"piles?\s+up",
        r"staut", r"wartet", r"zweimal", r"weniger\s+als", r"mehr\s+als\s+erwartet", r"ruckelt", r"flackert", r"dos\s+veces", r"menos\s+que", r"más\s+de\s+lo\s+esperado", r"se\s+queja\w*", r"deux\s+fois", r"moins\s+que", r"se\s+plaign\w+", r"left\s+behind", r"leaves\s+(?:\w+\s+){1,4}?behind", r"twice", r"unresponsive", r"degraded", r"lags?", r"above",
        r"berichte(?:n|t)", r"beklag\w+", r"(?:last\s+\w+|yesterday|previous\s+\w+)['’]s", r"until\s+(?:an?\s+|the\s+)?(?:hard\s+)?(?:re\w+|next\s+\w+)", r"lands?\s+on\s+(?:an?\s+|the\s+)?(?:404|error|blank|title|login|wrong)", r"4(?:0[0-9]|1[0-9]|2[0-9])s?\s+(?:when|on|for|after)", r"(?:cents?|bytes?|rows?|minutes?|seconds?|days?|items?|pixels?)\s+(?:too\s+)?(?:short|off|late|early)", r"desync\w*", r"overlaps?", r"disagree\w*", r"agree\s+in\s+only", r"remains?\s+(?:usable|valid|open|visible|active|accessible|readable|logged\s+in|unchanged|empty|grey|blank|locked|mounted)", r"still\s+(?:usable|valid|shows?|sees?|opens?|gets?|visible|there|sends?|asks?|uses?|receives?|accepts?|reads?|sits?)", r"keeps?\s+(?:showing|running|asking|growing|reconnecting|re\w+ing|sending|falling|losing|going)",
        r"ran\s+out", r"runs?\s+out", r"was\s+full", r"is\s+full", r"fills?\s+up", r"filled\s+up", r"grows?\s+(?:without|by|until|to|forever)", r"overheats?", r"drains?\s+(?:the|in|over|from)", r"unusable", r"unplayable", r"inconsistent\w*", r"out\s+of\s+(?:sync|memory|order|space|range|step|tune)", r"blurr\w+", r"jitter\w*", r"hiccups?", r"sluggish", r"only\s+half",
        r"(?:finds?|returns?|shows?|yields?|prints?|sees?|sends?|receives?|gets?)\s+(?:nothing|none|zero|an?\s+empty)", r"(?:logged|locked|kicked|thrown|timed)\s+out", r"gets?\s+(?:killed|evicted|cut|lost|swapped|stuck|mixed)", r"was\s+(?:killed|evicted|cut\s+off)", r"OOMKilled", r"restart\s+loop", r"crash\s*loop\w*", r"loops?\s+forever", r"infinite", r"garbage", r"black\s+screen", r"collapses?", r"collapsed", r"sags?", r"sank", r"plummet\w*", r"plunge[sd]?", r"soar(?:s|ed)?", r"degrad\w+", r"worse", r"worsen\w*", r"suffers?", r"struggles?", r"unable", r"ghost\w*", r"flood\w*", r"drowns?", r"starv\w+", r"wobbl\w+", r"skips?", r"skipped",
        r"(?:rises?|rose|went|goes|falls?|fell|drops?|dropped|climbs?|climbed|jumped|swings?|swung|shot)\s+(?:up\s+|down\s+)?from\s+[\d.,]+", r"nobody\s+can", r"no(?:body|\s+one)\s+(?:sees|gets|receives|notices|knew)", r"by\s+a\s+factor\s+of", r"off\s+by", r"twice\s+as", r"half\s+(?:of\s+)?the",
        r"friert", r"frieren", r"springt", r"zittert", r"verschwind\w+", r"rauscht", r"überhitz\w+", r"reißt\s+(?:\w+\s+)?ab", r"(?:kommt|kommen|geht|gehen|funktioniert|funktionieren|startet|starten|lädt|laden|erscheint|erscheinen|klappt|klappen|greift|stimmt|stimmen)\s+(?:\w+\s+){0,4}?nicht", r"lässt\s+sich\s+(?:\w+\s+){0,3}?nicht", r"zu\s+(?:spät|früh|groß|klein|viele?|wenige?|hoch|niedrig|warm|heiß|langsam|lange)", r"beschwer\w+", r"melde(?:n|t)", r"Reklamation\w*", r"bleib(?:t|en)\s+(?:\w+\s+){0,3}?(?:hängen|stehen|leer|schwarz|aus|liegen|offen)", r"läuft\s+(?:\w+\s+){0,3}?(?:voll|über|leer)", r"vollgelaufen", r"schwankt", r"wächst", r"steigt\s+(?:\w+\s+){0,4}?(?:auf|an)", r"bricht\s+(?:\w+\s+){0,4}?(?:ein|ab|zusammen)", r"reagiert\s+(?:\w+\s+){0,3}?nicht",
        r"no\s+(?:llega|llegan|funciona\w*|carga\w*|responde\w*|arranca\w*|aparece\w*|se\s+\w+)", r"se\s+queda\w*", r"demasiad[oa]s?", r"ne\s+(?:marche|fonctionne|répond|démarre|charge|passe|s['’]affiche)\w*\s+(?:pas|plus)", r"n['’]\w+\s+(?:pas|plus)", r"se\s+fige\w*", r"trop",
        r"Fehler\w*", r"fehlt", r"fehlen", r"fehlschlägt", r"schlägt\s+fehl", r"schlagen\s+fehl", r"stürzt", r"Absturz",
        r"Abstürze", r"hängt", r"hängen", r"Hänger", r"kaputt", r"defekt", r"langsam", r"leere?r?n?", r"falsch\w*", r"Ausfall",
        r"Ausfälle", r"fällt\s+aus", r"fallen\s+aus", r"verliert", r"verlieren", r"doppelt\w*", r"antwortet\s+(?:\w+\s+){0,3}nicht",
        r"nicht\s+mehr", r"bricht\s+ab", r"brechen\s+ab", r"Abbruch", r"blockiert", r"Problem\w*", r"Störung\w*", r"steht\s+still",
        r"dauert\s+(?:[\w.,]+\s+){1,3}?(?:Sekunden|Minuten|Stunden|s|min|h)", r"veraltet\w*", r"abgewiesen", r"weicht\s+ab",
        r"fall(?:a|an|ó|os?)", r"error(?:es)?", r"rot[oa]s?", r"lent[oa]s?", r"pierde[n]?", r"perdid[oa]s?", r"cuelga[n]?",
        r"duplicad[oa]s?", r"lleno", r"vací[oa]s?", r"tarda[n]?", r"se\s+cae[n]?", r"caíd[oa]s?", r"faltan?",
        r"échou\w+", r"échec\w*", r"erreurs?", r"plant(?:e|ent|age)", r"lente?s?", r"perd(?:u|ue|us)?", r"bloqué\w*", r"vides?",
        r"doublons?", r"manqu(?:e|ent|ant)", r"panne", r"met\s+\d+",
    ),
    r"(?<!\d)5\d\ds?(?=\s*(?:,|;|:|\.|$|on|at|for|from|bei|while|when|errors?))",
    r"(?<!\w)(?:sees?|gets?|shows?|returns?|prints?|receives?|displays?|yields?)\s+(?:[\w⟦⟧'\"]+\s+){1,4}?(?:instead|rather\s+than)(?!\w)",
    r"(?<!\w)(?:zeigt|liefert|sehen|sieht|bekommt|bekommen)\s+(?:[\w⟦⟧'\"]+\s+){1,4}?(?:statt|anstelle)(?!\w)",
    r"(?<!\w)(?:two|three|several|multiple)\s+(?:or\s+(?:even\s+)?\w+\s+)?times(?!\w)",
    r"(?<![^\W\d])(?:hours?|days?|minutes?|weeks?|h|min|s|d)\s+late(?!\w)",
    r"(?<!\w)needs?\s+[\d.,]+\s+(?:s|sec\w*|min\w*|hours?|days?)(?!\w)",
    r"(?<!\w)(?:goes|went|grows|grew|creeps|crept)\s+from\s+[\d.,]+",
    r"(?<!\w)(?:unauthori[sz]ed|unbefugt|anyone\s+can|anybody\s+can|other\s+(?:people|customers|users|tenants)['’]s?|fremde[nrs]?)(?!\w)",
    r"(?<!\w)(?:shoves?|pushe[sd]|shifts?|shifted)(?!\w)",
    r"\?\s*$",
)  # fmt: skip
CAUSE = _cue(
    _words(
        r"because", r"underneath", r"under\s+the\s+hood", r"what\s+happens", r"behind\s+(?:it|this)", r"it\s+(?:builds|reads|waits|holds|loads|takes|compares|treats)", r"root\s+cause", r"causes?", r"caused\s+by", r"reasons?", r"due\s+to", r"owing\s+to", r"thanks\s+to", r"why",
        r"turned\s+out", r"turns\s+out", r"traced?(?:\s+\w+)?\s+to", r"culprit", r"explains?", r"comes\s+from", r"came\s+from",
        r"stems?\s+from", r"thus", r"therefore", r"hence", r"so\s+that", r"found\s+(?:it|that|out)", r"it\s+is\s+the", r"yet",
        r"although", r"whereas", r"confirmed", r"bisect(?:ed)?", r"by\s+default", r"assum(?:es|ed)",
        r"expects", r"caps", r"caches", r"keeps", r"ignores?", r"ignored", r"overrides?", r"overwrites?", r"shadows?", r"how\s+it",
        r"never\s+(?:released|called|closed|freed|reset|awaited|cleared)", r"every\s+\w+\s+\w+s\s+(?:\w+\s+)?again",
        r"does\s+not\s+carry", r"belongs?\s+to", r"leaves\s+out", r"lacks?", r"only\s+after", r"before\s+the", r"holds\s+the",
        r"profiler?", r"profiling", r"trace\s+shows?", r"log\s+shows?", r"shows?", r"analy[sz]er", r"stands?\s+above",
        r"the\s+old\s+ones?", r"a\s+second\s+time", r"counts?\s+twice", r"race(?:\s+condition)?", r"underflows?", r"overflows?",
        r"weil", r"da\s+der", r"da\s+(?:die|das|sein|seine|ihr|ihre|er|sie|es|beim|im|kein|keine)", r"Ursache", r"Ursächlich", r"Grund", r"Auslöser", r"liegt\s+an", r"lag\s+an", r"liegt\s+daran", r"wegen",
        r"dadurch", r"daher", r"deshalb", r"darum", r"aufgrund", r"nämlich", r"stellte\s+sich\s+heraus", r"kommt\s+von", r"führt\s+dazu",
        r"mitten\s+(?:im|in)", r"obwohl", r"sondern", r"Logik?analysator", r"Oszilloskop", r"zeigt", r"Diagnose", r"Befund", r"liegt",
        r"causa", r"porque", r"debido\s+a", r"por\s+culpa", r"resulta\s+que", r"motivo", r"razón", r"ya\s+que", r"proviene", r"origen",
        r"cause", r"parce\s+qu\w*", r"à\s+cause", r"en\s+raison", r"raison", r"vient\s+d\w*", r"car", r"provient", r"il\s+s['’]avère",
        r"origine",
    ),
    r"(?:,|;|\.|→|->|:)\s*so\s+(?!far\b)(?:[\w`⟦(]+)",
    r"->|→\s*\w+.*(?:->|→)",
    r"[a-z)\]⟧]\s*(?:->|→|=>)\s*[a-z⟦]",
)  # fmt: skip
CAUSE_STRONG = _cue(
    _words(
        r"because", r"root\s+cause", r"cause", r"caused\s+by", r"reason(?:\s+found)?", r"due\s+to", r"turned\s+out", r"turns\s+out",
        r"culprit", r"traced?(?:\s+\w+)?\s+to", r"why", r"how\s+it\s+\w+", r"explanation", r"diagnosis", r"thus", r"weil", r"Ursache",
        r"Ursächlich", r"Grund", r"Auslöser", r"liegt\s+an", r"lag\s+an", r"Diagnose", r"Befund", r"causa", r"porque", r"debido\s+a",
        r"motivo", r"à\s+cause", r"parce\s+qu\w*", r"raison", r"origine", r"origen", r"it\s+comes\s+from",
    )
)  # fmt: skip
_FIXED = (
    r"added|moved|replaced|switched|pinned|wrapped|raised|lowered|disabled|enabled|removed|rewrote|rewritten|reordered|"
    r"changed|set|put|introduced|split|merged|reverted|rolled\s+back|patched|fixed|turned\s+into|turned\s+off|turned\s+on|"
    r"bumped|upgraded|downgraded|increased|decreased|reduced|extended|dropped|deleted|refactored|extracted|inlined|cached|"
    r"batched|guarded|escaped|quoted|locked|unlocked|capped|limited|configured|installed|rebuilt|regenerated|converted|"
    r"normali[sz]ed|moved\s+over|swapped|rerouted|registered|unregistered|revoked|rotated|isolated|serialised|serialized|"
    r"debounced|throttled|retried|backfilled|reindexed|resized|shortened|lengthened|tightened|loosened|relaxed|doubled|halved|"
    r"corrected|adjusted|created|implemented|marked|stopped|excluded|included|shielded|soldered|recalibrated|rewired|"
    r"deduplicated|indexed|partitioned|vendored|mirrored|hardened|sanitised|sanitized|clamped"
)
FIX = _cue(
    rf"(?:^|[.;:,]\s*|(?<!\w)(?:we|I|and|have|has|is|are|was|were|been|be|all|now|then|got)\s+)(?:{_FIXED})(?!\w)",
    r"(?<!\w)(?:replaced|swapped|superseded|turned)\s+(?:by|with|into|for)(?!\w)",
    # A sentence that opens with a past tense tells what somebody did ("Memoised …", "Wrote …").
    r"(?:^|[.;]\s+)(?!(?:reproduced|confirmed|observed|noticed|failed|crashed|looked|started|continued|resumed|joined|opened|pulled|checked|picked|rebased|merged|published|released|shipped|launched|retired|deprecated|migrated|tagged|"
    r"finished|closed|asked|decided|agreed|need|indeed|speed|feed|seed|bed|red|led|used|embed|exceed|proceed|succeed|hundred)\b)(?:[a-z]{3,}ed|wrote|rewrote|made|built|gave|taught|went\s+over\s+to|split|cut|took\s+out|threw\s+out|hid|let)\s",
    # Terse passive without an auxiliary ("Tap placed behind the mixer", "keys salted -> 32 buckets").
    r"(?:^|[.;]\s*)(?:[\w⟦⟧-]+\s+){1,4}(?!(?:failed|crashed|reported|complained|noticed|remained|arrived|happened|occurred|appeared|used|based|needed|expected|wanted|asked|supposed|related|limited|confirmed|observed|received|missed|doubled|lost|need|speed|feed|seed|bed|red|exceed|proceed|embed|indeed|hundred|released|shipped|published|retired|granted|booked|allowed|required|dated|called|named|measured|replayed|recomputed|tested|cancelled|rejected|refused|blocked|dropped|ended|died|stalled)\b)[a-z]{2,}(?:ed)\s*(?:->|→|:|\s(?:behind|before|above|below|under|between|around|through|to|into|with|via|per|onto|off)\s)",
    r"(?<!\w)(?!abgestürzt|ausgefallen|abgebrochen|eingebrochen|aufgefallen|abgewiesen|angekommen|aufgetreten|weggebrochen|umgefallen|eingefroren|angegeben|ausgegangen|aufgegangen|vorgesehen|vorgegeben|angefangen)(?:nach|auf|ein|aus|um|ab|an|vor|hinzu|weg|frei|fest|zusammen|herunter|hoch|hinein|vorweg|dazwischen)ge\w+(?:t|en)(?!\w)",
    rf"(?<!\w)(?:{_FIXED})\s+(?:to|by|from|into|with|at|as|in|on)(?!\w)",
    _words(
        r"now\s+\w+s", r"now\s+\w+ed", r"now\s+goes?", r"are\s+now", r"is\s+now", r"we\s+now", r"no\s+longer\s+\w+s", r"instead\s+of",
        r"fix(?:es)?", r"fixed", r"remedy", r"workaround", r"work-around", r"solution", r"solved", r"resolved", r"mitigat\w+",
        r"rather\s+than\s+\w+ing", r"by\s+hand\s+instead", r"from\s+then\s+on",
        r"behoben", r"Abhilfe", r"Lösung", r"gelöst", r"korrigiert", r"ersetzt", r"eingebaut", r"hinzugefügt", r"ergänzt", r"aufgenommen",
        r"umgebaut", r"verschoben", r"erhöht", r"gesenkt", r"verringert", r"abgestellt", r"entfernt", r"gelöscht", r"geändert", r"angepasst",
        r"eingeführt", r"gesetzt", r"begrenzt", r"gepinnt", r"festgenagelt", r"zurückgesetzt\s+auf", r"nun", r"stattdessen", r"jetzt",
        r"eingestellt\s+auf", r"vertauscht", r"gepuffert", r"entkoppelt", r"aktualisiert", r"neu\s+\w+t",
        r"arreglad[oa]s?", r"corregid[oa]s?", r"añadid[oa]s?", r"agregad[oa]s?", r"eliminad[oa]s?", r"reemplazad[oa]s?", r"sustituid[oa]s?",
        r"cambiad[oa]s?", r"subid[oa]s?\s+a", r"bajad[oa]s?\s+a", r"movid[oa]s?", r"ahora", r"solución", r"desactivad[oa]s?", r"activad[oa]s?",
        r"limitad[oa]s?", r"solucionad[oa]s?", r"fijad[oa]s?", r"configurad[oa]s?",
        r"corrigée?s?", r"ajoutée?s?", r"remplacée?s?", r"supprimée?s?", r"déplacée?s?", r"désactivée?s?", r"activée?s?", r"maintenant",
        r"résolue?s?", r"solution", r"passée?s?\s+à", r"limitée?s?", r"augmentée?s?", r"réduite?s?", r"épinglée?s?", r"fixée?s?",
    ),
)  # fmt: skip
EFFECT = _cue(
    _words(
        r"load\s+test", r"soak\s+test", r"stress\s+test", r"verified", r"checksums?\s+(?:equal|match)", r"comes?\s+out", r"no\s+\w+\s+at\s+all",
        r"replayed", r"re-?ran", r"afterwards?", r"after\s+the\s+\w+", r"since\s+then", r"steady", r"holds", r"intact", r"gone",
        r"down\s+(?:to|from)", r"up\s+from", r"from\s+[\d.,]+\s*\w*\s+(?:down\s+)?to", r"p9\d", r"in\s+a\s+row", r"each\s+time", r"same\s+count",
        r"line\s+up", r"all\s+\w+\s+pass", r"reproducible\s+no\s+more", r"no\s+more", r"not\s+once", r"zero", r"back\s+to\s+normal", r"drops?\s+to",
        r"fell\s+(?:to|from)", r"needs\s+\d+", r"survives?", r"survived", r"outcome", r"measured", r"benchmark\w*",
        r"is\s+back\s+(?:to|at)", r"are\s+back\s+(?:to|at)", r"get\s+through", r"(?:ohne|without|sin|sans|no)\s+\d+", r"without\s+a\s+single", r"clean\s+(?:run|result)", r"tr(?:ied|ies)\s+(?:it\s+)?again", r"(?:none|nobody|no\s+one|niemand)\s+\w+(?:ed|s|d|t)?(?=\s*(?:[.,;]|$))", r"none(?=\s*[.;]?\s*$)", r"recalculated", r"recomputed", r"re-?test(?:ed|s)?", r"neu\s+eingespielt", r"nachgerechnet", r"erneut\s+(?:\w+\s+){0,2}?(?:versucht|getestet|geprüft|gemessen)", r"(?:flat|steady|constant|stable)\s+(?:at|for|over|since)", r"stays?\s+(?:at|below|under|within|flat)", r"holds?\s+at", r"exactly\s+once", r"every\s+time\s+(?:now|since)", r"bleibt\s+(?:bei|unter)", r"identical\s+(?:to|with|up)", r"agrees?\s+(?:with|to)", r"matches", r"(?:bit|byte)-?\s?(?:identical|for[- ]\w+)", r"confirmed\s+(?:on|by|with|over|in)", r"passes", r"succeeds?", r"within\s+(?:spec|budget|tolerance|limits)", r"under\s+\d[\d.,]*\s*\w+", r"no\s+(?:new|further|more)\s+\w+", r"spotless", r"clean\s+since",
        r"(?:Spitze|Maximum|Mittel|Median|im\s+Schnitt)\s+(?:bei|von)\s+\d", r"unverändert", r"identisch", r"stimmt\s+(?:\w+\s+){0,3}?überein", r"fehlerfrei", r"(?:Stunden|Tage|Nächte|Läufe|Durchläufe)\s+(?:ohne|sauber|stabil)", r"reibungslos", r"sauber", r"coincide\w*", r"concorde\w*", r"identique\w*",
        r"Dauertest", r"Lasttest", r"Nachmessung", r"kein(?:e|en|er)?\s+\w+\s+mehr", r"seither", r"seitdem", r"danach", r"statt\s+bisher", r"nachgemessen",
        r"vorher", r"geprüft", r"bestätigt", r"stabil", r"Ergebnis", r"läuft\s+(?:\w+\s+)?durch", r"sinkt\s+auf", r"fällt\s+auf", r"gesunken",
        r"verificad[oa]", r"comprobad[oa]", r"resultado", r"desde\s+entonces", r"ya\s+no", r"estable", r"sin\s+errores", r"baja\s+(?:de|a)", r"ningún",
        r"vérifiée?", r"résultat", r"depuis", r"plus\s+aucune?", r"stable", r"sans\s+erreur", r"aucune?", r"passe\s+de",
    ),
    r"(?<![\w.])0(?:\.0+)?\s*(?:%|broken|errors?|failures?|orphans?|lost|Fehler|errores|erreurs|double|dupes?)",
    r":\s*0(?:\.0+)?\s*(?:%|\.|$)",
    r"[\d.,]+\s*[x×]\s",
)  # fmt: skip

# --- events -------------------------------------------------------------------------------------------------

EVENT = _cue(
    _words(
        r"(?<!never )(?<!not )released(?!\s+(?:the\s+)?(?:lock|mutex|memory|handle|connection|buffer|lease|slot|resource|again)s?)", r"published", r"shipped", r"launched",
        r"went\s+live", r"goes\s+live", r"gone\s+live", r"(?:is|are)\s+(?:now\s+)?live", r"go-?live", r"cut-?over", r"cut\s+over",
        r"unplugged", r"dismantled", r"taken\s+out\s+of\s+(?:service|use|operation|production)", r"(?:is|are)\s+the\s+(?:single|only)\s+(?:way|entry|source)\s+(?:in|left|of\s+truth)", r"in\s+the\s+field(?=\s*(?:[.;,]|now|$))", r"out\s+in\s+the\s+(?:wild|shops|open)", r"(?:today|this\s+week)['’]s\s+(?:release|version|update|deploy\w*|firmware)", r"(?:heutige[rnms]?)\s+(?:Release|Version|Update|Firmware)", r"moved\s+(?:off|away\s+from|out\s+of)\s+.{2,40}?\s(?:on)?to", r"(?:paper|talk|proposal|grant|patent|submission|manuscript|app|bid|thesis)\s+(?:was\s+|is\s+|has\s+been\s+|got\s+)?(?:accepted|granted|approved|awarded|published)", r"being\s+(?:recycled|dismantled|decommissioned|retired|wound\s+down)", r"(?:now\s+)?[A-Z]{2,5}-only", r"(?:switch|move|change|transition|jump|step|leap|migration|swap|cut)\s+(?:to\s+[\w. ]{1,30}\s+)?(?:has\s+been|is|was)\s+(?:made|done|complete\w*|finished|behind\s+us)", r"(?:went|gone|goes|sent)\s+to\s+(?:the\s+)?(?:printers?|press|print|market|customers|manufacturing|fab|shops?|stores?)", r"ha(?:s|ve)\s+had\s+(?:its|their)\s+day", r"(?:is|are)\s+out\s+of\s+(?:service|use|the\s+(?:code\s*base|tree|repo\w*|product|build))", r"(?:is|are)\s+(?:dark|closed|no\s+more)(?=\s*(?:[.;,]|$))", r"(?:has|have)\s+ended", r"on\s+sale", r"steh(?:t|en)\s+(?:\w+\s+){0,4}?im\s+(?:Store|Handel|Netz|Laden)", r"Vergangenheit", r"hat\s+ausgedient", r"ausgedient", r"gone\s+from\s+(?:production|prod|the\s+\w+|all)", r"gone\s+for\s+good", r"live\s+(?:(?:in|on|at|for)\s+(?:all|every|both|\d+|production)|since|everywhere|across)", r"shelved", r"mothballed", r"abandoned", r"scrapped", r"wiped", r"parked\s+for\s+good", r"sunset(?:ted)?", r"(?:we|they)\s+(?:have\s+)?(?:closed|opened|signed|acquired|bought|sold|founded|launched|left|vacated|hired|renamed|abolished|adopted|ratified)",
        r"(?:has|have|was|were)\s+(?:been\s+)?(?:inaugurated|acquired|sold|signed|ratified|adopted|abolished|dissolved|renamed|rebranded|vacated|certified|accredited)", r"wurde[n]?\s+(?:\w+\s+){0,5}?(?:eröffnet|geschlossen|verkauft|übernommen|unterzeichnet|umbenannt|aufgelöst|eingeweiht|verabschiedet)", r"steht\s+(?:ab\s+heute|nun|jetzt)\s+(?:allen|offen)", r"für\s+alle\s+(?:freigeschaltet|offen|verfügbar)", r"freigeschaltet", r"opened\s+up\s+to", r"kicked\s+off", r"(?:contract|deal|agreement)\s+(?:with\s+[\w ]+?\s+)?(?:is\s+)?(?:signed|terminated|ended)", r"(?:has|have)\s+been\s+(?:shut|switched|turned|phased|powered)\s+(?:off|down|out)", r"(?:shut|switched|turned)\s+(?:off|down)\s+(?:for\s+good|(?:on|for|in|across)\s+(?:all|every|each|both))", r"phased\s+out", r"wound\s+down", r"laid\s+to\s+rest", r"pulled\s+the\s+plug",
        r"ran\s+for\s+the\s+last\s+time", r"(?:went|gone|going|goes)\s+gold", r"gold\s+master", r"sent\s+to\s+(?:cert\w*|press|print|the\s+printers?|manufacturing|production|the\s+fab)", r"taped\s+out", r"tape-?out", r"exclusively", r"(?:is|are|became|becomes)\s+(?:now\s+)?the\s+one\s+\w+",
        r"since\s+(?:this\s+(?:morning|afternoon|evening|noon)|today|noon|midnight|last\s+night)", r"as\s+of\s+(?:this\s+\w+|now|tonight|noon|midnight)", r"effective\s+(?:today|immediately|now)", r"seit\s+(?:heute\s+\w+|gestern|mittag)", r"mit\s+dem\s+heutigen\s+Tag", r"depuis\s+(?:ce\s+matin|aujourd['’]hui|midi)", r"desde\s+(?:esta\s+\w+|ayer)",
        r"opened\s+to\s+(?:the\s+public|everyone|all)", r"(?:goes|went|gone|put)\s+into\s+(?:service|operation|effect|force|production)", r"took\s+effect", r"(?:is|are)\s+in\s+(?:service|effect|force|operation)", r"tritt\s+in\s+Kraft", r"in\s+Kraft\s+getreten", r"gehört\s+der\s+Vergangenheit", r"erschienen", r"ausgerollt", r"eingeführt\s+(?:für|in|auf)\s+alle\w*", r"(?:ist|sind)\s+eingestellt",
        r"signed\s+off\s+by", r"passed\s+(?:the\s+)?(?:certification|audit|acceptance)", r"(?:acceptance|certification)\s+(?:\w+\s+){0,2}?(?:granted|passed)", r"completed\s+the\s+(?:move|migration|switch|transition|rollout)", r"took\s+over", r"has\s+taken\s+over", r"übernimmt", r"übernommen", r"löst\s+(?:\w+\s+){1,6}?ab", r"scrapped\s+for\s+good", r"from\s+this\s+day(?:\s+on)?", r"as\s+of\s+today", r"ab\s+heute", r"seit\s+heute", r"desde\s+hoy", r"à\s+partir\s+d['’]aujourd['’]hui",
        r"serves?\s+(?:all|100\s*%)", r"(?:all|100\s*%\s+of)\s+(?:the\s+)?traffic", r"read-only(?=\s*(?:now|from|since|,|;|\.|$))", r"ausgemustert", r"außer\s+Dienst", r"hors\s+service", r"fuera\s+de\s+servicio", r"(?:says?|said|bids?|waves?|waved)\s+(?:farewell|good-?bye|adieu)", r"opened\s+(?:its|their)\s+doors", r"(?:is|are)\s+(?:hereby\s+)?(?:sealed|ordered|inaugurated)", r"(?:is|are|will\s+be)\s+no\s+longer\s+(?:built|sold|produced|made|maintained|developed|manufactured|offered|supported|served|shipped|available)",
        r"(?:wird|werden)\s+(?:\w+\s+)?nicht\s+(?:mehr|weiter)\s+(?:gebaut|gefertigt|unterstützt|gepflegt|verkauft|angeboten|ausgeliefert|produziert|entwickelt|bedient)", r"(?:ist|sind)\s+(?:\w+\s+)?(?:bestellt|beauftragt|unterschrieben|unterzeichnet|eröffnet)", r"verabschied\w+", r"ya\s+no\s+se\s+(?:vende|fabrica|mantiene|ofrece)\w*", r"n['’]est\s+plus\s+(?:maintenue?|vendue?|proposée?|prise?)",
        r"all\s+(?:\d+\s+)?[\w-]+\s+(?:(?:is|are)\s+)?(?:now\s+)?on\s+(?!time\b|schedule\b|hold\b|average\b)[\w.-]+(?=\s*(?:[.;,]|$))", r"alle\s+(?:\d+\s+)?[\w-]+\s+(?:liegen|laufen|sind|stehen)\s+(?:jetzt\s+|nun\s+)?(?:auf|bei|in)", r"(?:is|are)\s+history", r"ist\s+Geschichte", r"sind\s+Geschichte", r"es\s+historia", r"has\s+replaced", r"takes?\s+over\s+from", r"tagged",
        r"(?:up\s+)?on\s+(?:npm|PyPI|crates\.io|Docker\s+Hub|the\s+(?:app\s+)?store|TestFlight|Maven\s+Central|Play)", r"(?:is|are)\s+(?:all\s+)?served\s+from\s+(?:[\w-]+\s+){1,3}now",
        r"runs?\s+(?:entirely|only|solely)\s+on", r"nur\s+noch\s+(?:auf|über|mit)", r"läuft\s+(?:jetzt|nun|nur\s+noch|ab\s+heute)\s+auf", r"left\s+(?:beta|preview|alpha)", r"out\s+of\s+(?:beta|preview)", r"(?:is|becomes|became)\s+(?:now\s+the\s+(?:new\s+)?only|(?:now\s+)?the\s+(?:new\s+)?(?:default|standard))", r"default\s+from\s+now\s+on", r"is\s+out", r"rolled\s+out", r"roll-?out\s+(?:done|complete\w*|finished)", r"deprecated", r"retired", r"retiring", r"decommissioned", r"sunset",
        r"end\s+of\s+life", r"EOL", r"frozen", r"discontinued", r"shut\s+down\s+for\s+good", r"switched\s+off", r"turned\s+off\s+for\s+good",
        r"drained\s+and\s+deleted", r"archived", r"handed\s+over", r"certified", r"accepted\s+by", r"general\s+availability", r"GA", r"open-?sourced",
        r"(?:migration|move|switch-?over|rollout|transition|upgrade|change-?over|relocation|hand-?over|conversion|port)\s+(?:[\w.-]+\s+){0,5}?(?:done|finished|completed?|is\s+over|concluded)",
        r"migrated\s+(?:\w+\s+){0,4}?(?:from|to|onto)", r"upgraded\s+(?:\w+\s+){0,4}?(?:from|to)", r"no\s+longer\s+supported", r"in\s+production\s+now",
        r"tagged\s+v?\d[\w.]*", r"renamed\s+the\s+(?:project|product|package)", r"beta\s+is\s+over", r"submitted", r"taken\s+over", r"merged\s+into\s+one",
        r"freigegeben", r"veröffentlicht", r"ausgeliefert", r"in\s+Betrieb\s+(?:genommen|gegangen)", r"abgelöst", r"abgeschaltet", r"stillgelegt", r"eingestampft",
        r"umgestellt", r"umgezogen", r"migriert", r"außer\s+Betrieb", r"eingefroren", r"live\s+gegangen", r"(?:Umzug|Umstellung|Ablösung|Wechsel|Upgrade|Umbau|Übergabe|Aktualisierung|Inbetriebnahme)\s+(?:[\w.-]+\s+){0,5}?(?:abgeschlossen|fertig|durch|erledigt|vollzogen|beendet)",
        r"Migration\s+(?:\w+\s+){0,3}?(?:abgeschlossen|fertig|durch)", r"abgekündigt", r"übergeben", r"zertifiziert", r"abgenommen", r"Serienfreigabe", r"ist\s+live",
        r"publicad[oa]s?", r"lanzad[oa]s?", r"liberad[oa]s?", r"desplegad[oa]s?", r"(?:migración|traslado|cambio|paso|actualización|traspaso)\s+(?:[\w.-]+\s+){0,5}?(?:terminad[oa]|completad[oa]|hech[oa]|list[oa]|finalizad[oa])", r"migrad[oa]s?",
        r"en\s+producción", r"retirad[oa]s?", r"apagad[oa]s?\s+(?:para\s+siempre|definitivamente)", r"dad[oa]s?\s+de\s+baja", r"congelad[oa]s?", r"obsolet[oa]s?",
        r"publiée?s?", r"lancée?s?", r"livrée?s?", r"mise?\s+en\s+(?:production|service|ligne)", r"migrée?s?", r"(?:migration|bascule|passage|déménagement|transition|mise\s+à\s+jour|transfert)\s+(?:[\w.-]+\s+){0,5}?(?:terminée?|achevée?|finie?|faite?|effectuée?)",
        r"retirée?s?", r"arrêtée?s?\s+définitivement", r"gelée?s?", r"abandonnée?s?", r"bascule\s+(?:\w+\s+){0,3}?(?:terminée|faite)", r"dépréciée?s?", r"en\s+ligne\s+depuis",
    ),
    r"(?:^|[.:]\s*)(?:published\s+)?(?:release|version|firmware|app|v)\s*v?\d+\.\d[\w.]*\s+(?:is|was|went|ist|está|est)\b",
    r"(?<![\w.])v?\d+\.\d[\w.]*\s+(?:is\s+out|on\s+(?:PyPI|npm|crates|Play|the\s+store))",
    r"(?:^|[.:!]\s*)(?:the\s+)?last\s+(?:[\w/-]+\s+){1,4}?(?:deleted|removed|gone|closed|migrated|retired|switched\s+off)",
    r"(?:^|[.:!]\s*)(?:[\w.-]+\s+){1,5}?(?:moved|moves|migrated|relocated|switched|switches|swapped|ported|converted|transferred|went|goes|changed\s+over)\s+(?:over\s+)?from\s+.{2,60}?\s+to\s+",
    r"(?:^|[.,;:]\s*)(?:all|every|each|everything|both)\s+(?:[\w-]+\s+){0,4}?(?:sits?|runs?|lives?|is|are|goes|go|stands?|uses?|talks?|speaks?|comes?)\s+(?:[\w.-]+\s+){0,6}?now(?!\w)",
    r"(?:^|[.,;:!]\s*)(?:and\s+)?the\s+last\s+(?:[\w/-]+\s+){1,4}?(?:left|has\s+left|is\s+gone|went)(?!\w)",
    r"(?:^|[.;]\s*)(?:[\w.-]+\s+){1,3}off\s*[.;]",
    r"(?<!\w)(?:lives?|runs?|sits?|resides?|is|are|stays?)\s+(?:on|in|at|with|under)\s+(?:the\s+)?[\w.-]+(?:\s+[\w.-]+)?\s+now\s*(?:[.;,]|$)",
    r"^[\w .-]{2,40}\s*(?:->|→)\s*[\w .-]{2,40}[,.;]\s+[\w ]{1,30}?\s(?:closed|off|gone|dropped|frozen|ro|read-only|deleted|retired|archived)(?!\w)",
    r"\d[\w.]*\s*(?:→|->|to)\s*v?\d[\w.]*\s+(?:upgrade|migration|update)\s+(?:finished|done|complete)",
    r"(?:zieht|zog|wechselt|wechselte)\s+.{0,60}?\s*(?:um|von\s+.{2,60}?\s+(?:auf|zu|nach)\s)",
    r"(?:pasa|pasan|passe|passent)\s+de\s+.{2,60}?\s+(?:a|à)\s+",
    r"(?<!\w)(?:first|last|final)\s+release(?!\w)",
    r"(?<!\w)(?:the\s+)?(?:old|legacy|former|alte[rsn]?|bisherige[rsn]?|ancien(?:ne)?s?|antigu[oa]s?|viej[oa]s?)\s+(?:[\w.-]+\s+){1,4}?(?:(?:is|are|was|were|ist|sind|está|están|est|sont)\s+)(?:now\s+|nun\s+|jetzt\s+)?(?:gone|"
    r"closed|off|deleted|dead|shut\s+down|aus|weg|gelöscht|geschlossen|fermée?s?|supprimée?s?|apagad[oa]s?|eliminad[oa]s?|cerrad[oa]s?|arrêtée?s?|éteinte?s?)(?!\w)",
    r"(?:Letzte[rs]?)\s+(?:[\w-]+\s+){1,4}?(?:gelöscht|entfernt|abgeschaltet|migriert)",
)  # fmt: skip
EVENT_BACKGROUND = _cue(
    _words(
        r"will\s+be\s+(?:\w+\s+)?(?:released|published|shipped|retired|deprecated|frozen)", r"not\s+yet", r"planned", r"if\s+(?:it|the)", r"before\s+(?:it|the|we)\s+\w+",
        r"once\s+(?:it|the)", r"since\s+the\s+(?:move|migration|upgrade|release)", r"until", r"should\s+be", r"must\s+be", r"noch\s+nicht", r"geplant", r"seit\s+dem",
        r"cuando", r"todavía\s+no", r"pas\s+encore", r"prévu\w*", r"about\s+to", r"preparing", r"draft(?:ing|ed)?",
    )
)  # fmt: skip
STRONG_RELEASE = _cue(
    r"(?<![\w.])v?\d+\.\d+(?:\.\d+)?[\w.-]*", _words(r"production", r"prod", r"warehouse", r"Produktion", r"producción")
)

# --- facts --------------------------------------------------------------------------------------------------

FACT = _cue(
    _words(
        r"at\s+most", r"at\s+least", r"max(?:imum|imal)?\.?", r"min(?:imum|imal)?", r"limits?", r"limited\s+to", r"up\s+to", r"no\s+more\s+than", r"only\s+up\s+to",
        r"caps", r"quota", r"supports?\s+only", r"only\s+accepts?", r"accepts?\s+only", r"worth\s+(?:knowing|writing|noting)", r"note\s+that", r"beware", r"gotcha",
        r"caveat", r"unrelated", r"finding", r"by\s+design", r"documented", r"undocumented", r"means", r"counts?\s+as", r"(?:is|are)\s+treated\s+as", r"gilt\s+als", r"wird\s+als\s+\w+\s+behandelt", r"se\s+trata\w*\s+como", r"traitée?s?\s+comme", r"equals", r"lasts", r"expires?", r"defaults?\s+to",
        r"is\s+stored", r"lives\s+(?:in|below|under|on)", r"signs?", r"carr(?:y|ies)", r"maps?", r"runs\s+on", r"depends\s+on", r"per\s+(?:second|minute|hour|day|week|month|file|account|host)",
        r"(?:can|will|could)\s+(?:hold|take|store|serve|handle|carry|keep)\s+(?:\w+\s+){0,2}?\d[\d.,]*", r"pro\s+(?:Sekunde|Minute|Stunde|Tag|Woche|Monat|Datei|Konto|Gerät|Kunde|Absender|Aufruf)", r"à\s+la\s+(?:seconde|minute)", r"fasst", r"drosselt", r"throttles?", r"evicts?", r"höchstens", r"mindestens", r"bis\s+zu", r"nur\s+bis", r"maximal", r"lädt\s+nur", r"nimmt\s+(?:nur|höchstens)", r"Grenze", r"Obergrenze", r"gilt", r"bedeutet", r"entspricht",
        r"merkenswert", r"Hinweis", r"je\s+(?:Datei|Sekunde|Tag|Stunde|Konto)", r"verwirft", r"Standardwert",
        r"como\s+máximo", r"máximo", r"mínimo", r"límite", r"hasta", r"significa", r"al\s+menos", r"por\s+(?:defecto|segundo|día|hora)",
        r"au\s+plus", r"au\s+maximum", r"maximum", r"au\s+moins", r"limite", r"jusqu\w*", r"signifie", r"par\s+(?:défaut|seconde|jour|heure)",
    ),
    r"[<>≤≥]\s*\d",
)  # fmt: skip
ASIDE = _cue(
    r"^\W*(?:unrelated|separately|side\s*note|aside|by\s+the\s+way|btw|another\s+(?:thing|matter|topic)|different\s+topic|also\s+learned|fyi|nebenbei|"
    r"übrigens|unabhängig\s+davon|anderes\s+thema|randnotiz|aparte|por\s+cierto|otra\s+cosa|à\s+part|au\s+passage|autre\s+sujet|sans\s+rapport|"
    r"sin\s+relación)\b",
    r"(?<!\w)unrelated(?!\w)",
)

# A note that opens like this speaks about the note before it.
CONTINUES = _cue(
    r"^\W*(?:confirmed|reproduced|same\s+(?:here|thing|on|with|for)|indeed|ditto|also\s+(?:on|in|with|for|seen)|likewise|agreed|that\s+(?:explains|is\s+why|fixed|did\s+it)|this\s+(?:explains|is\s+why)|they|their|it|both|these|"
    r"the\s+(?:same|former|latter|affected)|all\s+(?:turned|moved|below|of\s+them)|and|but|so|therefore|hence|thus|bestätigt|reproduziert|ebenso|dasselbe|genau\s+so|das\s+(?:erklärt|liegt|war|kommt)|daher|deshalb|er|sie|es|beide|confirmado|"
    r"reproducido|lo\s+mismo|eso\s+explica|por\s+eso|confirmé|reproduit|même\s+(?:chose|problème)|cela\s+explique|c['’]est\s+pourquoi|du\s+coup|more\s+data|further\s+(?:data|evidence)|follow-?up|side\s+effect)(?!\w)",
    # Evidence: what a log or an instrument shows is shown about the matter at hand.
    r"^\W*(?:the\s+|das\s+|der\s+|el\s+|le\s+)?(?:[\w-]*logs?|journal|strace|traces?|capture|core\s?dump|dump|metrics|dashboard|profil\w+|flame\s?graph|explain|debugger|bisect\w*|wireshark|tcpdump|scope|analy\w+|grafana|protokoll|messung|registro|journaux)(?!\w)",
)
CONDITION = _cue(
    _words(
        r"otherwise",
        r"or\s+else",
        r"else",
        r"or\s+all",
        r"sonst",
        r"andernfalls",
        r"si\s+no",
        r"de\s+lo\s+contrario",
        r"sinon",
        r"if\s+not",
    )
)

# --- withdrawn claims ---------------------------------------------------------------------------------------

RETRACTION = _cue(
    _words(
        r"withdraw(?:n|s)?", r"withdrew", r"retract(?:s|ed|ing)?", r"take\s+(?:that|it|this)\s+back", r"took\s+(?:that|it)\s+back", r"I\s+was\s+(?:wrong|mistaken)",
        r"(?:was|were|is)\s+(?:a\s+)?(?:plain\s+|simply\s+|just\s+)?(?:wrong|mistaken|false|mistake|incorrect|a\s+red\s+herring)\s*(?=[,.;:]|$)", r"scrap\s+(?:that|the)", r"disproved?", r"disproven", r"refute[sd]?",
        r"falsified", r"does\s+not\s+hold", r"did\s+not\s+hold(?:\s+up)?", r"doesn['’]t\s+hold", r"not\s+the\s+(?:cause|culprit|reason)\s+after\s+all", r"after\s+all\s+not",
        r"red\s+herring", r"ruled\s+out", r"(?:have|had)\s+to\s+take\s+back", r"take\s+back\s+(?:what|my|the)", r"(?:take|took|taking)\s+(?:my|the|that|this|it|what)\s+(?:[\w-]+\s+){0,6}?(?:back|off)", r"scratch\s+(?:that|the|my)", r"never\s*mind\s+(?:the|my|what|about)", r"nope", r"was(?:n['’]t|\s+not)\s+(?:it|the\s+(?:\w+\s+){1,3}after\s+all)", r"spoke\s+too\s+soon", r"(?:I|we)\s+(?:had|got|have)\s+(?:it|that|this)\s+(?:\w+\s+)?(?:wrong|backwards)", r"(?:is|was)\s+innocent", r"(?:is|was|are|were)\s+not\s+to\s+blame", r"has\s+nothing\s+to\s+do\s+with", r"had\s+nothing\s+to\s+do\s+with", r"hat(?:te)?\s+nichts\s+(?:damit\s+)?(?:zu\s+tun|mit)", r"ist\s+unschuldig", r"does\s+not\s+survive", r"did\s+not\s+survive", r"kommando\s+zurück", r"vergesst\s+(?:das|die|meine?n?)", r"olvidad\s+lo", r"oubliez", r"I\s+stand\s+corrected", r"contrary\s+to\s+(?:my|what|the\s+earlier)", r"my\s+(?:earlier|first|previous)\s+\w+\s+(?:was|is)\s+(?:wrong|off)",
        r"turned\s+out\s+(?:to\s+be\s+)?(?:wrong|false|not)", r"strike\s+(?:that|note|my)", r"disregard\s+(?:my|note)", r"no\s+longer\s+(?:stand\s+by|believe)", r"(?:earlier|previous)\s+(?:claim|reading|theory|guess|conclusion)\s+(?:\w+\s+){0,3}?(?:wrong|void|dead|off|out|false)",
        r"(?:theory|hypothesis|guess|suspicion|claim)\s+(?:is\s+|was\s+)?(?:dead|rejected|dropped|wrong|refuted|out|off)",
        r"ziehe\s+(?:\w+\s+){0,5}?zurück", r"nehme\s+(?:\w+\s+){0,5}?zurück", r"zurückgezogen", r"widerlegt", r"war\s+(?:ein\s+)?(?:falsch|Irrtum|Fehlschluss)", r"stimmt\s+(?:so\s+)?nicht", r"stimmte\s+nicht",
        r"lag\s+(?:damit\s+)?falsch", r"habe\s+mich\s+geirrt", r"doch\s+nicht", r"trifft\s+nicht\s+zu", r"hält\s+nicht\s+stand", r"nicht\s+haltbar", r"(?:These|Hypothese|Vermutung|Annahme|Theorie|Idee)\s+(?:\w+\s+)?verworfen", r"Irrtum", r"Fehlalarm",
        r"retiro", r"me\s+equivoqué", r"era\s+fals[oa]", r"estaba\s+equivocad[oa]", r"refutad[oa]", r"descartad[oa]", r"no\s+era\s+(?:el|la|eso|por|cosa)", r"rectifico", r"corrección",
        r"je\s+retire", r"je\s+me\s+suis\s+trompée?", r"c['’]était\s+faux", r"était\s+fausse?", r"réfutée?", r"écartée?", r"ce\s+n['’]était\s+pas", r"rectification", r"erronée?", r"invalidée?",
    ),
    # "Correction:" takes back; "every correction of an amount" is a subject.
    r"(?:^|[.!]\s+)\W*(?:a\s+)?(?:correction|korrektur|corrección)\s*[:,–—]",
    r"(?:^|[.!]\s+)correction\s+(?:to|of)\s+(?:my|note|the\s+(?:above|earlier|previous))",

)  # fmt: skip
CLAIM = _cue(
    _words(
        r"my\s+(?:reading|impression|feeling|bet|money)", r"in\s+my\s+(?:view|opinion)", r"IMO", r"I['’]d\s+say", r"(?:meinem|mein)\s+Eindruck", r"meiner\s+Meinung", r"a\s+mi\s+juicio", r"à\s+mon\s+avis", r"me\s+parece", r"I\s+propose", r"I\s+conclude", r"we\s+conclude", r"I\s+think", r"I\s+believe", r"I\s+suspect", r"suspect(?:ed|s)?", r"suspicion", r"hypothesis", r"theory", r"guess", r"assumption",
        r"looks?\s+(?:like|as\s+(?:if|though))", r"(?:initially|at\s+first|originally|first|earlier|we|I|had)\s+(?:believed|thought|assumed|blamed|suspected)", r"thought", r"must\s+(?:be\s+(?:dead|down|broken|off|at\s+fault|to\s+blame|wrong|corrupt|faulty)|have\s+\w+)", r"(?:I|we)['’]?d?\s+(?:would\s+)?bet", r"smells\s+like", r"blam(?:e|es|ing)", r"could\s+(?:well\s+)?be", r"might\s+(?:well\s+)?be", r"has\s+to\s+be\s+the", r"I\s+(?:would\s+)?put\s+(?:this|it)\s+down\s+to", r"dachte\w*", r"sieht\s+(?:\w+\s+){0,3}?aus", r"tippe\s+auf", r"halte\s+(?:\w+\s+){1,6}?für", r"könnte\w*", r"dürfte\s+an", r"debe\s+de", r"pensaba", r"pensé", r"je\s+pensais", r"on\s+dirait", r"doit\s+venir", r"seems?", r"apparently", r"probably", r"presumably", r"likely", r"conclusion", r"first\s+impression", r"(?:my|the|this|that|our|earlier|first)\s+claim", r"claim(?:s|ed)?\s+that", r"claim:", r"my\s+take", r"must\s+be\s+the", r"to\s+record\s+that", r"I\s+assume",
        r"vermute", r"Vermutung", r"vermutlich", r"wahrscheinlich", r"anscheinend", r"offenbar", r"scheint", r"Verdacht", r"Annahme", r"(?-i:These)", r"(?:pretty|fairly|quite|almost|I['’]m|I\s+am)\s+(?:sure|certain|convinced)", r"no\s+doubt\s+(?:it|the)", r"ziemlich\s+sicher", r"bin\s+(?:mir\s+)?sicher", r"seguro\s+que", r"sûr\s+que", r"ich\s+denke", r"ich\s+glaube", r"meines\s+Erachtens", r"wohl",
        r"sospecho", r"sospecha", r"parece", r"hipótesis", r"creo", r"probablemente", r"seguramente", r"supongo", r"je\s+soupçonne", r"soupçon", r"semble", r"hypothèse", r"je\s+pense", r"probablement", r"sans\s+doute", r"je\s+crois",
    )
)  # fmt: skip
# What says that a suspect had no part in it; a retraction when somebody had claimed that it had.
DENIAL = _cue(
    _words(
        r"(?:does|did|do|makes?|made|had|has|have|shows?|showed|played?|plays)\s+(?:nothing|no\s+(?:\w+\s+)?(?:effect|difference|influence|impact|part|role|bearing))",
        r"(?:is|was|are|were)\s+(?:not\s+(?:the\s+(?:cause|culprit|reason|problem)|due|because|caused|involved|at\s+fault)|irrelevant|innocent|unaffected|unrelated\s+to)", r"regardless\s+of", r"either\s+way", r"with\s+(?:or|and)\s+without",
        r"(?:it|that|this|so)\s+(?:is|was)(?:n['’]t|\s+not)\s+(?:it|that|the\s+\w+)", r"das\s+(?:war|ist)\s+es\s+(?:also\s+)?nicht", r"(?:is|was)\s+not\s+it",
        r"ha(?:s|d)\s+nothing\s+to\s+do\s+with", r"not\s+(?:the|our|my)\s+\w+(?:,)?\s+(?:then|after\s+all|either)", r"also\s+nicht\s+(?:der|die|das)", r"kein(?:en|e)?\s+(?:Einfluss|Effekt|Wirkung|Unterschied|Zusammenhang)", r"liegt\s+nicht\s+an", r"lag\s+nicht\s+an", r"nichts\s+(?:damit\s+)?zu\s+tun", r"spielt\s+keine\s+Rolle",
        r"no\s+(?:influye|influía|tiene\s+(?:nada\s+que\s+ver|efecto))", r"ningún\s+efecto", r"aucun\s+(?:effet|rapport|lien)", r"n['’]y\s+est\s+pour\s+rien",
    )
)  # fmt: skip
# What takes back the sentence before it, within one note.
SELF_CORRECTION = re.compile(
    r"^\W*(?:nope|no[,:]|scratch\s+that|wait[,:]|actually|wrong[.,:!]|not\s+so|not\s+true|it\s+(?:is|was)\s+not|nein[,:]|falsch|stimmt\s+nicht|doch\s+nicht|no\s+era|pues\s+no|non[,:]|faux)(?!\w)[,:.!\s–—-]*",
    re.IGNORECASE,
)
# What is true of everybody or everything from now on, a milestone rather than a repair.
SCOPE = _cue(
    _words(
        r"all", r"every", r"whole", r"entire(?:ly)?", r"everything", r"everyone", r"both", r"production", r"customers", r"public", r"fleet", r"worldwide", r"completely", r"today", r"v?\d+\.\d+", r"for\s+good", r"company-wide", r"tenants?", r"own\s+\w+", r"of\s+(?:its|their)\s+own",
        r"alle[nrs]?", r"sämtliche\w*", r"gesamte?\w*", r"ganze?\w*", r"vollständig", r"komplett", r"endgültig", r"heute", r"tod[oa]s?", r"complet\w+", r"hoy", r"tous", r"toutes?", r"entièrement", r"définitivement",
    )
)  # fmt: skip
TODAY = _cue(
    _words(
        r"today", r"tonight", r"this\s+(?:morning|afternoon|evening|noon|week)", r"at\s+(?:noon|midnight)", r"last\s+night", r"as\s+of\s+now", r"from\s+(?:today|now|here|this\s+\w+)\s+on", r"heute", r"seit\s+(?:heute|mittag)", r"ab\s+sofort", r"ab\s+(?:jetzt|heute)", r"hoy", r"esta\s+(?:mañana|tarde|noche)", r"desde\s+(?:hoy|ahora)", r"aujourd['’]hui", r"ce\s+(?:matin|soir|midi)", r"désormais",
    )
)  # fmt: skip
# A sentence about the speaker's own stance carries no knowledge once the conclusion is told.
STANCE = _cue(
    r"^(?:scratch\s+(?:that|the|my)|nope|never\s*mind|I\s+have\s+to\s+take\s+back|scrap\s+the|forget\s+the|drop\s+the|I\s+(?:am|was)\s+(?:not\s+)?(?:convinced|wrong|mistaken|sure)|I\s+(?:withdraw|retract|disagree|agree|object|take\s+back|stand\s+corrected)|scrap\s+that|I\s+was\s+wrong|"
    r"my\s+(?:earlier|previous|first|old)?\s*(?:claim|reading|theory|guess|suspicion|hypothesis|note|conclusion|idea)|correction|strike\s+(?:that|note|my)|disregard|ich\s+(?:ziehe|nehme|habe\s+mich|lag)|meine?\s+"
    r"(?:\w+\s+)?(?:vermutung|these|annahme|aussage|verdacht)|mein\s+verdacht|korrektur|retiro|me\s+equivoqué|mi\s+(?:sospecha|hipótesis)|rectifico|je\s+retire|je\s+me\s+suis|mon\s+"
    r"(?:soupçon|hypothèse)|ma\s+(?:supposition|conclusion)|that\s+(?:claim|theory|reading)\s+(?:was|is))\b"
)

# --- chatter ------------------------------------------------------------------------------------------------

GREETING = _cue(
    _words(
        r"good\s+(?:morning|afternoon|evening|night)", r"morning", r"hello", r"hi", r"hey", r"welcome\s+back", r"back\s+again", r"brb", r"bye", r"see\s+you", r"cheers", r"good\s*night", r"eod", r"eob", r"afk",
        r"lunch", r"coffee", r"tea", r"break", r"nothing\s+(?:further|more|else|new)", r"wrap(?:ping)?\s+up", r"signing\s+off", r"that\s+is\s+all", r"that['’]s\s+(?:all|it)", r"stop\s+here", r"done\s+for\s+(?:today|now)",
        r"thanks", r"thank\s+you", r"ping", r"pong", r"ack", r"ok", r"okay", r"nice", r"yay", r"great", r"back\s+in\s+\w+", r"closing\s+(?:my|the)\s+\w+", r"until\s+tomorrow", r"tomorrow", r"weekend", r"dinner", r"snack",
        r"no\s+conclusions?", r"session\s+open(?:ed)?", r"lgtm", r"wip", r"tbd", r"tbc", r"todo", r"still\s+here", r"standing\s+by", r"over\s+and\s+out",
        r"guten\s+(?:morgen|tag|abend)", r"moin", r"hallo", r"servus", r"feierabend", r"mittag(?:spause)?", r"pause", r"kaffee", r"bis\s+(?:morgen|gleich|später|dann)", r"schönen\s+(?:abend|tag|feierabend)", r"tschüss", r"danke", r"zwischenstand", r"gleich\s+wieder\s+da",
        r"buen[oa]s\s+(?:días|tardes|noches)", r"hola", r"hasta\s+(?:mañana|luego)", r"café", r"comida", r"almuerzo", r"adiós", r"gracias", r"descanso", r"fin\s+del\s+día", r"vuelvo", r"bonjour", r"bonsoir", r"salut", r"à\s+(?:demain|bientôt|plus)", r"déjeuner", r"merci", r"bonne\s+(?:soirée|nuit|journée)", r"fin\s+de\s+journée", r"rien\s+(?:d['’]autre|de\s+plus)",
    )
)  # fmt: skip
DOINGS = (
    r"having|doing|going\s+over|running|reading|looking|waiting|trying|continuing|carrying|tidying|fetching|updating|retrying|closing|starting|working|going|pulling|picking|checking|testing|cleaning|rebasing|pushing|"
    r"opening|listing|building|compiling|rerunning|re-running|resuming|getting|setting\s+up|collecting|copying|writing|digging|browsing|syncing|merging|preparing|stepping|heading|skimming|"
    r"investigating|watching|monitoring|scanning|gathering|logging|warming|installing|cloning|downloading|uploading|reviewing|exploring|linting|formatting|stopping|pausing|wrapping|rotating|taking|grabbing|"
    r"restarting|rebooting|booting|plugging|unpacking|sorting|poking|thinking|moving\s+on|calling|drafting|double-checking|rendering|training|deploying|seeding|importing|exporting|migrating|profiling|benchmarking|tracing|debugging|bisecting|verifying|backing|refilling|queueing|queuing"
)
DOING = re.compile(
    rf"^(?:still\s+|now\s+|just\s+|currently\s+|again\s+|ok,?\s+|back,?\s+|and\s+)*(?:{DOINGS})(?!\w)", re.IGNORECASE
)
STATUS = _cue(
    r"^(?:(?:still|now|just)\s+)?(?:start|started|starting|resume[ds]?|rerun|retry|commit|push|merge|rebased?|pulled|picked\s+up|checked\s+out|check\s+out|open(?:ed)?|list|go\s+on|carry\s+on|continue|stop|get|fetch(?:ed)?|"
    r"joined|logged\s+in|cloned|clone|install|wait|read|skim|pull|sync(?:ed)?|tidy|clean(?:ed)?\s+up|back\s+(?:from|to|in|at)|next\s*(?:up|:)|on\s+to|begin|began|tidied|rerunning|half\s*way|looked|had\s+a\s+look|went\s+through)(?!\w)",
    r"^(?:ich\s+)?(?:fange|teste|lese|starte|warte|mache|schaue|arbeite|baue|prüfe|hole|ziehe(?!\s+.*zurück)|stecke|gehe|beginne|lade|räume|sichte|übersetze|messe|kompiliere|suche|sehe|öffne|bereite|kopiere|sortiere|weiter|bin\s+(?:wieder|kurz|gleich)|tests?\s+lauf\w*|läuft|fertig|los\s+geht)(?!\w)",
    r"^(?:ejecutando|leyendo|esperando|empiezo|empezando|sigo|continúo|continuando|reviso|revisando|mirando|lanzo|lanzando|arranco|probando|limpiando|compilando|preparando|abro|voy\s+a|vuelvo|leo|espero|corriendo|haciendo|subiendo|bajando|actualizando)(?!\w)",
    r"^(?:je\s+(?:lance|relance|reprends|relis|lis|regarde|continue|commence|teste|vérifie|vais|prépare|nettoie|range|démarre|finis|m['’]arrête|passe\s+à|reviens|attends|fais|mets\s+à\s+jour)|en\s+(?:attente|cours)|lecture|lancement|relecture|reprise|tests?\s+en\s+cours|on\s+continue|pause|suite)(?!\w)",
    _words(
        r"\d+\s+(?:tests?\s+)?passed", r"passed", r"lint(?:er)?\s+(?:ok|clean|quiet|green)", r"ci\s+(?:is\s+)?(?:green|running|queued|pending)", r"(?:job|build|pipeline|suite|tests?|checks?)\s+(?:is\s+|are\s+|all\s+)?(?:green|pass|passing|running|ok|queued|pending|still\s+running|clean)", r"all\s+green",
        r"(?:both|all)\s+quiet", r"no\s+conflicts?", r"merged\s+(?:main|master|develop|trunk|upstream)", r"\d+\s*(?:/|of|von|de|sur)\s*\d+\s+(?:done|erledigt|fertig|files|hechos?|faits?)", r"\d+\s*%\s*(?:done|fertig)", r"in\s+progress", r"still\s+(?:waiting|running|copying|reading|building|compiling|working|downloading|training|going)", r"returns?\s+200", r"got\s+a\s+200",
        r"I(?:['’]m|\s+am)\s+(?:still\s+)?waiting", r"nothing\s+to\s+(?:see|report|add|do)(?!\s+with)", r"(?:looks?|seems?|is|are)?\s*(?:all\s+)?(?:fine|normal|healthy|quiet|unremarkable)(?=\s*(?:[,.;]|$))", r"ich\s+lege\s+los", r"unauffällig", r"alles\s+(?:gut|ok|ruhig)",
        r"tests?\s+(?P<ran>\d+)/(?P=ran)",
        r"(?:branch|repo|env|deps|image|dump|sdk|tree|emulator|ide|cluster)\W{1,3}[\w⟦⟧/.-]*\s*(?:checked\s+out|pulled|cloned|ready|built|installed|up|loaded)",
        r"das\s+war(?:\s+es|['’]?s)\s+(?:von|für)",
        r"while\s+I\s+wait", r"while\s+(?:the\s+|that\s+|this\s+|it\s+)?[\w\s-]{0,30}?(?:busy|runs?|running|builds?|compiles?|building|compiling|warms?\s+up|finishes|uploads?|downloads?)", r"in\s+the\s+meantime", r"meanwhile", r"more\s+(?:later|soon|tomorrow)", r"will\s+(?:continue|report|follow|look)", r"as\s+usual", r"starting",
        r"nothing\s+that\s+is\s+not\s+already", r"ohne\s+warnung(?:en)?", r"tests?\s+grün", r"ci\s+(?:ist\s+)?grün", r"build\s+(?:ist\s+)?(?:grün|läuft)", r"läuft\s+noch", r"lese\s+mich\s+ein", r"währenddessen", r"inzwischen", r"tests?\s+(?:en\s+|au\s+)?(?:verdes?|vert)", r"ci\s+(?:en\s+|au\s+)?(?:verde|vert)", r"todo\s+(?:en\s+)?verde", r"tout\s+(?:est\s+)?(?:vert|au\s+vert)", r"au\s+vert", r"en\s+verde", r"sin\s+novedad(?:es)?", r"rien\s+à\s+signaler", r"en\s+cours",
    ),
    r"^\W*⟦⟧\s+(?:done|ok|fine|ready|clean|passes|up|runs)(?=\s*(?:[,.;]|$))",
    r"^\W*\d+\s*/\s*\d+(?:\s+[\w-]+)?\W*$",
    r"^\W*\d+\s*%\s+(?:of|von|de)(?!\w)",
    r"^\W*(?:tests?|spellcheck|lint|ci|build|training|job|deploy|bench|import|export|typecheck)\W*:?\s*(?:still\s+)?(?:\.\.\.|…|running|ok|green|pending|queued|done|läuft|grün)?\W*$",
)  # fmt: skip
NARRATION = _cue(
    rf",\s+(?:and\s+)?I\s+am\s+(?:\w+ly\s+|still\s+|just\s+|now\s+)?(?:{DOINGS})(?!\w)",
    r"^(?:good\s+\w+|morning|hello|hi)\b.{0,80}?\bI\s+am\s+(?:now\s+|just\s+|still\s+)?\w+ing\b",
    r"(?:^|,\s+|\bund\s+)ich\s+(?!glaube|vermute|denke|ziehe|nehme|schlage|habe|hatte|würde|möchte|könnte|behaupte|halte|weise)\w+e(?!\w)",
    r"^(?:guten\s+\w+|moin|hallo|servus|so|also|okay)\b.{0,80}?\bich\s+\w+e\b", r"^(?:buen[oa]s\s+\w+|hola)\b.{0,80}?\b(?:voy|reviso|empiezo|miro|sigo|leo)\b", r"^(?:bonjour|salut)\b.{0,80}?\bje\s+\w+",
    r"^(?:(?:and|so|then|now|ok|okay|right|alright|well|first|today|good\s+\w+(?:\s+(?:everyone|everybody|all|team|folks|together))?|hello\s+\w+|hi\s+\w+|also)[,.:]?\s+)*(?:I\s+(?:am|'m|’m)\s+(?:still\s+|now\s+)?(?:going\s+to|about\s+to|\w+ing)|I['’]m\s+\w+ing|I\s+(?:shall|will|'ll)(?!\s+not)|I['’]ll|I\s+(?:take|start|begin|go\s+on|check|look|continue|resume|prepare|wait|read)\b|let\s+(?:me|us)|(?-i:[Ll]et['’]s\s+[a-z])|we\s+(?:are|will|shall)\s+(?:going\s+to\s+|now\s+)?|I\s+have\s+(?:just\s+)?"
    r"(?:joined|started|renamed|tidied|cleaned|opened|begun|read|sorted|collected|copied|pushed|rebased|logged|arrived|come|returned|finished\s+(?:reading|my)|sat\s+down|updated\s+the\s+(?:board|checklist|ticket))|I\s+(?:just\s+)?(?:joined|started|opened|read|went\s+through|renamed|tidied|spent))\b",
    r"^ich\s+\w+e\s+(?:zuerst|erst|jetzt|nun|gerade|noch|mal|kurz|weiter|mir|mich)(?!\w)|^(?:nebenher|on\s+the\s+side|de\s+paso|en\s+parallèle)(?!\w)",
    r"^(?:ich\s+(?:werde|bin\s+(?:gerade|noch|dabei)|habe\s+(?:nur\s+|kurz\s+)?(?:angefangen|aufgeräumt|umbenannt|gelesen|sortiert)|lese|schreibe|mache|fange|warte|schaue|gehe)|als\s+nächstes|zunächst\s+(?:lese|sehe|schaue)|nun\s+(?:schreibe|lese)|voy\s+a|ahora\s+voy|je\s+vais)\b",
    r"(?<!\w)(?:usual|routine)\s+(?:progress|status|weekly)?\s*(?:mail|report|update)",
)  # fmt: skip

# --- planted text -------------------------------------------------------------------------------------------

PLANTED = _cue(
    r"\b(?:ignore|disregard|forget|override|bypass)\b(?:\s+[\w-]+){0,5}?\s+(?:instructions?|rules?|guidelines?|prompts?|directives?|constraints?|policies|policy|orders?|commands?|everything|messages?|guardrails?|safeguards?)\b",
    r"\b(?:update|change|amend|extend|edit|write\s+to|add\s+(?:this|it|that)\s+to)\s+your\s+(?:\w+[\s-]){0,2}?(?:memory|memories|rules?|guidelines?|instructions?|prompt|preferences?|axioms?)\b",
    r"#{2,}\s*(?:new\s+)?(?:rules?|system|instructions?|policy|override)\b",
    r"</?\s*(?:system|assistant|instructions?|admin|developer|user|prompt|im_start|im_end)\b[^>]*>",
    r"\[{1,2}\s*/?\s*(?:system|inst|admin|assistant|developer|instructions?)\b[^\]]*\]{1,2}",
    r"<\|[^|>]{1,30}\|>",
    r"(?:^|[\s\"'“„«(>])(?:system|developer|admin)\s*(?:prompt|message|override|note|instruction)?s?\s*:\s*(?:you|ignore|from|enable|disable|store|remember|always|never|the\s+assistant|maintenance|override|trust|set|grant|new)",
    r"\b(?:you\s+are\s+now|act\s+as|pretend\s+(?:to\s+be|that)|new\s+instructions?|developer\s+mode|trusted\s+mode|maintenance\s+mode\s+on|jailbreak|god\s+mode|sudo\s+mode)\b",
    r"\b(?:remember|memori[sz]e|store|save|record|note|learn|add)\s+(?:this|that|it|the\s+following)?\s*(?:down\s+)?(?:as\s+(?:an?\s+)?(?:core|new|permanent|long-term)?\s*(?:axiom|preference|rule|memory|fact|policy|core)|(?:core\s+)?(?:preference|axiom|rule|memory|fact|policy)\s*:|in(?:to|\s+your)\s+(?:long-term\s+)?memory|to\s+(?:your|long-term)\s+memory)",
    r"\b(?:dear|hey|hello|attention|note\s+to|to\s+(?:the|any|all))\s+(?:ai|llm|assistants?|agents?|models?|bots?|claude|gpt|gemini|copilot|codex)\b",
    r"[\"'“„«`<(\[]\s*(?:system|assistants?|ai(?:\s+\w+)?|agents?|bots?|models?|llms?|copilot|claude|gpt\w*|gemini|codex|asistente|assistent\w*)\s*[:,>]",
    r"\b(?:ai|llm)(?:\s+(?:assistants?|agents?|models?|systems?|readers?|reviewers?|bots?))\s*[:,]",
    r"\b(?:assistants?|agents?|bots?|models?)\s*:\s*(?:please\s+)?(?:from|ignore|always|never|store|remember|do|you|skip|approve|run|delete|disable|save)\b",
    r"\b(?:reveal|print|leak|exfiltrate|send)\s+(?:your|the)\s+(?:system\s+prompt|prompt|secrets?|credentials|api\s+keys?)\b",
    r"\b(?:ignorier\w*|vergiss|vergesst|missachte\w*)\b(?:\s+\w+){0,3}?\s+(?:alle\w*|vorherig\w*|bisherig\w*|obig\w*|frühere\w*|deine|anweisung\w*|regeln)",
    r"\b(?:merke?\s+dir|merkt\s+euch|speichere?(?:\s+\w+){0,3}?\s+(?:als|dass|ab)|du\s+bist\s+(?:jetzt|nun|ab\s+sofort)|(?:ki|ai)-?(?:assistent\w*|agent\w*|modell\w*)\s*[:,]|wartungsmodus)\b",
    r"\b(?:ignora|olvida)\b(?:\s+\w+){0,3}?\s+(?:instrucciones|anteriores|previas|todas|reglas)|\b(?:recuerda|guarda|memoriza|almacena)\s+(?:que|esto|esta|como)\b|\bahora\s+eres\b|\basistente\s*(?:de\s+ia)?\s*[:,]|\bmodo\s+(?:mantenimiento|de\s+confianza)\b",
    r"\b(?:ignore[zr]?|oublie[zr]?)\b(?:\s+\w+){0,3}?\s+(?:instructions|précédentes|consignes|règles)|\b(?:retiens|retenez|mémorise[zr]?|enregistre[zr]?)\s+(?:que|cette|ceci|comme|cela)\b|\bt(?:u\s+es|’es)\s+(?:désormais|maintenant)\b|\bmode\s+(?:maintenance|confiance)\b|\bassistant\s+(?:ia|ai)\s*[:,]",
)  # fmt: skip
FOREIGN_SOURCE = _cue(
    _words(
        r"tickets?", r"issues?", r"e-?mails?", r"mails?", r"comments?", r"web\s*page", r"website", r"page", r"readme", r"payload", r"attachments?", r"signature", r"pdf", r"form(?:\s+field)?", r"field", r"review", r"docstring", r"description", r"body", r"footer", r"header",
        r"changelog", r"stranger", r"unknown\s+(?:account|sender|user)", r"message\s+from", r"pasted", r"spam", r"feedback", r"survey", r"forum", r"post", r"chat", r"dependency", r"package", r"dataset", r"csv", r"row", r"column", r"metadata", r"title", r"alt\s+text", r"filename", r"tool\s+output",
        r"search\s+result", r"snippet", r"request", r"submission", r"reply", r"letter", r"document", r"transcript", r"log\s+line", r"banner", r"label", r"caption", r"invoice", r"PR", r"pull\s+request", r"commit\s+message", r"vendor", r"upload(?:ed)?", r"scraped",
        r"Anhang", r"Nachricht", r"Seite", r"Webseite", r"Kommentar", r"Fremdtext", r"Kundenmail", r"Formular\w*", r"Beschreibung", r"Datei", r"Betreff", r"Signatur", r"Rechnung", r"Absender", r"correo", r"mensaje", r"página", r"comentario", r"adjunto", r"firma", r"formulario", r"courriel", r"message", r"commentaire", r"pièce\s+jointe", r"formulaire", r"fichier",
    )
)  # fmt: skip
# Foreign text that addresses agents; the same words from the user or a lead are an order.
ADDRESSED = _cue(
    r"\b(?:store|remember|memori[sz]e)\s+that\b",
    r"\b(?:ignore|disregard|forget|override|bypass)\b(?:\s+\w+){0,3}?\s+(?:previous|prior|above|earlier|all|any|your|former|existing)\b",
    r"\b(?:asks?|tells?|instructs?|orders?|urges?|wants?|invites?|advises?|tries\s+to\s+(?:get|make|talk))\s+(?:[\w-]+\s+){0,3}?(?:ai|llms?|assistants?|agents?|models?|bots?|readers?)\b",
    r"\b(?:fordert|bittet|weist|will)\s+(?:[\w-]+\s+){0,3}?(?:ki|assistent\w*|agent\w*|modelle?|bots?)\b",
    r"\b(?:pide|ordena|dice|indica)\s+a(?:l|\s+los|\s+las)?\s+(?:[\w-]+\s+){0,2}?(?:asistentes?|agentes?|modelos?|bots?|ia)\b",
    r"\b(?:demande|ordonne|dit)\s+(?:à\s+l['’]|aux?\s+)(?:[\w-]+\s+){0,2}?(?:assistants?|agents?|modèles?|bots?|ia)\b",
)
REPORTED = _cue(
    _words(r"as\s+received", r"reads", r"says", r"said", r"contains", r"states", r"claims", r"body", r"quote[ds]?", r"verbatim", r"text", r"writes", r"wrote", r"ends\s+with", r"begins\s+with", r"carries", r"has\s+the\s+line", r"includes", r"lautet", r"enthält", r"schreibt", r"steht", r"Wortlaut", r"besagt", r"behauptet", r"dice", r"contiene", r"escribe", r"texto", r"dit", r"contient", r"écrit", r"texte"),
)  # fmt: skip
DEFENCE = _cue(
    _words(
        r"untrusted", r"not\s+(?:be\s+)?trusted", r"never\s+(?:be\s+)?(?:executed|obeyed|followed|trusted)", r"prompt\s+injection", r"injection", r"as\s+data", r"not\s+(?:an?\s+)?instructions?", r"whatever\s+\w+\s+\w+\s+(?:claims|says)", r"nicht\s+vertrauenswürdig\w*", r"no\s+(?:es\s+|son\s+)?(?:de\s+confianza|confiables?)", r"non\s+fiables?",
    )
)  # fmt: skip

# --- emoji as cues ------------------------------------------------------------------------------------------

EMOJI_ROLES = {
    "problem": "🐛🔥💥❌🚨⚠🐞🤕😱🛑🩸💣🐌📉😵🤯😢😭🙈🥶🆘🪲🤬😡🐢🔻⁉❗‼💀😬😖🌋",
    "cause": "🔍🔎🧐🕵🔬🧪🩺🤔🔦💭",
    "fix": "🔧🛠🩹⚙🔨🪛💊✂🧵🧰♻🧹🪄🔁",
    "effect": "✅📈🎯🏎✔☑💯🟢",
    "event": "🚀🎉📦🏁🚢🎊🏷🎈🍾🥂🪦⚰🚚🏆🔀🗄",
    "rule": "🙅🚫📏📜⛔🛡☝🗣⚖👮📣📢✋",
    "fact": "📌📝💡🧠📎ℹ🔖🗒🧾📚📐",
    "chatter": "☕⏳👋🌙🍕🥪🫖🍽👀🏃🤞😴🌅☀⌛🙏💤🍔🥗🍜🌃🥱🛌🚶🚲🚆🎧🥐🌞",
}

# --- words that carry little -------------------------------------------------------------------------------

STOPWORDS = {
    "en": "the a an and or of to in on at by for with from is are was were be been it its this that these those as not no but so than then we i you they he she "
    "our your their has have had do does did will would can could may must if when while which who what into out up down over under after before again all any "
    "each every more most other some such only own same too very now there here also about between through during both one two first last per via still just yet "
    "us them him her me my mine how why where because since until get got goes go put set new old",
    "de": "der die das den dem des ein eine einer eines einem einen und oder von zu im in am an auf bei für mit aus ist sind war waren wird werden wurde es sie er wir "
    "ich ihr nicht kein keine keinen aber so als dann wenn während welche wer was nach vor über unter wieder alle jeder jede mehr noch nur auch schon sehr jetzt nun hier da "
    "dort um bis durch gegen ohne zum zur vom beim hat haben hatte kann können muss soll darf man sich dass weil wie wo damit etwa vorher",
    "es": "el la los las un una unos unas y o de del al a en por para con sin sobre es son era fue ser está están no pero si como que cuando donde quien se su sus lo le les "
    "más menos muy ya también todo toda todos cada entre hasta desde tras ahora este esta estos estas eso ese",
    "fr": "le la les un une des du de et ou à au aux en par pour avec sans sur est sont était être il elle on nous vous ils ne pas mais si comme que qui quand où se sa son ses leur "
    "plus moins très déjà aussi tout toute tous chaque entre depuis après avant maintenant ce cette ces cela ça d l qu n s",
}
FILLER = frozenset(
    "propose record reading think believe suspect seems probably looks likely claim first because therefore there which would could should about vermute vermutlich vermutung "
    "wahrscheinlich scheint glaube denke parece creo sospecho probablemente semble pense crois probablement".split()
)

# Chat-like openings that a memory does without.
LEAD_IN = re.compile(
    r"^(?:l['’]|la\s+|le\s+|el\s+|the\s+|die\s+|der\s+)?(?:(?:unrelated|another|separate|new|side|interesting|main|key|first|quick)\s+)?(?:root\s+cause|cause|reason(?:\s+found)?|finding|finding\s+in|found(?:\s+it)?|reproduced|confirmed|why|symptom|problem|bug|fix|fixed|"
    r"solution|result|update|status|note|nb|fyi|til|user|client|customer|insight|lesson|effect|outcome|remedy|verification|verified|diagnosis|conclusion|decision|rule|how\s+it\s+got\s+there|explanation|side\s+note|heads[- ]up|"
    r"ursache|grund|befund|lösung|abhilfe|ergebnis|problem|fehler|hinweis|nutzer|merke|erkenntnis|diagnose|auslöser|causa|motivo|solución|resultado|arreglo|problema|nota|hallazgo|usuario|cause|raison|origine|correctif|résultat|problème|remarque|solution|constat|origine|origen|razón|conclusión|befund|folge|effet|remède)(?:\s*:|\s+[—–])\s+",
    re.IGNORECASE)  # fmt: skip

# Names under which secrets are kept (part of a pattern).
SECRET_WORD = (
    r"(?:api[-_ ]?keys?|keys?|secrets?|tokens?|passwords?|passwd|pwd|passphrases?|credentials?|bearer|pin|otp|passwor[dt]\w*|kennwor[td]\w*|schlüssel|geheimnis|"
    r"contraseñas?|claves?|mot\s+de\s+passe|clé|jeton|dsn|cookie|session_?id|authorization)"
)
