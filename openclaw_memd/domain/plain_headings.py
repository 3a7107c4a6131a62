"""Headings that only say when something was noted, or that something was. Pure."""

import re
from typing import Final

from openclaw_memd.domain.folding import fold, normalize

_DATED: Final = re.compile(
    r"\s*(?:session:\s*)?\d{4}-\d{2}-\d{2}"
    r"(?:\.md|[-_][\w-]*\.md|[T ]\d{1,2}:\d\d(?::\d\d)?Z?(?:\s+UTC)?)?\s*"
    r"(?:\([^)]*\)|:\s*from outside, not trusted(?:\s*\([^)]*\))?)?\s*",
    re.IGNORECASE,
)
_WORD: Final = re.compile(r"[^\W\d_]+")

# Days, months, times of the day, and what a note calls itself.
_WORDS: Final = """
monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur thurs fri sat sun
january february march april may june july august september october november december
jan feb mar apr jun jul aug sep sept oct nov dec st nd rd th of the on
today yesterday tomorrow morning noon midday afternoon evening night tonight am pm this last
note notes daily day log journal diary entry entries week
montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag mo di mi do fr sa so
januar janner februar marz mai juni juli oktober dezember okt dez
heute gestern vorgestern morgen morgens fruh vormittag mittag nachmittag abend abends nacht nachts uhr
am der den notiz notizen tag tagebuch tagesnotiz tagesnotizen eintrag eintrage protokoll woche
lunes martes miercoles jueves viernes sabado domingo
enero febrero marzo abril mayo junio julio agosto septiembre setiembre octubre noviembre diciembre
hoy ayer manana mediodia tarde noche madrugada de del el la por esta este
nota notas diario dia registro bitacora entrada semana
lundi mardi mercredi jeudi vendredi samedi dimanche
janvier fevrier mars avril juin juillet aout septembre octobre novembre decembre
aujourd hui hier demain matin midi apres soir nuit le la du ce cette
jour journal carnet entree semaine
segunda terca quarta quinta sexta feira domingo
janeiro fevereiro marco maio junho julho setembro outubro novembro dezembro
hoje ontem amanha manha meio tarde noite do da
diario dia semana anotacao anotacoes
понедельник вторник среда четверг пятница суббота воскресенье пн вт ср чт пт сб вс
январь февраль март апрель май июнь июль август сентябрь октябрь ноябрь декабрь
января февраля марта апреля мая июня июля августа сентября октября ноября декабря
сегодня вчера завтра утро утром полдень день днем вечер вечером ночь ночью г
заметка заметки дневник журнал запись записи неделя
الاحد الاثنين الثلاثاء الاربعاء الخميس الجمعة السبت يناير فبراير مارس ابريل مايو يونيو يوليو اغسطس سبتمبر
اكتوبر نوفمبر ديسمبر اليوم امس غدا صباح الصباح ظهر الظهر مساء المساء ليل الليل ملاحظة ملاحظات يوميات
"""
_SPACED: Final = frozenset(fold(normalize(word)) for word in _WORDS.split())

_RUNS: Final = """
星期一 星期二 星期三 星期四 星期五 星期六 星期日 星期天 周一 周二 周三 周四 周五 周六 周日 今天 今日
昨天 昨日 明天 明日 早上 早晨 上午 中午 下午 傍晚 晚上 夜里 夜晚 笔记 筆記 日记 日記 日志 日誌 记录 記錄
本周 年 月 日 号 號 时 時 点 點 分 月曜日 火曜日 水曜日 木曜日 金曜日 土曜日 日曜日 月曜 火曜 水曜 木曜
金曜 土曜 日曜 きょう きのう あした 朝 午前 正午 昼 午後 夕方 夜 メモ ノート ログ 記録 今朝 今夜 昨夜
월요일 화요일 수요일 목요일 금요일 토요일 일요일 오늘 어제 내일 아침 오전 정오 점심 오후 저녁 밤 메모
노트 일지 일기 기록 년 월 일
"""
_RUN: Final = re.compile(
    "|".join(sorted((re.escape(fold(normalize(word))) for word in _RUNS.split()), key=len, reverse=True))
)
_REVIEW: Final = frozenset(
    {"light sleep", "rem sleep", "deep sleep", "reflections", "possible lasting truths"}
)


def is_plain_heading(title: str) -> bool:
    """Whether a heading adds nothing to what stands under it.

    Such are dates, weekdays, times of the day, names of daily files and words for a note, in the languages
    of the project; and the headings of what dreaming writes.
    """
    if _DATED.fullmatch(title):
        return True
    folded = fold(normalize(title))
    if " ".join(folded.split()) in _REVIEW:
        return True
    return all(word in _SPACED for word in _WORD.findall(_RUN.sub(" ", folded)))
