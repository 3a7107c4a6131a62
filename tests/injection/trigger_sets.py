"""Entries with triggers, and messages that should and should not bring them up, in five languages."""

from typing import Final, NamedTuple


class Case(NamedTuple):
    """An entry, messages in its words, messages in other words, and messages that only come near it."""

    entry: str
    worded: tuple[str, ...]
    paraphrases: tuple[str, ...]
    neighbours: tuple[str, ...]


CASES: Final = {
    "en": (
        Case(
            "- Production gets new versions through the blue script, never by hand."
            " <!-- trigger: deploy release; ship to production -->",
            ("What do I need to deploy this release?", "It is time to ship the new build to production."),
            (
                "How do we roll out a new version to the live servers?",
                "Let's publish the update to prod now.",
            ),
            (
                "The movers ship our furniture on Friday.",
                "Which production of the opera did you like better?",
            ),
        ),
        Case(
            "- The gateway reads /etc/gw.toml. <!-- trigger: gateway settings; gateway configuration -->",
            ("Where are the settings of the gateway?", "I broke the gateway configuration, help."),
            ("How do I configure the gateway?", "Which file sets up our gateway?"),
            ("The gateway to the old town is closed today.", "Change the settings of my phone to dark mode."),
        ),
        Case(
            "- Anna must not eat peanuts. <!-- trigger: dinner for Anna; cooking for Anna -->",
            ("Ideas for a dinner with Anna for tonight?", "I am cooking something for Anna tomorrow."),
            (
                "What meal could I make when Anna comes over?",
                "Anna is coming to eat with us, what should I serve?",
            ),
            ("Anna sent the quarterly numbers.", "Book dinner at eight, a table for two."),
        ),
        Case(
            "- Always a window seat and nothing before nine. <!-- trigger: booking flight; plane ticket -->",
            ("Can you look into booking a flight to Lisbon?", "I still need plane tickets for the offsite."),
            ("Find me a way to fly to Oslo next Monday.", "Reserve airfare to Rome for two people."),
            ("I am booking a table at the Italian place.", "The flight of the cranes was a sight to see."),
        ),
    ),
    "de": (
        Case(
            "- Rechnungen gehen als PDF an Frau Krüger."
            " <!-- trigger: Rechnung schicken; Rechnung stellen -->",
            ("An wen soll ich die Rechnungen schicken?", "Kannst du dem Kunden eine Rechnung stellen?"),
            ("Wer bekommt bei uns die Abrechnung?", "Ich muss dem Kunden noch den Betrag berechnen."),
            (
                "Kannst du mir die Adresse schicken?",
                "Die Rechnung mit den vielen Unbekannten geht nicht auf.",
            ),
        ),
        Case(
            "- Das WLAN im Ferienhaus heißt Reiher."
            " <!-- trigger: WLAN Ferienhaus; Internet im Ferienhaus -->",
            ("Wie war das WLAN im Ferienhaus?", "Gibt es im Ferienhaus eigentlich Internet?"),
            (
                "Wie komme ich im Häuschen am See ins Netz?",
                "Wie lautet der Funknetzname in der Ferienwohnung?",
            ),
            ("Das WLAN im Büro ist heute langsam.", "Wir putzen das Ferienhaus am Samstag."),
        ),
        Case(
            "- Bruno bekommt kein Huhn. <!-- trigger: Hund füttern; Futter für Bruno -->",
            ("Kannst du heute Abend den Hund füttern?", "Welches Futter kaufe ich für Bruno?"),
            ("Was darf Bruno fressen?", "Wer gibt dem Hund sein Abendessen?"),
            ("Der Hund hat im Garten gegraben.", "Das Futter der Jacke ist gerissen."),
        ),
        Case(
            "- Termine beim Arzt nur vormittags. <!-- trigger: Termin beim Arzt; Arzttermin -->",
            ("Mach mir bitte einen Termin beim Arzt.", "Ich brauche nächste Woche einen Arzttermin."),
            ("Ich muss zur Untersuchung in die Praxis.", "Wann kann ich zum Doktor gehen?"),
            ("Der Termin mit dem Steuerberater ist verschoben.", "Mein Bruder ist Arzt in Köln."),
        ),
    ),
    "ru": (
        Case(
            "- Отчёт уходит в пятницу до обеда. <!-- trigger: сдать отчёт; срок отчёта -->",
            ("Когда мне надо сдать отчёт?", "Напомни, какой срок у отчёта."),
            ("До какого дня подготовить квартальную отчётность?", "Когда дедлайн по документу за квартал?"),
            ("Я хочу сдать пальто в химчистку.", "Какой срок годности у этого молока?"),
        ),
        Case(
            "- Бабушка пьёт чай без сахара. <!-- trigger: чай для бабушки; угостить бабушку -->",
            ("Какой чай купить для бабушки?", "Чем завтра угостить бабушку?"),
            ("Что бабушка любит пить?", "Что налить бабушке, когда она придёт?"),
            ("Бабушка звонила вчера вечером.", "Чай в этом кафе слишком дорогой."),
        ),
        Case(
            "- Сервер печати перезапускает только Олег. <!-- trigger: сервер печати; завис принтер -->",
            ("Что случилось с сервером печати?", "Опять завис принтер на втором этаже."),
            ("Документы не печатаются, что делать?", "Принтер не отвечает, кому звонить?"),
            ("На сервере кончилось место.", "Книга уже ушла в печать."),
        ),
        Case(
            "- Летаем только с багажом. <!-- trigger: купить билет; билет на самолёт -->",
            ("Мне надо купить билеты в Ереван.", "Сколько стоит билет на самолёт?"),
            ("Найди рейс в Тбилиси на субботу.", "Хочу полететь в Сочи на выходные."),
            ("Надо купить хлеба и молока.", "Самолёт красиво летел над морем."),
        ),
    ),
    "zh": (
        Case(
            "- 网关的地址是 10.0.0.1，改动前先备份。 <!-- trigger: 网关设置; 配置网关 -->",
            ("帮我看一下网关设置有没有问题，昨天改完以后好像就连不上了。", "新来的同事要怎么配置网关？"),
            ("网关应该怎么调？", "路由网关的参数在哪里改？"),
            ("手机的设置里怎么打开深色模式？", "我们公司的网站打不开了。"),
        ),
        Case(
            "- 小陈对花生过敏。 <!-- trigger: 请小陈吃饭; 小陈的晚餐 -->",
            ("周五想请小陈吃饭，去哪家好？", "小陈的晚餐准备什么好呢？"),
            ("和小陈一起聚餐点什么菜？", "小陈来家里做客，我做什么菜给他吃？"),
            ("小陈今天把报告发出来了。", "今天晚餐吃面条吧。"),
        ),
        Case(
            "- 报销单必须在五天内交给李姐。 <!-- trigger: 差旅报销; 报销发票 -->",
            ("差旅报销的流程是什么？", "我要报销发票，找谁签字？"),
            ("出差的钱怎么拿回来？", "出差的费用找谁报？"),
            ("下周我要去上海出差。", "发票抬头写错了。"),
        ),
        Case(
            "- 数据库每晚两点备份。 <!-- trigger: 数据库备份; 恢复数据 -->",
            ("昨天的数据库备份成功了吗？", "服务器坏了，怎么恢复数据？"),
            ("数据库的副本是什么时候做的？", "数据丢了能找回来吗？"),
            ("这个数据库查询太慢了。", "他的身体恢复得很快。"),
        ),
    ),
    "ja": (
        Case(
            "- 会議室は前日までに共有カレンダーで押さえる。 <!-- trigger: 会議室の予約; 会議室を取る -->",
            ("明日の会議室の予約をお願いできますか。", "来週の打ち合わせのために会議室を取る方法は？"),
            ("ミーティングルームを確保したいです。", "会議の部屋はどうやって押さえますか。"),
            ("会議室のエアコンが壊れています。", "レストランの予約をお願いします。"),
        ),
        Case(
            "- 本番へのデプロイは金曜日にしない。 <!-- trigger: デプロイ手順; 本番リリース -->",
            ("デプロイ手順を教えてください。", "今日の本番リリースは何時からですか。"),
            ("新しいバージョンを本番環境に出したい。", "サーバーに新しい版を反映するにはどうしますか。"),
            ("今日は本番の演奏会です。", "この料理の手順は簡単です。"),
        ),
        Case(
            "- 猫のユキは腎臓が弱いので塩分に注意。 <!-- trigger: 猫の餌; ユキのごはん -->",
            ("猫の餌が切れそうです。", "ユキのごはんはどれを買えばいい？"),
            ("ユキに何を食べさせればいいですか。", "うちの猫のフードを選んでほしい。"),
            ("雪が降ってきました。", "猫の写真を撮りました。"),
        ),
        Case(
            "- 引っ越しは緑山運送に頼む。 <!-- trigger: 引っ越し業者; 荷物の運搬 -->",
            ("引っ越し業者に電話してください。", "荷物の運搬を見積もってほしい。"),
            ("転居の時の運送会社はどこですか。", "家を移るときはどこに頼めばいい？"),
            ("荷物が届いたら教えて。", "業者のカタログをもらいました。"),
        ),
    ),
}
