"""A note in each language with the words that people look for in it, and generated text in every script."""

from dataclasses import dataclass

from hypothesis import strategies as st


@dataclass(frozen=True)
class Sample:
    language: str
    note: str
    queries: tuple[str, ...]
    absent: str


SAMPLES = (
    Sample(
        "en",
        "The spare keys are kept at the porter's lodge.",
        ("key", "spare key", "PORTER", "porters"),
        "garage",
    ),
    Sample(
        "de",
        "Die Ersatzschlüssel liegen bei der größeren Pforte.",
        ("ersatzschlussel", "Größe", "groesse"),
        "Garage",
    ),
    Sample(
        "es", "Las llaves de repuesto están en la recepción.", ("llave", "recepcion", "RECEPCIÓN"), "garaje"
    ),
    Sample("fr", "Les clés de l’hôtel sont à l'accueil.", ("clé", "cles", "hotel", "accueil"), "garage"),
    Sample("pt", "As chaves de reposição ficam na portaria.", ("chave", "reposicao", "Portaria"), "garagem"),
    Sample("it", "Le chiavi dell'ufficio sono in portineria.", ("chiave", "ufficio"), "garage"),
    Sample("nl", "De reservesleutels liggen bij de portiers.", ("reservesleutel", "portier"), "garage"),
    Sample(
        "sv",
        "Reservnycklarna ligger hos vaktmästaren.",
        ("reservnycklar", "vaktmästare", "vaktmastare"),
        "garage",
    ),
    Sample("fi", "Vara-avaimet ovat vahtimestarilla.", ("avaimet", "vahtimestari"), "autotalli"),
    Sample("tr", "Yedek anahtarlar DIŞARIDA, kapıcıda.", ("anahtar", "dışarıda", "disarida"), "garaj"),
    Sample("ru", "Запасной ключ лежит на тёмном складе.", ("ключи", "склад", "темный", "ТЁМНОМ"), "гараж"),
    Sample("el", "Τα εφεδρικά κλειδιά είναι στη ρεσεψιόν.", ("κλειδι", "ΚΛΕΙΔΙΆ", "ρεσεψιον"), "γκαράζ"),
    Sample("ar", "المفاتيح الاحتياطية في مكتب الإستقبالِ", ("مفاتيح", "الاستقبال", "احتياطيه"), "مرآب"),
    Sample("fa", "کلیدهای یدکی نزد نگهبان است", ("نگهبان", "يدكي"), "پارکینگ"),
    Sample("he", "המפתח הרזרבי נמצא אצל השומר", ("המפתח", "השומר"), "מוסך"),
    Sample("hi", "अतिरिक्त चाबियाँ स्वागत कक्ष में हैं", ("चाबियाँ", "स्वागत", "कक्ष"), "गैरेज"),
    Sample("zh", "周五上午在二楼仓库清点备用零件", ("仓库", "零件", "备用零件", "周五 仓库"), "车库"),
    Sample("ja", "来月の引っ越し準備 予備の鍵は受付", ("準備", "引っ越し", "鍵", "鍵はどこ"), "車庫"),
    Sample("ja", "サーバーの設定をﾘｾｯﾄした", ("サーバー", "設定", "リセット"), "車庫"),
    Sample("ko", "창고열쇠는 경비실에 있다", ("열쇠", "경비실", "창고", "경비실은"), "차고"),
    Sample("th", "กุญแจสำรองอยู่ที่ห้องธุรการ", ("สำรอง", "กุญแจ", "ธุรการ"), "โรงรถ"),
    Sample("lo", "ກະແຈສຳຮອງຢູ່ຫ້ອງການ", ("ສຳຮອງ", "ຫ້ອງການ"), "ລົດ"),
    Sample("km", "សោរបម្រុងនៅការិយាល័យ", ("បម្រុង", "ការិយាល័យ"), "ឡាន"),
    Sample("my", "အပိုသော့များသည်ရုံးခန်းတွင်ရှိသည်", ("သော့", "ရုံးခန်း"), "ကားဂိုဒေါင်"),
)

_WORDS = [word for sample in SAMPLES for word in sample.note.split()]
_IDENTIFIERS = [
    *(
        "CHG-48213",
        "FOO_bar",
        "fooBarBaz",
        "HTTPServer",
        "a/b.py",
        "v1.2",
        "user@host.org",
        "C++",
        "C#",
        "#tag",
        "50%",
    ),
    *(
        "192.168.0.1",
        "foo::bar",
        "don't",
        "multi-agent",
        "https://example.org/a/b?x=1#y",
        "~/.config/x.toml",
        "$HOME",
    ),
    *(
        "3f2a9c1",
        "+49-30-901820",
        "2026-01-11",
        "1,000,000",
        "--dry-run",
        "GPT模型",
        "2024年1月",
        "__init__",
        "👍🏽",
        "🇩🇪",
    ),
]
_MARKS_AND_GROUPS = [
    "ﬁ",
    "㍿",
    "e\u0301",
    "が",
    "ｶﾞ",
    "각",
    "\u200d",
    "\u00ad",
    "İ",
    "ß",
    "½",
    "１２",
    "\u0301",
]
_SIGNS = [
    " ",
    "\n",
    "\u3000",
    ".",
    ",",
    '"',
    "'",
    "’",
    "-",
    "_",
    "/",
    ":",
    "*",
    "(",
    ")",
    "、",
    "。",
    "\x00",
    "\ud800",
]

mixed_text = st.lists(
    st.one_of(
        st.sampled_from(_WORDS),
        st.sampled_from(_IDENTIFIERS),
        st.sampled_from(_MARKS_AND_GROUPS),
        st.sampled_from(_SIGNS),
        st.text(max_size=4),
    ),
    max_size=14,
).map("".join)
any_text = st.one_of(
    mixed_text,
    st.text(st.characters(exclude_categories=()), max_size=40),
    st.text(st.characters(min_codepoint=0x0300, max_codepoint=0x31FF, exclude_categories=()), max_size=20),
)
