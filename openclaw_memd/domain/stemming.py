"""Stems: which languages there are, and the stems of one word by its script. Most are Snowball's."""

from collections.abc import Sequence

import Stemmer

from openclaw_memd.domain.endings import SINGULARS, arabic_light_stem
from openclaw_memd.domain.folding import fold, spell_umlauts
from openclaw_memd.domain.scripts import Script, script_of

_ALGORITHMS: dict[Script, dict[str, str]] = {
    Script.LATIN: {
        "ca": "catalan",
        "cs": "czech",
        "da": "danish",
        "de": "german",
        "en": "english",
        "eo": "esperanto",
        "es": "spanish",
        "et": "estonian",
        "eu": "basque",
        "fi": "finnish",
        "fr": "french",
        "ga": "irish",
        "hu": "hungarian",
        "id": "indonesian",
        "it": "italian",
        "lt": "lithuanian",
        "nl": "dutch",
        "no": "norwegian",
        "pl": "polish",
        "pt": "portuguese",
        "ro": "romanian",
        "sv": "swedish",
        "tr": "turkish",
    },
    Script.CYRILLIC: {"ru": "russian"},
    Script.GREEK: {"el": "greek"},
    Script.ARABIC: {"ar": "arabic", "fa": "persian"},
    Script.DEVANAGARI: {"hi": "hindi", "ne": "nepali"},
    Script.ARMENIAN: {"hy": "armenian"},
    Script.TAMIL: {"ta": "tamil"},
}

_ALWAYS = ("en", "ru", "el", "ar", "hi", "ta", "hy")

SUPPORTED_LANGUAGES = frozenset(code for codes in _ALGORITHMS.values() for code in codes)
"""The ISO 639-1 codes that have a stemmer."""

STEMMER_VERSION: str = Stemmer.version()
"""Stems may differ between versions of the library."""


class Stems:
    """The stems of words, by the script they are written in.

    Every script has one language of its own (Latin: English); ``languages`` adds others.

    Raises:
        ValueError: for a language with no stemmer.
    """

    def __init__(self, languages: Sequence[str]) -> None:
        if unknown := sorted(set(languages) - SUPPORTED_LANGUAGES):
            known = ", ".join(sorted(SUPPORTED_LANGUAGES))
            raise ValueError(f"no stemmer for language {unknown[0]!r} (known: {known})")
        self.languages = tuple(sorted({*_ALWAYS, *languages}))
        # The analyzer caches whole results; a second cache below it would only cost memory.
        self._stemmers = {
            script: [Stemmer.Stemmer(codes[code], 0) for code in self.languages if code in codes]
            for script, codes in _ALGORITHMS.items()
        }
        self._latin = self._stemmers[Script.LATIN]
        latin = _ALGORITHMS[Script.LATIN]
        self._not_english = [
            Stemmer.Stemmer(latin[code], 0) for code in self.languages if code in latin and code != "en"
        ]
        self.other_latin = tuple(code for code in self.languages if code in latin and code != "en")
        self._singulars = [SINGULARS[code] for code in self.languages if code in SINGULARS]

    def join_elsewhere(self, one: str, other: str) -> bool:
        """Whether another language than English gives two folded ASCII words one stem or one singular."""
        return any(stemmer.stemWord(one) == stemmer.stemWord(other) for stemmer in self._not_english) or any(
            (singular(one) or one) == (singular(other) or other) for singular in self._singulars
        )

    def forms(self, word: str) -> tuple[str, ...]:
        """A normalised word folded, then its other spellings and stems, without repetition."""
        whole = fold(word)
        if not whole:
            return ()
        if whole.isdecimal():
            return (whole,)
        if word.isascii():
            forms = [whole]
            for stemmer in self._latin:
                if (stem := stemmer.stemWord(whole)) not in forms:
                    forms.append(stem)
            if self._singulars:
                forms += [one for one in self._find_singulars(whole) if one not in forms]
            return tuple(forms)
        script = script_of(whole[0])
        stemmers = self._stemmers.get(script, ())
        # Suffix rules know accented letters, while people often type none: stems of both spellings.
        cased = word.casefold()
        stems = [form for s in stemmers for form in (s.stemWord(whole), fold(s.stemWord(cased)))]
        if script is Script.ARABIC:
            stems.append(arabic_light_stem(whole))
        stems += self._find_singulars(whole)
        return tuple(dict.fromkeys([whole, spell_umlauts(word), *filter(None, stems)]))

    def _find_singulars(self, whole: str) -> list[str]:
        return [one for singular in self._singulars if (one := singular(whole)) is not None]
