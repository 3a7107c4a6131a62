import pytest

from openclaw_memd.domain.user_contract import count_orders, is_order

ORDERS = [
    "Always answer in German.",
    "never call before ten",
    "**Prefer** short answers.",
    "Please always say what you changed.",
    "Responde siempre en español.",
    "Prefiere respuestas breves.",
    "Nunca uses emojis.",
    "Responda sempre em português.",
    "Prefira respostas curtas.",
    "Antworte immer auf Deutsch.",
    "Bevorzuge kurze Antworten.",
    "Niemals vor zehn anrufen.",
    "Réponds toujours en français.",
    "Préférez le train de nuit.",
    "N'appelle jamais avant dix heures.",
    "Отвечай всегда по-русски.",
    "Никогда не звони до десяти.",
    "Предпочитай короткие ответы.",
    "总是用中文回答。",
    "回答尽量简短。",
    "不要使用表情符号",
    "請務必先問我",
    "必ず日本語で答える。",
    "回答は常に短くする。",
    "絵文字は決して使わない",
    "항상 한국어로 대답해.",
    "가급적 짧게 답해",
    "절대 먼저 전화하지 마",
]
STATEMENTS = [
    "Ana lives in Graz.",
    "He always forgets his keys.",
    "Use the metric system.",
    "Vive en Graz.",
    "Wohnt in Graz.",
    "Habite à Graz.",
    "Живёт в Граце.",
    "她住在格拉茨。",
    "彼女はグラーツに住んでいる。",
    "그녀는 그라츠에 산다.",
    "",
]


@pytest.mark.parametrize("text", ORDERS)
def test_orders(text: str) -> None:
    assert is_order(text.replace("*", ""))
    assert count_orders(f"- {text.replace('*', '')} <!-- key: k -->") == 1


@pytest.mark.parametrize("text", STATEMENTS)
def test_statements(text: str) -> None:
    assert not is_order(text)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("- Always answer in German. Never use emojis.", 2),
        ("- Always answer in German and never use emojis.", 2),
        ("- Always answer in German.\n  - Prefer short answers.", 2),
        ("- Always answer in German: it is what I read best.", 1),
        ("- 总是用中文回答。不要使用表情符号。", 2),
        ("- Always look at v1.2 first.", 1),
    ],
)
def test_several_orders_in_one_entry(text: str, count: int) -> None:
    assert count_orders(text) == count
