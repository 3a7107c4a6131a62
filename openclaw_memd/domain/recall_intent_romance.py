"""Questions about the past in Spanish and Portuguese."""

from typing import Final

from openclaw_memd.domain.late_patterns import any_of
from openclaw_memd.domain.recall_grammar import RecallGrammar, words

_SPANISH_SAID = (
    "decidimos|hablamos|acordamos|dijimos|quedamos|discutimos|elegimos|comentamos|vimos|usamos|decidiste"
    "|dijiste|dije|hablaste|decidí|acordé|elegiste|recomendaste|mencioné|mencionaste|conté|contaste"
)
# Whatever was done. Some forms can be nothing else; "we" in -amos and -imos may also be of today, so it only
# counts where the question is not how or what to do.
_SPANISH_DID = (
    r"\b(?:qué|cuándo|cuál|cuáles|cuánto|cómo|dónde|quién|por qué)(?: \w{1,24}){0,3}? "
    r"(?:hicimos|fuimos|estuvimos|tuvimos|pusimos|vinimos|dimos|quisimos|supimos|trajimos|pudimos"
    r"|hice|fui|estuve|tuve|puse|vine|quise|supe|pude|hiciste|fuiste"
    r"|(?!(?:exi|insi|consi|asi|desi|persi|resi|subsi|tri|chi|qui|contra|ga|desga|ba|pa)ste\b)\w{2,20}[ai]ste"
    r"|(?!(?:café|bebé|comité|esté|aquí|ahí|allí|así|mí|sí)\b)"
    r"(?:\w{1,20}[^\Wr]é|\w{0,12}(?:compr|contr|entr|str|obr|ogr)é|\w{1,20}í))\b",
    r"\b(?:cuándo|cuánto|dónde|quién|por qué) (?:(?:no|lo|la|los|las|nos|le|les|ya) ){0,2}"
    r"(?!(?:estamos|vamos|hagamos|pongamos|tengamos|podamos|seamos|veamos|salgamos|venimos)\b)"
    r"(?:\w{2,20}[ai]mos|hemos \w{2,20}[aitsh][dot]o)\b",
)
SPANISH: Final = RecallGrammar(
    "es",
    asks=any_of(
        (
            rf"\b(?:qué|que|cuándo|cuando|cuál|cuáles|cómo|como|dónde|donde|quién|por qué)"
            rf"(?: [\w']{{1,24}}){{0,3}} (?:{_SPANISH_SAID})\b",
            r"\b(?:qué|cuándo|cuál|cómo|dónde|quién|por qué)(?: \w{1,24}){0,1} "
            r"(?:hemos|habíamos|había|has|habías) (?:decidido|hablado|acordado|dicho|discutido|elegido)\b",
            *_SPANISH_DID,
            words("recuerdas", "recuerda usted", "recuerdan", "recordar", "recordáis"),
            r"\b(?:te|se|os) (?:acuerdas|acuerda|acuerdan|acordáis) (?:de|que|cuándo|cuando|qué|cómo)\b",
            r"\brecuérda(?:me|nos) (?:otra vez )?(?:qué|cuándo|cuál|cómo|dónde|quién|por qué|lo que)\b",
            words("anteriormente", "ayer", "anteayer", "anoche", "(?:la )?última vez", "el otro día"),
            words("(?:semana|mes|año|invierno|verano) pasad[oa]", "antes (?:hablamos|dijimos|decidimos)"),
            r"\bhace (?:\d{1,4}|un[oa]?s?|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|varios|varias"
            "|pocos"
            r"|pocas) (?:días?|semanas?|mes(?:es)?|años?)\b",
            r"\b(?:conversación|conversaciones|charla|charlas|decisión) (?:anterior|anteriores|previas?"
            r"|pasadas?)\b",
        )
    ),
    ahead=any_of(
        (
            r"(?<!\bla )(?<!\besta )(?<!\bcada )(?<!\buna )\bmañana\b",
            words(
                "luego", "más tarde", "esta noche", "próxim[oa]s?", "que viene", "cuando (?:vuelva|llegue)"
            ),
            r"\b(?:en|dentro de) (?:\d{1,4}|un[oa]?|dos|tres|cinco|diez|unos) (?:minutos?|horas?|días?"
            r"|semanas?)\b",
        )
    ),
    over=any_of(
        (
            words("ayer", "anteayer", "anoche", "anteriormente", "última vez", "el otro día", "pasad[oa]"),
            words(
                "dijimos", "dijiste", "dije", "decidiste", "decidimos", "acordamos", "hablaste", "elegimos"
            ),
            r"\b(?:hemos|habíamos|has|habías) (?:decidido|hablado|acordado|dicho|discutido|elegido)\b",
            *_SPANISH_DID,
        )
    ),
)

_PORTUGUESE_WH = "o que|que|qual|quais|quando|onde|como|quem|por que|porque|quanto"
_PORTUGUESE_SAID = (
    "discutimos|decidimos|falamos|falámos|investigamos|investigámos|combinamos|combinámos|conversamos"
    "|conversámos|dissemos|disseste|disse|escolhemos|resolvemos|concordamos|usamos|vimos|decidi|falei"
)
_PORTUGUESE_DID = (
    r"\b(?:o que|qual|quais|quando|quanto|onde|como|quem|por que|por quê)(?: \w{1,24}){0,3}? "
    r"(?:fizemos|fomos|estivemos|tivemos|pusemos|viemos|demos|quisemos|soubemos|trouxemos|pudemos"
    r"|fiz|fui|estive|tive|pus|trouxe|pude|fizeste|foste"
    r"|vendi|escrevi|perdi|recebi|esqueci|escolhi|consegui|resolvi|abri|pedi|saí"
    r"|(?!(?:exi|insi|consi|assi|desi|persi|resi|subsi|tri|contra|ga|desga|ha|ba)ste\b)\w{2,20}[ai]ste"
    r"|\w{2,20}ámos|\w{1,20}(?:[^\Wr]|[^\Waeir]r)ei"
    r"|(?:a gente|você|vocês) (?:(?:não|me|te|se|nos|já|o|a) )?"
    r"(?:\w{2,20}(?:ou|eu|iu)|fez|foi|pôs|viu|deu))\b",
    r"\b(?:quando|quanto|onde|quem|por que|por quê) (?:(?:é que|foi que|nós|nos|não|o|a|já) ){0,2}"
    r"(?!(?:vamos|estamos|possamos|façamos|sejamos|precisamos|gostamos)\b)\w{2,20}[ai]mos\b",
)
PORTUGUESE: Final = RecallGrammar(
    "pt",
    asks=any_of(
        (
            rf"\b(?:lembra|lembras|lembram|recorda|recordas|recordam)(?:-(?:te|se|me|nos))?"
            rf"(?: (?:de|d[oa]|se|do que|a gente|novamente|ainda))? (?:{_PORTUGUESE_WH}|aquel[ea])\b",
            rf"\b(?:{_PORTUGUESE_WH})(?: (?:é que|foi que|nós|eu|você|tu|a gente|já|mesmo|[\w']{{1,24}}))"
            rf"{{0,3}} (?:{_PORTUGUESE_SAID})\b",
            r"\b(?:você |tu )?(?:se |te )?(?:lembra|lembras|recorda|recordas)(?:-te|-se)? d(?:e|o|a"
            r"|aquel[ea])\b",
            rf"\b(?:do|da|dos|das) (?:que|qual) (?:{_PORTUGUESE_SAID})\b",
            *_PORTUGUESE_DID,
            words("ontem", "anteontem", "anteriormente", "(?:d?a )?última vez", "outro dia"),
            words("(?:semana|noite) passada", "(?:mês|ano) passado", "há pouco tempo"),
            r"\bhá (?:\d{1,4}|uma?s?|uns|dois|duas|três|quatro|cinco|seis|sete|oito|nove|dez|alguns|algumas"
            r"|poucos|poucas|vários) (?:dias?|semanas?|m[eê]s(?:es)?|anos?)\b",
            r"\b(?:dias?|semanas?|m[eê]s(?:es)?|anos?) atrás\b",
            r"\bconversas? (?:anterior(?:es)?|passadas?)\b",
        )
    ),
    ahead=any_of(
        (
            words("amanhã", "depois", "mais tarde", "logo", "hoje à noite", "próxim[oa]s?", "que vem"),
            r"\b(?:em|daqui a|dentro de) (?:\d{1,4}|uma?|dois|duas|três|cinco|dez) "
            r"(?:minutos?|horas?|dias?|semanas?)\b",
        )
    ),
    over=any_of(
        (
            words("ontem", "anteontem", "anteriormente", "última vez", "passad[oa]", "atrás"),
            words("discutimos", "decidimos", "falámos", "dissemos", "disseste", "disse", "escolhemos"),
            words("combinámos", "combinamos", "investigámos", "resolvemos", "decidi", "falei"),
            *_PORTUGUESE_DID,
        )
    ),
)
