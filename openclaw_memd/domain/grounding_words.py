"""The words by which old notes are judged, in the languages that memd is made for. Pure data and look-ups.

All are matched in folded text (see ``folding.fold``): lower case, marks of Latin letters gone.
"""

import re
from typing import Final


def _words(spaced: str, unspaced: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{spaced})\b|{unspaced}")


_LASTING: Final = _words(
    # what was decided, what holds, what somebody likes, is, has
    r"decided|decision|agreed|we chose|policy|rules?|convention|standard"
    r"|from now on|going forward|permanent(?:ly)?"
    r"|prefers?|preferred|likes|dislikes|loves|hates|favou?rite|allergic|birthday|anniversary|wants"
    r"|beschlossen|entschieden|entscheidung|vereinbart|abgemacht|regel|ab jetzt|ab sofort|kunftig|dauerhaft"
    r"|bevorzugt|mag|lieblings\w*|allergisch|geburtstag|jahrestag"
    r"|decidimos|decidido|decision|acordamos|acordado|regla|a partir de ahora|de ahora en adelante|prefiere"
    r"|le gusta|favorit[oa]|alergic[oa]|cumpleanos|aniversario"
    r"|decidiu|combinamos|combinado|regra|a partir de agora|prefere|gosta de|alergico|aniversario"
    r"|decide|convenu|regle|desormais|dorenavant|prefere|aime|favori(?:te)?|allergique|anniversaire"
    r"|решил[аи]?|решено|решение|договорились|правило|отныне|с этого момента|впредь|предпочитает"
    r"|любит|любим\w+"
    r"|аллергия|день рождения|годовщина",
    "决定|決定|约定|約定|规则|規則|规定|規定|从现在起|從現在起|今后|今後|以后都"
    "|喜欢|喜歡|偏好|过敏|過敏|生日|周年"
    "|決めた|決まった|決まり|合意|方針|ルール|これから(?:は|も)|以後"
    "|好き|好み|嫌い|アレルギー|誕生日|記念日"
    "|결정|합의|규칙|방침|앞으로|이제부터|좋아|싫어|선호|알레르기|생일|기념일",
)
_OF_THE_DAY: Final = _words(
    r"today|tonight|tomorrow|yesterday|right now|currently|at the moment|just now|for now|so far today"
    r"|this (?:morning|afternoon|evening|week|weekend)|last night|temporar(?:y|ily)|waiting for"
    r"|in progress|wip"
    r"|on hold|until (?:tomorrow|tonight|monday|tuesday|wednesday|thursday|friday|saturday|sunday)"
    r"|heute|morgen|gestern|gerade|derzeit|momentan|vorlaufig|vorerst|ubergangsweise|warten? auf|in arbeit"
    r"|hoy|manana|ayer|ahora mismo|por ahora|de momento|temporal(?:mente)?|esperando|en curso"
    r"|hoje|amanha|ontem|agora mesmo|por enquanto|temporari[ao](?:mente)?|a espera de|em andamento"
    r"|aujourd'hui|demain|ce matin|ce soir|en ce moment|pour l'instant|temporaire(?:ment)?"
    r"|en attente|en cours"
    r"|сегодня|завтра|вчера|сейчас|пока что|временно|ждем|ожидаем|в процессе",
    "今天|明天|昨天|今晚|现在|現在|目前|暂时|暫時|正在等|进行中|進行中"
    "|今日|明日|昨日|今朝|今夜|今のところ|とりあえず|一時的|待っている|対応中"
    "|오늘|내일|어제|지금|당분간|일시적|기다리는|진행 중",
)
_CHORE: Final = re.compile(
    r"\W*(?:(?:to[- ]?dos?|fixme|tasks?|reminders?|remind me|follow[- ]?ups?|next steps?"
    r"|action items?|backlog"
    r"|open (?:points|questions|issues)|offene punkte|aufgaben?|zu erledigen|erinnerung(?:en)?"
    r"|nachste schritte"
    r"|pendientes?|tareas?|recordatorios?|proximos pasos|tarefas?|lembretes?|pendencias|proximos passos"
    r"|a faire|taches?|rappels?|prochaines etapes|задачи|сделать|напомнить|напоминани[ея]|следующие шаги)\b"
    "|待办|待辦|任务|任務|提醒|下一步|やること|タスク|リマインダー|次のステップ"
    "|할 일|할일|과제|알림|다음 단계)"
)
_REPORT: Final = _words(
    r"no (?:changes?|news|new \w+|updates?|issues|errors|alerts|incidents)|nothing (?:new|to report|changed)"
    r"|all (?:green|good|clear|ok|quiet|well|normal|systems)|everything (?:ok|fine|normal)"
    r"|still (?:up|running|ok)"
    r"|(?:health|status) ?checks?|healthy|uptime|heartbeat|checked (?:the )?(?:inbox|mail|status|logs)"
    r"|keine (?:anderungen|neuigkeiten|fehler|neuen \w+)|nichts neues|alles (?:gut|ok|ruhig|grun|in ordnung)"
    r"|sin (?:cambios|novedades|errores)|todo (?:bien|en orden)|sem (?:novidades|alteracoes|erros)"
    r"|tudo (?:bem|certo)"
    r"|rien (?:a signaler|de nouveau)|aucun(?:e)? (?:changement|nouveaute|erreur)|tout va bien"
    r"|без изменений|новостей нет|все (?:в порядке|хорошо|тихо)",
    "无变化|無變化|没有变化|一切正常|无异常|変化なし|変更なし|異常なし|問題なし"
    "|이상 없음|변경 없음|특이사항 없음",
)


def is_lasting(folded: str) -> bool:
    """Whether a text speaks of a decision, a rule, a liking or what somebody has for life."""
    return _LASTING.search(folded) is not None


def is_of_the_day(folded: str) -> bool:
    """Whether a text speaks of the day on which it was written."""
    return _OF_THE_DAY.search(folded) is not None


def is_chore(folded: str) -> bool:
    """Whether a text, or a title, begins as a list of things to do does."""
    return _CHORE.match(folded) is not None


def is_report(folded: str) -> bool:
    """Whether a text only says that somebody looked and all was well."""
    return _REPORT.search(folded) is not None
