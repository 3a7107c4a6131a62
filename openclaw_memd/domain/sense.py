"""Words that change or do not change what a statement says: negations, number words, articles, particles."""

from openclaw_memd.domain.folding import fold


def _fold_all(words: str) -> frozenset[str]:
    return frozenset(map(fold, words.split()))


NEGATIONS = _fold_all(
    """
    not no never none nothing nobody nowhere neither nor without cannot dont doesnt didnt isnt arent wasnt
    werent cant couldnt wont wouldnt shouldnt havent hasnt hadnt
    nicht nichts kein keine keinen keinem keiner keines nie niemals niemand ohne weder
    nunca nada nadie ningún ninguna ninguno jamás sin tampoco ni
    ne n pas jamais rien aucun aucune personne sans ni plus
    não nem ninguém nenhum nenhuma sem
    не ни нет нельзя никогда ничего никто без
    non mai niente nessuno senza niet geen nooit zonder inte aldrig utan ikke aldri ei değil yok hiç nie
    nigdy bez لا لم لن ليس ليست بدون غير ما
    לא אין בלי नहीं मत न μη δεν χωρίς
    """
)
"""Folded words that deny, in languages with spaces."""

NEGATION_UNITS = frozenset("不没沒无無非别別勿未莫ずぬ않못없안말")
"""Characters of unspaced scripts that deny."""

NEGATION_PAIRS = frozenset({"ない", "なし", "なく", "なか", "ませ", "せん", "아니", "ไม่", "ไร้", "ບໍ່", "មិន"})
"""Pairs of such characters that deny."""

NUMBER_WORDS = _fold_all(
    """
    zero two three four five six seven eight nine ten eleven twelve twenty thirty hundred thousand million
    half twice null zwei drei vier fünf sechs sieben acht neun zehn elf zwölf zwanzig hundert tausend
    cero dos tres cuatro cinco seis siete ocho nueve diez once doce veinte cien mil
    deux trois quatre cinq sept huit neuf dix onze douze vingt cent mille
    dois duas três quatro oito nove dez onze doze vinte cem
    два две три четыре пять шесть семь восемь девять десять двадцать сто тысяча
    """
)
"""Folded number words; one is left out, since it is also an article."""

NUMBER_UNITS = frozenset("〇零一二三四五六七八九十百千万萬亿億两兩半")
"""Han numerals."""

ARTICLES = _fold_all(
    """
    a an the der die das den dem des ein eine einen einem einer eines el la los las lo un una unos unas le
    les l une du il i gli o os um uma uns umas de het een
    """
)
"""Folded articles: two statements that differ in them say the same."""

PARTICLE_UNITS = frozenset("的了呢吧啊呀嘛")
"""Chinese particles: two statements that differ in them say the same."""
