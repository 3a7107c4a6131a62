"""Questions about the past in English."""

from typing import Final

from openclaw_memd.domain.late_patterns import any_of
from openclaw_memd.domain.recall_grammar import RecallGrammar, words

_NUMBER = r"(?:\d{1,4}|an?|one|two|three|four|five|six|seven|eight|nine|ten|a few|a couple of|several)"
_MONTH = (
    "january|february|march|april|may|june|july|august|september|october|november|december"
    "|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec"
)
_WH = "what|when|which|who|whose|where|why|how"
_PERSON = "we|you|i"
_SAID = (
    "discussed?|decided?|agreed?|said|say|told|tell|talked|talk|chosen?|choose|mention(?:ed)?|settled?"
    "|spoken?|speak|planned|plan|noted?|used?|picked|pick|recommend(?:ed)?|suggest(?:ed)?"
)
# "When did we move?" whatever was done, but not what is asked of the answer before: "why did you do that?"
_DID = (
    rf"\b(?:{_WH})(?: (?!if\b)[\w-]{{1,24}}){{0,3}} did (?:we|i) \w"
    rf"|\b(?:{_WH})(?: (?!if\b)[\w-]{{1,24}}){{0,3}} did you (?!(?:just |even |really )?"
    r"(?:know|mean|come|get|(?:do|say|use|choose|pick|write) (?:that|this|it))\b)\w"
    r"|\bdid we \w"
)
_TALK = "conversations?|chats?|discussions?|sessions?"

ENGLISH: Final = RecallGrammar(
    "en",
    asks=any_of(
        (
            words("previously", "earlier", "last time", "the other day", "back then"),
            # What somebody is used to is no memory. Looked behind only where the words stand: it takes time.
            r"\bused to\b(?<!\bis used to)(?<!\bam used to)(?<!\bare used to)(?<!\bbe used to)"
            r"(?<!\bget used to)(?<!\bgot used to)(?<!\bbeen used to)(?<!'m used to)(?<!'re used to)"
            r"(?<!\bwas used to)(?<!\bwere used to)(?<!\bgetting used to)",
            rf"\b(?:do|does|did|can|could|would) (?:{_PERSON}|anyone) (?:still |even |perhaps |maybe )?"
            r"(?:remember|recall)\b",
            rf"\b(?:remember|recall) (?:{_WH})\b",
            rf"\b(?:{_PERSON}) (?:had |have |all |both |already |once |just |last ){{0,2}}"
            r"(?:discussed|decided|agreed|said|talked about|spoke about|chose|settled on)\b",
            r"\b(?:previous|earlier|past|prior) (?:decision|conversation|chat|discussion|session)s?\b",
            words("yesterday", "last (?:week|month|year|night|weekend|spring|summer|autumn|fall|winter)"),
            rf"\b{_NUMBER} (?:day|week|month|year)s? ago\b",
            rf"\bwhat did (?:{_PERSON})\b",
            rf"\bwhat do (?:{_PERSON}) usually\b",
            _DID,
            rf"\b(?:{_WH})(?: \w{{1,24}}){{0,2}} (?:did|have|had) (?:{_PERSON}) "
            rf"(?:just |already |ever |last |finally |actually )?(?:{_SAID})\b",
            rf"\b(?:did|have|had) (?:{_PERSON}) (?:just |already |ever |finally )?(?:{_SAID})\b",
            rf"\b(?:{_TALK}) (?:from|in|during|of) (?:(?:early|mid|late) )?(?:(?:{_MONTH})\b|\d{{4}}\b)",
            rf"\b(?:summari[sz]e|review|find|search|recap)(?: for)? (?:(?:my|our|the|all|all our) )?"
            rf"(?:past|previous|earlier|last|old) (?:{_TALK})\b",
            rf"\bremind (?:me|us) (?:again )?(?:of |about )?(?:{_WH})\b",
        )
    ),
    ahead=any_of(
        (
            words("tomorrow", "tonight", "later(?: today)?", "next (?:time|week|month|year|\\w{3,6}day)"),
            r"\bin (?:\d{1,4}|an?|one|two|three|five|ten|a few) (?:minute|hour|day|week|month)s?\b",
            r"\bfrom now on\b",
        )
    ),
    over=any_of(
        (
            words("yesterday", "last (?:time|week|month|year|night)", "previously", "ago", "the other day"),
            _DID,
            rf"\b(?:did|have|had) (?:{_PERSON}) (?:just |already |ever |finally )?(?:{_SAID})\b",
            rf"\b(?:{_PERSON}) (?:had |have |all |already |just ){{0,2}}"
            r"(?:discussed|decided|agreed|said|talked about|chose|settled on)\b",
        )
    ),
)
