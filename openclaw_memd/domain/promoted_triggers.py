"""Which tags of a promoted claim are to bring it up again. Pure.

A tag is one word, and a message that has it brings the entry up. So words that are said of anything ("runs",
"until", "always", "nine", "Friday") are none: they would bring it up all day.
"""

from collections.abc import Iterable
from typing import Final

from openclaw_memd.domain import sense
from openclaw_memd.domain.annotations import Annotations
from openclaw_memd.domain.folding import fold
from openclaw_memd.domain.plain_headings import is_plain_heading

MOST: Final = 3  # OpenClaw's value
_CHARS: Final = 64

# Adverbs, conjunctions and verbs of any topic, beside the stop words, which are no tags.
_ANY_TOPIC: Final = """
always ever often usually sometimes seldom until till since while because although instead unless except
still again already later earlier soon today tomorrow yesterday now today's next last first second new newer
old older many much most more less least every everything nothing everyone nobody somebody together away
back inside outside near behind below above beside beneath around across along against toward towards per
via prefer prefers avoid avoids keep keeps kept use uses used using run runs running ran go goes going went
gone come comes coming came lie lies lying lay live lives living lived stand stands standing stood sit sits
sitting sat hang hangs hanging hung listen listens listening start starts started starting stop stops
stopped begin begins began end ends ended open opens opened opening close closes closed closing call calls
called name names named need needs needed want wants wanted work works worked working make makes made making
take takes took taken taking put puts putting give gives gave given giving send sends sent sending move
moves moved moving stay stays stayed staying show shows showed shown like likes liked hold holds held
holding leave leaves left leaving become becomes became happen happens happened mean means meant know knows
knew known think thinks thought look looks looked looking remember remembers decide decides decided change
changes changed set sets allow allows allowed require requires required belong belongs belonged try tries
tried turn turns turned

immer oft meist meistens manchmal selten solange während weil statt wieder bereits später früher bald heute
morgen gestern jetzt nächste nächsten letzte letzten neu neue neuen neuer neues alt alte alten viel viele
mehr weniger jede jeden jedem jeder jedes alles nichts zusammen hinter neben unter zwischen gegen außer
bevorzuge bevorzugt vermeide nutze nutzt nutzen benutzt benutzen verwenden verwendet läuft laufen lief
gelaufen geht gehen ging gegangen kommt kommen kam liegt liegen lag steht stehen stand sitzt sitzen hängt
hängen hing hört lauscht beginnt beginnen endet enden startet öffnet schließt heißt heißen genannt braucht
brauchen arbeitet arbeiten macht machen machte gemacht nimmt nehmen genommen gibt geben gegeben schickt
bleibt bleiben zeigt hält halten lässt lassen bekommt lebt wohnt

siempre nunca jamás hasta desde mientras ahora luego antes después hoy mañana ayer nuevo nueva nuevos nuevas
viejo vieja mucho muchos cada todo todos nada juntos detrás debajo encima dentro fuera cerca contra según
prefiere prefiero evita usa usan usar usamos corre corren va van viene vienen queda quedan vive viven abre
abren cierra cierran llama llaman llamado necesita necesitan trabaja trabajan hace hacen toma toman pone
ponen da dan envía envían muestra empieza termina funciona

toujours jamais souvent parfois jusque jusqu depuis pendant maintenant ensuite avant après aujourd demain
hier nouveau nouvelle nouveaux vieux vieille beaucoup chaque tout tous rien ensemble derrière dessous dessus
dedans dehors près contre selon préfère préférer évite utilise utilisent utiliser tourne va vont vient
viennent reste restent vit vivent ouvre ouvrent ferme ferment appelle appelé besoin travaille prend prennent
met mettent donne donnent envoie montre commence finit fonctionne trouve

sempre nunca até enquanto agora depois antes hoje amanhã ontem novo nova novos velho velha muito muitos tudo
todos nada juntos atrás embaixo dentro fora perto prefere prefira evite usar usam roda vai vão vem vêm fica
ficam mora abre fecha chama chamado precisa trabalha faz fazem põe envia mostra começa termina

всегда часто иногда пока сейчас потом затем раньше позже сегодня завтра вчера новый новая новое новые старый
старая много каждый каждая каждое всё все ничего вместе рядом внутри снаружи предпочитай избегай используй
используем использует используют идёт идут ходит приходит лежит лежат стоит стоят висит висят живёт живут
работает работают открывается закрывается называется зовут нужно нужен нужна делает берёт ставит даёт
остаётся слушает начинается кончается
"""


_TELLS_NOTHING: Final = frozenset(map(fold, _ANY_TOPIC.split())) | sense.NUMBER_WORDS | sense.NEGATIONS


def choose_triggers(tags: Iterable[str]) -> tuple[str, ...]:
    """The first three of ``tags``, which are in lower case, that can be triggers and tell of something."""
    return tuple(filter(_can_be_one, dict.fromkeys(tags)))[:MOST]


def _can_be_one(tag: str) -> bool:
    if len(tag) > _CHARS or fold(tag) in _TELLS_NOTHING or is_plain_heading(tag):
        return False
    try:
        Annotations(triggers=(tag,))
    except ValueError:
        return False
    return True
