"""Intents, messages that mean what they are about in other words, and messages that only come near."""

from typing import Final, NamedTuple


class Case(NamedTuple):
    """``paraphrases`` share no word with the keywords, or hardly one."""

    description: str
    keywords: tuple[str, ...]
    paraphrases: tuple[str, ...]
    neighbours: tuple[str, ...]


CASES: Final = (
    Case(
        "Mention the changelog when the release comes up.",
        ("release", "new version"),
        (
            "We are about to ship 2.0 to customers.",
            "When do we publish the next build?",
            "Let's roll out the update on Monday.",
        ),
        ("The movers ship our sofa.", "She published a poem.", "Roll out the carpet for the guests."),
    ),
    Case(
        "Tell me that the API key must be rotated when credentials come up.",
        ("API key", "credentials"),
        (
            "Which token does the service log in with?",
            "I pasted the secret access code into the chat.",
            "The password for the service account leaked.",
        ),
        (
            "The key to the shed is under the pot.",
            "He told me a secret.",
            "Service was slow at the restaurant.",
        ),
    ),
    Case(
        "Remind me that Ana is allergic to nuts when we plan a meal with her.",
        ("dinner with Ana", "cooking for Ana"),
        (
            "What should I make when Ana comes over to eat?",
            "Ana visits on Sunday, I need a recipe.",
            "I'm preparing food for Ana's birthday.",
        ),
        (
            "Ana sent the quarterly numbers.",
            "Where did I put the recipe for bread?",
            "Ana's birthday is on a Sunday.",
        ),
    ),
    Case(
        "Say that the passport expires in June when travel abroad is planned.",
        ("passport", "travel abroad"),
        (
            "I want to fly to Japan this summer.",
            "Let's book a trip overseas.",
            "Do I need a visa for Brazil?",
        ),
        ("The bird flew away.", "I read a book about Japan's economy.", "This summer was hot."),
    ),
    Case(
        "Mention the landlord's rule about drilling when the flat is renovated.",
        ("renovation", "drill holes"),
        (
            "I'd like to hang shelves on the living room wall.",
            "We are going to remodel the kitchen.",
            "Can I mount the TV bracket here?",
        ),
        ("The kitchen smells of garlic.", "Shelves of the shop were empty.", "TV was boring tonight."),
    ),
    Case(
        "Point to the incident report when an outage is discussed.",
        ("outage", "incident"),
        (
            "The servers went down again last night.",
            "Why was the site unreachable this morning?",
            "We had downtime during the launch.",
        ),
        ("I went down to the beach.", "This morning I ran five miles.", "The launch of the boat was fun."),
    ),
    Case(
        "Erwähne den Rabatt, wenn es um die Vertragsverlängerung geht.",
        ("Vertragsverlängerung", "Abo"),
        (
            "Der Kunde will noch ein Jahr bei uns bleiben.",
            "Wann läuft die Vereinbarung mit der Firma aus?",
            "Sollen wir das Abonnement kündigen?",
        ),
        ("Das Jahr war lang.", "Die Firma feiert ein Fest.", "Der Kunde trinkt Kaffee."),
    ),
    Case(
        "Say that the car needs winter tyres when the car service comes up.",
        ("car service", "tyres"),
        (
            "I have to bring the vehicle to the garage.",
            "The mechanic can see us on Tuesday.",
            "My car makes a strange noise, where can I have it checked?",
        ),
        (
            "The garage sale is on Tuesday.",
            "The service in church was long.",
            "A strange noise woke the baby.",
        ),
    ),
)
