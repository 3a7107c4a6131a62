"""Times in Chinese (both scripts), Japanese and Korean."""

from typing import Final

from openclaw_memd.domain.timespans import calendar, days, weekend
from openclaw_memd.domain.timetable import TimeWords

_MONTHS: Final = tuple(rf"0?{number}" for number in range(1, 13))
_CHINESE_NAMES: Final = ("一", "二", "三", "四", "五", "六", "七", "八", "九", "十", "十一", "十二")
_CHINESE_MONTHS: Final = tuple(
    f"{digits}|{name}" for digits, name in zip(_MONTHS, _CHINESE_NAMES, strict=True)
)
_CHINESE_DIGITS: Final = {
    "一": (1, 1),
    "二": (2, 2),
    "三": (3, 3),
    "四": (4, 4),
    "五": (5, 5),
    "六": (6, 6),
    "七": (7, 7),
    "八": (8, 8),
    "九": (9, 9),
    "十": (10, 10),
}
_DATE: Final = r"(?:{year} ?年 ?)?(?P<month>1[0-2]|0?[1-9]) ?月 ?{day} ?"
_MONTH: Final = r"(?:{year} ?年 ?(?:的|の)?)?(?<!\d)(?P<month>1[0-2]|0?[1-9]) ?月(?! ?\d)"

CHINESE: Final = TimeWords(
    language="zh",
    fixed={
        "昨天|昨日": days(-1),
        "前天": days(-2),
        "大前天": days(-3),
        "昨晚|昨夜": days(-1, 0),
        "今天|今早|今天早上|今天上午": days(0),
        "前几天|前幾天|前些天|那天": days(-14, -1),
        "(?:这|這|本)(?:个|個)?(?:周|週|星期|礼拜|禮拜)(?![一二三四五六日天末])": calendar("week", 0),
        "上(?:个|個)?(?:周|週|星期|礼拜|禮拜)(?![一二三四五六日天末])": calendar("week", -1),
        "上上(?:个|個)?(?:周|週|星期|礼拜|禮拜)(?![一二三四五六日天末])": calendar("week", -2),
        "上(?:个|個)?(?:周末|週末)": weekend(),
        "(?:这|這)(?:个|個)月|本月": calendar("month", 0),
        "上(?:个|個)月": calendar("month", -1),
        "今年": calendar("year", 0),
        "去年": calendar("year", -1),
        "前年": calendar("year", -2),
    },
    numbers={**_CHINESE_DIGITS, "两": (2, 2), "兩": (2, 2), "几": (2, 7), "幾": (2, 7)},
    units={
        "天|日": "day",
        "周|週|(?:个|個)?星期|(?:个|個)?礼拜|(?:个|個)?禮拜": "week",
        "(?:个|個)月": "month",
        "年": "year",
    },
    weekdays=("一", "二", "三", "四", "五", "六", "[日天]"),
    months=_CHINESE_MONTHS,
    ago=("{n} ?{unit}(?:之|以)?前",),
    since=("(?:最近|过去|過去|近) ?{n} ?{unit}",),
    weekday=(),
    weekday_of_last_week=("上(?:个|個)?(?:周|週|星期|礼拜|禮拜){weekday}",),
    month=(_MONTH, "(?<![0-9一二三四五六七八九十])(?P<month>十[一二]?|[一二三四五六七八九])月"),
    date=(_DATE + "[日号號]",),
    year=("(?<!\\d){year} ?年(?! ?\\d{1,2} ?月)",),
    onward_before="从|從|自从|自從|自",
    onward_after="以来|以來|之后|之後|以后|以後|起",
    spaced=False,
)

JAPANESE: Final = TimeWords(
    language="ja",
    fixed={
        "昨日|きのう": days(-1),
        "一昨日|おととい": days(-2),
        "昨夜|昨晩|ゆうべ": days(-1, 0),
        "今日|きょう|今朝|けさ": days(0),
        "先日|この間|こないだ|この前": days(-14, -1),
        "今週": calendar("week", 0),
        "先週(?!の?[月火水木金土日]曜|末|の?週末)": calendar("week", -1),
        "先々週": calendar("week", -2),
        "先週末|先週の週末": weekend(),
        "今月": calendar("month", 0),
        "先月": calendar("month", -1),
        "先々月": calendar("month", -2),
        "今年|ことし": calendar("year", 0),
        "去年|昨年": calendar("year", -1),
        "一昨年|おととし": calendar("year", -2),
    },
    numbers={**_CHINESE_DIGITS, "数": (2, 7)},
    units={"日": "day", "週間": "week", "(?:か|ヶ|ヵ|カ|ケ|箇)月": "month", "年": "year"},
    weekdays=("月曜日?", "火曜日?", "水曜日?", "木曜日?", "金曜日?", "土曜日?", "日曜日?"),
    months=_MONTHS,
    ago=("{n} ?{unit}(?:ほど|くらい|ぐらい)?前",),
    since=("(?:ここ|この|過去|最近) ?{n} ?{unit}",),
    weekday=("(?:この前|こないだ|前回|前)の{weekday}",),
    weekday_of_last_week=("先週の?{weekday}",),
    month=(_MONTH,),
    date=(_DATE + "日",),
    year=("(?<!\\d){year} ?年(?! ?\\d{1,2} ?月)",),
    onward_before="(?!)",
    onward_after="以来|以降|から",
    spaced=False,
)

KOREAN: Final = TimeWords(
    language="ko",
    fixed={
        "어제": days(-1),
        "그저께|그제|엊그제": days(-2),
        "어젯밤|간밤|지난밤": days(-1, 0),
        "오늘 ?아침|오늘 ?오전|오늘": days(0),
        "요전|며칠 ?전|얼마 ?전": days(-14, -1),
        "이번 ?주": calendar("week", 0),
        "(?:지난|저번) ?주(?! ?말| ?[월화수목금토일]요일)": calendar("week", -1),
        "지지난 ?주": calendar("week", -2),
        "(?:지난|저번) ?주말": weekend(),
        "이번 ?달": calendar("month", 0),
        "(?:지난|저번) ?달": calendar("month", -1),
        "올해": calendar("year", 0),
        "작년|지난해": calendar("year", -1),
        "재작년": calendar("year", -2),
    },
    numbers={
        "한": (1, 1),
        "두": (2, 2),
        "세": (3, 3),
        "네": (4, 4),
        "다섯": (5, 5),
        "여섯": (6, 6),
        "일곱": (7, 7),
        "여덟": (8, 8),
        "아홉": (9, 9),
        "열": (10, 10),
        "몇": (2, 7),
        "일": (1, 1),
        "이": (2, 2),
        "삼": (3, 3),
        "사": (4, 4),
        "오": (5, 5),
    },
    units={"일": "day", "주일|주": "week", "달|개월": "month", "년|해": "year"},
    weekdays=("월요일", "화요일", "수요일", "목요일", "금요일", "토요일", "일요일"),
    months=_MONTHS,
    ago=("{n} ?{unit} ?전",),
    since=("(?:최근|지난) ?{n} ?{unit}",),
    weekday=("(?:지난|저번) ?{weekday}",),
    weekday_of_last_week=("(?:지난|저번) ?주 ?{weekday}",),
    month=(r"(?:{year} ?년 ?)?(?<!\d)(?P<month>1[0-2]|0?[1-9]) ?월(?! ?\d)",),
    date=(r"(?:{year} ?년 ?)?(?<!\d)(?P<month>1[0-2]|0?[1-9]) ?월 ?{day} ?일",),
    year=("(?<!\\d){year} ?년(?! ?\\d{1,2} ?월)",),
    onward_before="(?!)",
    onward_after="부터|이후|이래",
    spaced=False,
)
