"""Wishes to be reminded at a time in English and German."""

from typing import Final

from openclaw_memd.domain.recall_grammar import words
from openclaw_memd.domain.reminder_grammar import CLOCK, ReminderGrammar, folded

_DAY: Final = "(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_MONTH: Final = (
    "(?:january|february|march|april|may|june|july|august|september|october|november|december"
    "|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)"
)
_HOUR: Final = "(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)"
_COUNT: Final = rf"(?:\d{{1,4}}|an?|{_HOUR}|half an|a couple of|a few|some)"
_UNIT: Final = "(?:min(?:ute)?|hour|hr|day|week|month|year)s?"
_PART: Final = "(?:morning|afternoon|evening|night)"
_UNNAMED: Final = r"(?<!\bthe )(?<!\ba )(?<!\ban )(?<!\bmy )(?<!\bour )"
"""What no hour follows that is to come: "the 9:30 train" is a train."""

ENGLISH: Final = ReminderGrammar(
    "en",
    asks=folded(
        words("remind(?:ers?|ing)?", "notify", "alert", "ping", "nudge", "wake", "tell (?:me|us)"),
        words("(?:set|make|create|schedule|add)(?: (?:me|us))? (?:an|the|my|another) alarm"),
        words("let (?:me|us) know", "(?:do not|don't) let (?:me|us) forget", "make sure (?:i|we) remember"),
    ),
    times=folded(
        words("tomorrow(?!'s)", "tonight(?!'s)", "today(?!'s)", "later", "first thing", "midnight", "noon"),
        words(f"(?:on|by|before|this|next|until|come) {_DAY}", f"every (?:other )?{_DAY}", f"{_DAY}s"),
        words(f"{_DAY},? (?:at|{_PART})", rf"{_DAY} \d{{1,2}} ?(?:am|pm)"),
        words(f"(?:this|in the|each|every|next) (?:{_PART}|weekend)", "at night"),
        words(f"every (?:other |second |{_COUNT} )?(?:weekday|{_UNIT})"),
        r"\b(?:daily|weekly|hourly|monthly|yearly)\b(?=$|,| (?:at|about|to|of|on)\b)",
        words("in a (?:bit|while|moment|minute|sec(?:ond)?)"),
        words("next (?:week|month|year)", f"in {_COUNT} {_UNIT}", f"{_COUNT} {_UNIT} from now"),
        words(
            f"at (?:\\d{{1,2}}|{_HOUR})(?! (?:point|time|stage|of|percent))", "o'?clock", "at lunch(?:time)?"
        ),
        words("(?:on|by) the \\d{1,2}(?:st|nd|rd|th)", f"(?:on|by) {_MONTH} \\d{{1,2}}"),
        words(f"(?:on|by) (?:the )?\\d{{1,2}}(?:st|nd|rd|th)? (?:of )?{_MONTH}"),
        words(r"(?:on|by) \d{4}-\d\d-\d\d"),
        rf"\b(?:reminders?|alarms?) for (?:next )?{_DAY}"
        rf"(?=\.?$|,| [(-]| (?:to|at|about|that|and|please|{_PART})\b)",
        rf"\balarms? for (?:(?:half|quarter) (?:past|to) )?(?:\d{{1,2}}|{_HOUR})"
        r"(?=\.?$|,| [(-]| (?:to|in|on|every|please|o'?clock)\b)",
        rf"{_UNNAMED}\b(?:1[0-2]|0?[1-9]) ?(?:am|pm)\b",
        _UNNAMED + CLOCK,
    ),
    opens=folded(
        r"\b(?:when(?:ever)?|if|once|as soon as|(?:every|each|the next|next) time|in case|after"
        r"|(?<!\bin a )while)\b"
        rf"(?! (?:it is|it's|it gets) (?:{_HOUR}\b|{_DAY}|\d|noon|midnight|time))",
        r"(?<=\bme )(?:that|what|how|why|who|which|where)\b",
        r"(?<=\bus )(?:that|what|how|why|who|which|where)\b",
    ),
)

_TAG: Final = "(?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonnabend|sonntag)"
_MONAT: Final = (
    "(?:januar|jänner|februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember)"
)
_STUNDE: Final = "(?:eins|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|halb)"
_ZAHL: Final = rf"(?:\d{{1,4}}|eine[rmn]?|{_STUNDE}|ein paar|einigen)"
_EINHEIT: Final = "(?:minuten?|stunden?|tag(?:en?)?|wochen?|monat(?:en?)?|jahr(?:en?)?)"
_TEIL: Final = "(?:früh|morgen|vormittag|mittag|nachmittag|abend|nacht)"

GERMAN: Final = ReminderGrammar(
    "de",
    asks=folded(
        words(
            "erinner(?:e|n|ung|st|t)?", "benachrichtig(?:e|en|st|t)", "weck(?:e|en|st|t)?", "vergessen lassen"
        ),
        words("(?:stell|setz)(?:e|en|t)?(?: (?:mir|uns|bitte))* (?:den|einen|meinen) (?:wecker|alarm)"),
        words("denk(?:e|t)? (?:bitte )?(?:dran|daran)", "nicht vergessen lassen"),
        words("sag(?:e|t|en sie)? (?:mir|uns)(?: bitte)?", "bescheid", "meld(?:e|en sie)? (?:dich|sich)"),
    ),
    times=folded(
        words(f"(?:ü|ue)bermorgen|heute(?: {_TEIL})?", f"{_TAG}s?{_TEIL}s?", "mittags", "abends", "nachts"),
        r"(?<!\bguten )(?<!\bam )\bmorgen\b",
        words("am (?:morgen|vormittag|mittag|nachmittag|abend|wochenende)", "um mitternacht", "morgens"),
        rf"\b(?:am|bis|ab|diesen|jeden|(?:nä|nae)chsten|kommenden) {_TAG}\b(?!-)",
        rf"\b{_TAG} (?:um|{_TEIL}|ab|gegen)\b|\b{_TAG}s\b(?!-)",
        words("t(?:ä|ae)glich", "w(?:ö|oe)chentlich", "st(?:ü|ue)ndlich", "monatlich", "jährlich", "später"),
        words(f"jede[nsr]? (?:zweite[ns]? )?(?:{_EINHEIT}|{_TEIL})", f"alle {_ZAHL} {_EINHEIT}"),
        words(
            "(?:nä|nae)chste[nrsm]? (?:woche|monat|jahr)",
            f"in {_ZAHL} {_EINHEIT}",
            f"in einer halben {_EINHEIT}",
        ),
        words(rf"(?:um|gegen|ab) (?:\d{{1,2}}|(?:halb )?{_STUNDE})", r"\d{1,2} uhr"),
        rf"\b(?:erinnerung|wecker|alarm) (?:für|fuer|auf) (?:(?:nä|nae)chsten )?{_TAG}\b(?!-)",
        rf"\b(?:wecker|alarm) (?:für|fuer|auf) (?:\d{{1,2}}|(?:halb )?{_STUNDE})\b",
        rf"\b(?:am|bis|zum) \d{{1,2}}\. ?(?:\d{{1,2}}\b|{_MONAT}\b)?",
        CLOCK,
    ),
    opens=folded(
        rf"\b(?:wenn|falls|sobald|sooft|immer wenn|jedes mal|beim nächsten mal|nachdem)\b"
        rf"(?! es (?:\d|{_STUNDE}\b|{_TAG}))",
        words("dass"),
    ),
)
