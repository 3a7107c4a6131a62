"""Questions about the past in German."""

from typing import Final

from openclaw_memd.domain.late_patterns import any_of
from openclaw_memd.domain.recall_grammar import RecallGrammar, words

_GERMAN_SAID = (
    "besprochen|entschieden|beschlossen|vereinbart|gesagt|gesprochen|geredet|ausgemacht|diskutiert"
    "|festgelegt"
    "|erzählt|erwähnt|gewählt|abgemacht|geplant|notiert|empfohlen|vorgeschlagen|benutzt|verwendet"
)
_GERMAN_WH = "was|wann|wer|wem|wen|wo|wohin|warum|wieso|wie|welche[rsnm]?|worüber|wovon|woran|wofür|worauf"
_GERMAN_HAVE = "haben|hatten|habe|hab|hatte|hast|hattest|habt|sind|waren|bin|war|bist|warst|seid|wart"
_GERMAN_DONE = (
    r"(?:\w{0,16}ge\w{2,20}(?:t|en)|\w{2,20}iert|\w{0,8}(?:be|ver|ent|er|zer)\w{2,20}(?:t|en)"
    r"|\w{0,8}gegangen)(?:(?= ?[?!.,;])|$)"
)
# Whatever was done: the participle ends the clause.
_GERMAN_DID = (
    rf"\b(?:{_GERMAN_WH})(?: [\w']{{1,24}}){{0,3}} (?:{_GERMAN_HAVE})"
    rf" (?:wir|ich|du|ihr)\b[^.?!,]{{0,60}} {_GERMAN_DONE}"
)
GERMAN: Final = RecallGrammar(
    "de",
    asks=any_of(
        (
            words("weißt du noch", "weisst du noch", "wissen sie noch", "wisst ihr noch"),
            r"\b(?:erinner(?:st|t)|erinnern) (?:du|ihr|sie|wir) (?:dich|euch|sich|uns)\b",
            r"\bkannst du dich (?:noch )?(?:an [\w' ]{1,40} )?erinnern\b",
            r"\bkönnen sie sich (?:noch )?(?:an [\w' ]{1,40} )?erinnern\b",
            r"\berinner(?:e|n sie)? (?:mich|uns) (?:nochmals? |noch einmal "
            rf"|mal )?(?:daran,? )?(?:{_GERMAN_WH})\b",
            r"\berinner(?:e|n sie)? (?:mich|uns) (?:nochmals? |noch einmal "
            rf"|mal )?(?:daran)?, (?:{_GERMAN_WH})\b",
            rf"\b(?:{_GERMAN_WH})(?: [\w']{{1,24}}){{0,2}} (?:haben|hatten|habe|hab|hatte|hast|hattest"
            "|habt)"
            rf" (?:wir|ich|du|sie|ihr)\b[^.?!]{{0,60}}\b(?:{_GERMAN_SAID})\b",
            rf"\b(?:{_GERMAN_WH}) (?:wir|ich|du|ihr)\b[^.?!]{{0,60}}\b(?:{_GERMAN_SAID}) "
            r"(?:haben|hatten|habe|hatte|hast|habt)\b",
            r"\b(?:haben|hatten|habe|hatte|hast|hattest) (?:wir|ich"
            rf"|du)\b[^.?!]{{0,60}}\b(?:{_GERMAN_SAID})\b",
            _GERMAN_DID,
            r"\bwie (?:war|hieß|hiess) (?:das|der|die|unser|unsere|mein|meine)\b[^.?!]{0,40}\bnoch ?mal\b",
            words("gestern", "vorgestern", "neulich", "letztens", "kürzlich", "damals", "seinerzeit"),
            words("letzte[sn]? (?:mal|woche|monat|jahr|sommer|winter|wochenende)", "beim letzten mal"),
            words("vorige[nrs]? (?:woche|monat|jahr|mal)", "vergangene[nrs]? (?:woche|monat|jahr)"),
            r"\bvor (?:\d{1,4}|ein(?:em|er|igen)|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|ein paar"
            r"|mehreren|wenigen) (?:tag(?:en?)?|wochen?|monat(?:en?)?|jahr(?:en?)?)\b",
            r"\b(?:frühere[nrs]?|vorherige[nrs]?|letzte[nrs]?) (?:gespräche?|unterhaltung(?:en)?"
            r"|entscheidung(?:en)?)\b",
        )
    ),
    ahead=any_of(
        (
            r"(?<!\bgestern )(?<!\bheute )(?<!\bam )(?<!\bjeden )(?<!\bguten )(?<!\bdiesen )\bmorgen\b",
            words("übermorgen", "später", "nachher", "heute abend", "demnächst", "künftig", "ab jetzt"),
            words("nächste[nrs]? (?:mal|woche|monat|jahr|\\w{2,8}tag)"),
            r"\bin (?:\d{1,4}|ein(?:em|er)|zwei|drei|fünf|zehn|ein paar) (?:minuten?|stunden?|tag(?:en)?"
            r"|wochen?)\b",
        )
    ),
    over=any_of(
        (
            words("gestern", "vorgestern", "neulich", "letztens", "letzte[sn]? (?:mal|woche|monat|jahr)"),
            words("damals", "vergangene[nrs]?"),
            _GERMAN_DID,
            rf"\b(?:haben|hatten|habe|hatte|hast|hattest|habt)\b[^.?!]{{0,60}}\b(?:{_GERMAN_SAID})\b",
            rf"\b(?:{_GERMAN_SAID}) (?:haben|hatten|habe|hatte|hast|habt)\b",
        )
    ),
)
