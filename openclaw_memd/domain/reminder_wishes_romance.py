"""Wishes to be reminded at a time in Spanish, Portuguese and French."""

from typing import Final

from openclaw_memd.domain.recall_grammar import words
from openclaw_memd.domain.reminder_grammar import CLOCK, ReminderGrammar, folded

_DIA: Final = "(?:lunes|martes|miércoles|jueves|viernes|sábados?|domingos?)"
_HORA: Final = "(?:una|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|once|doce)"
_NUM: Final = rf"(?:\d{{1,4}}|un|{_HORA}|media|unos|unas)"
_UNIDAD: Final = "(?:minutos?|horas?|días?|semanas?|mes(?:es)?|años?)"
_MES: Final = "(?:enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre)"

SPANISH: Final = ReminderGrammar(
    "es",
    asks=folded(
        words(
            "recu[eé]rd(?:a|e)(?:me|nos|lo|melo|noslo)?",
            "(?:me|nos) recuerd(?:as|es|a)",
            "recordar(?:me|nos)",
        ),
        words("recordatorio", "av[ií]s(?:a|e)(?:me|nos)", "avisar(?:me|nos)", "despi[eé]rt(?:a|e)(?:me|nos)"),
        words("(?:pon|ponga|programa|programe|crea|cree)(?:me|nos)? (?:una|la|otra) alarma"),
        words("notif[ií](?:ca|que)(?:me|nos)", "d[ií](?:me|nos)", "haz(?:me)? acordar"),
        words("acu[eé]rda(?:me|nos|melo)", "no (?:me|nos) dejes? olvidar"),
    ),
    times=folded(
        r"(?<!\bde )(?<!\bpor la )(?<!\besta )\bmañana\b(?! de)",
        words("por la (?:mañana|tarde|noche)", "esta (?:noche|tarde|mañana)", "pasado mañana", "más tarde"),
        r"(?<!\bde )\bhoy\b",
        words("al mediodía", "a (?:mediodía|medianoche)", "el fin de semana"),
        words(f"(?:el|este|próximo|cada|para el|hasta el|todos los|los) (?:próximo )?{_DIA}"),
        words(f"{_DIA} (?:a las?|por la|que viene|próximo)"),
        words(f"(?:cada|todos los|todas las) (?:{_NUM} )?(?:{_UNIDAD}|mañanas|tardes|noches|mañana|noche)"),
        words("diariamente", "semanalmente", "a diario"),
        words(f"(?:dentro de|en) {_NUM} {_UNIDAD}", "(?:la|el) próxim[oa] (?:semana|mes|año)"),
        words("(?:la semana|el mes|el año) (?:que viene|próxim[oa])"),
        words(
            rf"(?:a|alarma para) las? (?:\d{{1,2}}|{_HORA})",
            rf"el (?:día )?\d{{1,2}} de {_MES}",
            r"el día \d{1,2}",
        ),
        CLOCK,
    ),
    opens=folded(
        rf"\b(?:cuando|si|cada vez que|la próxima vez que|en cuanto|una vez que|apenas|siempre que)\b"
        rf"(?! sean? (?:las? )?(?:\d|{_HORA}\b|{_DIA}))",
        r"(?<!\bla semana )(?<!\bel mes )(?<!\bel año )(?<!\blunes )(?<!\bviernes )\bque\b(?! viene)",
    ),
)

_DIA_PT: Final = "(?:segunda|terça|quarta|quinta|sexta)(?:-feira| feira)?s?|sábados?|domingos?"
_HORA_PT: Final = "(?:uma|duas|três|quatro|cinco|seis|sete|oito|nove|dez|onze|doze)"
_NUM_PT: Final = rf"(?:\d{{1,4}}|um|dois|meia|alguns|algumas|{_HORA_PT})"
_UNIDADE: Final = "(?:minutos?|horas?|dias?|semanas?|m[eê]s(?:es)?|anos?)"
_MES_PT: Final = (
    "(?:janeiro|fevereiro|março|abril|maio|junho|julho|agosto|setembro|outubro|novembro|dezembro)"
)

PORTUGUESE: Final = ReminderGrammar(
    "pt",
    asks=folded(
        words(
            "lembr(?:a|e|ar)(?:-me|-nos)?",
            "não me deixe?s? esquecer",
            "lembrete",
            "avis(?:a|e|ar)(?:-me|-nos)?",
            "acord(?:a|e|ar)-me",
        ),
        words(
            "(?:coloque|coloca|põe|ponha|bote|bota|crie|cria|programe)(?:-me)? (?:um|o)"
            " (?:alarme|despertador)"
        ),
        words(
            "me acord(?:a|e)", "me notifi(?:ca|que)", "notifi(?:ca|que)-me", "me diga?", "diz-me", "diga-me"
        ),
    ),
    times=folded(
        r"(?<!\bde )\bamanhã\b",
        r"(?<!\bde )\bhoje\b",
        words("(?:de|pela) manhã", "(?:à|de|esta|hoje à) (?:noite|tarde)", "mais tarde", "depois de amanhã"),
        words("(?:ao|à) meio-dia", "à meia-noite", "no fim de semana"),
        rf"\b(?:na|no|nesta|neste|até|para a|para o|cada|toda|todo|todas as|todos os|próxim[ao]|às|aos)"
        rf" (?:próxim[ao] )?(?:{_DIA_PT})\b(?! release)",
        rf"\b(?:{_DIA_PT}) (?:às|de manhã|à tarde|à noite|que vem|próxim[ao])\b",
        r"(?<!\bde )(?<!\bda )(?<!\bdo )\b(?:segunda|terça|quarta|quinta|sexta)[- ]feiras?\b(?! release)",
        words(f"(?:cada|todo|toda|todos os|todas as) (?:{_NUM_PT} )?(?:{_UNIDADE}|manhãs?|noites?)"),
        words(f"(?:daqui a|dentro de|em) {_NUM_PT} {_UNIDADE}", "diariamente", "semanalmente"),
        words("(?:na|no) próxim[ao] (?:semana|mês|ano)", "(?:semana|mês|ano) que vem"),
        rf"(?<!\w)às? (?:\d{{1,2}}|{_HORA_PT})\b|\bao meio dia\b",
        rf"\b(?:alarme|despertador|lembrete) para as? (?:\d{{1,2}} ?h?|{_HORA_PT})\b",
        words(rf"(?:no )?dia \d{{1,2}}(?: de {_MES_PT})?", rf"em \d{{1,2}} de {_MES_PT}"),
        CLOCK,
    ),
    opens=folded(
        rf"\b(?:quando|se|sempre que|cada vez que|na próxima vez que|assim que|logo que|caso)\b"
        rf"(?! (?:for|forem|der|derem) (?:\d|{_HORA_PT}\b|{_DIA_PT}))",
        r"\bque\b(?! vem)",
    ),
)

_JOUR: Final = "(?:lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche)"
_HEURE: Final = "(?:une|deux|trois|quatre|cinq|six|sept|huit|neuf|dix|onze|douze)"
_NOMBRE: Final = rf"(?:\d{{1,4}}|un|{_HEURE}|quelques|une demi)"
_UNITE: Final = "(?:minutes?|heures?|-?jours?|semaines?|mois|ans?)"
_MOIS: Final = "(?:janvier|février|mars|avril|mai|juin|juillet|août|septembre|octobre|novembre|décembre)"

FRENCH: Final = ReminderGrammar(
    "fr",
    asks=folded(
        words(
            "rappel(?:le|er|ez|s)?(?:-moi|-nous)?",
            "préviens",
            "prévenez",
            "prévenir",
            "avertis",
            "avertissez",
        ),
        words(
            "(?:mets|mettez|règle|réglez|programme|programmez)(?:-moi|-nous)? (?:une?|le|l'|mon)"
            " ?(?:alarme|réveil)"
        ),
        words("réveill(?:e|er|ez)", "notifi(?:e|er|ez)", "(?:dis|dites)-(?:moi|nous)", "fais-moi penser"),
    ),
    times=folded(
        r"(?<!\bde )\bdemain\b",
        r"(?<!d')\baujourd'hui\b",
        words(
            "ce (?:soir|matin|midi|week-end)", "cet(?:te)? (?:après-midi|nuit)", "plus tard", "après-demain"
        ),
        words("à (?:midi|minuit)", "le (?:matin|soir|week-end)"),
        rf"(?<!\bde )(?<!\bdu )(?<!\bun )\b{_JOUR}s?\b(?!-)",
        words(f"(?:chaque|tous les|toutes les) (?:{_NOMBRE} )?(?:{_UNITE}|{_JOUR}s?|matins?|soirs?)"),
        words("quotidiennement", "hebdomadairement", "(?:la semaine|le mois|l'année) prochaine?"),
        words(f"(?:dans|d'ici) {_NOMBRE} {_UNITE}", "dans une demi-heure"),
        rf"(?<!\w)à (?:\d{{1,2}} ?h(?:eures?)?|{_HEURE} heures?)\b|\b\d{{1,2}} ?heures?\b",
        rf"\b(?:alarme|réveil) (?:pour|sur) (?:\d{{1,2}} ?h|{_HEURE} heures?)\b",
        words(rf"le (?:1er|\d{{1,2}}) {_MOIS}", r"le \d{1,2}(?: à|$)"),
        CLOCK,
    ),
    opens=folded(
        r"\b(?:quand|lorsqu(?:e|')|si|s'|(?:dès|chaque fois|la prochaine fois) qu(?:e|')|au cas où)"
        rf"(?! ?il (?:est|sera) (?:\d|{_HEURE}\b|midi|minuit))",
        r"\bqu(?:e\b|')",
    ),
)
