"""Words that say nothing about what a question is after: dropped from queries, never from the index.

Function words, pronouns, auxiliaries, question words, and what asks for a memory and says nothing of it
("please", "discussed"). A word that somebody may look for, such as "help", is none of them. Each list is
written the way people write; matching is on folded forms.
"""

from openclaw_memd.domain.folding import fold

_ENGLISH = """
a an the and or but nor so if then than as at by for from in into of off on onto out over to under up upon
with about after before between during through without within again also just only very too still yet not no
i me my mine we us our ours you your yours he him his she her hers it its they them their theirs this that
these those am is are was were be been being do does did doing done have has had having can could will would
shall should may might must what which who whom whose when where why how there here some any all each both
such other own same i'm i've i'd i'll you're you've he's she's it's we're we've they're that's there's what's
who's where's when's how's don't doesn't didn't isn't aren't wasn't weren't can't couldn't won't wouldn't
shouldn't haven't hasn't hadn't let's please tell say says said talked discussed mentioned
thing things something anything ever get got
"""

_GERMAN = """
der die das den dem des ein eine einen einem einer eines und oder aber denn sondern wenn als wie ob dass weil
damit in im an am auf aus bei beim mit nach von vom vor zu zum zur für über unter durch gegen ohne um bis
seit ich mich mir mein meine meinen meinem meiner du dich dir dein deine er ihn ihm sein seine sie ihr ihre
ihren es wir uns unser unsere euch euer man sich dies diese dieser dieses diesem diesen jener jene
bin bist ist sind seid war waren gewesen sein habe hast hat haben hatte hatten werde wird werden wurde wurden
kann kannst können könnte muss müssen soll sollte sollen will wollen würde würden darf dürfen
was wer wen wem wessen welche welcher welches welchen wann wo wohin woher warum wieso weshalb da dort hier
nicht kein keine keinen auch noch nur schon sehr mal doch etwas
bitte sag sage zeig zeige gib finde hilf weißt erinnere erinnerst gesagt gesprochen besprochen
"""

_SPANISH = """
el la los las lo un una unos unas y e o u pero ni que si como al a de del en con por para sin sobre entre
desde hasta yo me mi mis mí tú te tu tus ti él ella le les se su sus nosotros nos nuestro nuestra ellos ellas
usted ustedes este esta esto estos estas ese esa eso esos esas aquel aquella
soy eres es somos son era eran fue fueron ser sido estoy está están estaba estar he has ha hemos han había
haber hay tengo tiene tienen puedo puede pueden podría debe quiero quiere hacer hace hizo
qué cuál cuáles quién quiénes cuándo dónde cómo cuánto cuánta por porque no sí ya muy más también solo aquí
ahí favor dime muéstrame dame sabes recuerda recuerdas dijo dije dijimos hablamos cosa
cosas algo
"""

_FRENCH = """
le la les l un une des du de d et ou mais ni car donc que qu si comme à au aux en dans par pour sans sur sous
entre vers chez avec je j me m moi mon ma mes tu te t toi ton ta tes il elle on lui se s son sa ses nous
notre nos vous votre vos ils elles leur leurs ce c cet cette ces ça cela ceci y
suis es est sommes êtes sont étais était étaient être été ai as a avons avez ont avais avait avoir fait faire
peux peut peuvent pouvez dois doit veux veut
qui quoi quel quelle quels quelles quand où pourquoi comment combien ne n pas plus très aussi déjà encore ici
là est-ce qu'est-ce c'est j'ai n'est qu'il qu'elle
svp dis dites montrez donne donnez trouvez sais souviens parlé dit chose choses
quelque
"""

_PORTUGUESE = """
o a os as um uma uns umas e ou mas nem que se como ao aos à às de do da dos das em no na nos nas num numa por
pelo pela para pra com sem sobre entre desde até eu me mim meu minha meus minhas tu te teu tua você vocês ele
ela eles elas lhe nós nosso nossa seu sua seus suas este esta isto esse essa isso aquele aquela aquilo
sou é somos são era eram foi foram ser sido estou está estão estava estar tenho tem têm tinha ter há havia
posso pode podem poderia deve quero quer fazer faz fez
qual quais quem quando onde porque quanto quanta não sim já muito mais também só aqui aí
favor diga diz mostre mostra dê encontre ajude sabe lembra lembre disse falamos coisa coisas algo
"""

_RUSSIAN = """
и а но или да же ли бы не ни в во на с со к ко от до из за у о об обо по под над при про для без через между
я меня мне мной мой моя моё мои моего моей ты тебя тебе твой твоя он его ему им она её ей мы нас нам нами наш
наша наше наши вы вас вам вами ваш ваша они их ими себя свой своя свои это этот эта эти этого этой этом тот
та те того том что чего чему чём чем кто кого кому который которая которое которые какой какая какое какие
каком когда где куда откуда почему зачем как сколько есть был была было были быть буду будет будут могу
можешь может можно нужно надо так там тут здесь уже ещё еще только тоже также очень если чтобы
пожалуйста скажи скажите покажи покажите дай дайте найди найдите помоги напомни помнишь знаешь говорил
говорили сказал сказали обсуждали вещь что-то что-нибудь
"""

_ARABIC = """
و أو ثم لكن بل في من إلى الى على عن مع بين حتى منذ عند لدى قبل بعد تحت فوق ب ل ك
أنا نحن أنت أنتم هو هي هم هن هذا هذه ذلك تلك هؤلاء الذي التي الذين
كان كانت كانوا يكون تكون ليس ليست لا لم لن ما قد هل إن أن إذا لو كل بعض أي
ماذا لماذا متى أين كيف كم ايه
فضلك رجاء أخبرني قل لي اعرض أعطني ابحث ساعدني تذكر قلت قال شيء
"""

_KOREAN = """
나 나는 내 내가 저 저는 제 제가 우리 우리는 너 너는 네 그 그는 그녀 이 이것 그것 저것 이거 그거 여기 거기
저기 뭐 뭐가 뭐를 뭘 뭐야 뭐지 무엇 무엇을 무엇이 무엇인가요 누구 누가 언제 어디 어디에 어디서 어디야 어디지
어디에서 왜 어떻게 어떤 어느 얼마 얼마나 몇
그리고 그러나 하지만 또는 그래서 있다 있는 있어 있어요 있나요 있습니까 있었어 없다 이다 입니다 인가요 했다
했어 했던 하는 해 해줘 해주세요 좀 알려줘 알려주세요 말해줘 말해주세요 보여줘 보여주세요 찾아줘 찾아주세요
기억해 기억나 대해 대한 관련 것 수
"""

LISTS: dict[str, frozenset[str]] = {
    code: frozenset(fold(word) for word in words.split())
    for code, words in {
        "en": _ENGLISH,
        "de": _GERMAN,
        "es": _SPANISH,
        "fr": _FRENCH,
        "pt": _PORTUGUESE,
        "ru": _RUSSIAN,
        "ar": _ARABIC,
        "ko": _KOREAN,
    }.items()
}
"""Folded stop words by language, for languages with spaces."""

ACRONYMS = frozenset({"IT", "US", "WHO", "AM", "OR", "IN", "ME", "CAN", "MAY"})
"""Stop words that are names when they alone are in capitals."""

_CHINESE = """
在哪里 在哪儿 在哪 什么 怎么 怎样 怎么样 怎么办 如何 为什么 哪里 哪儿 哪个 哪些 哪天 谁的 多少 几个 是否
是不是 有没有 能不能 可不可以 可以 我们 你们 他们 她们 它们 咱们 自己 这个 那个 这些 那些 这里 那里 这样 那样
请问 请帮 帮我 帮忙 告诉 告诉我 给我 一下 记得 还记得 知道 说过 提到 关于 有关 以及 或者 但是 因为 所以 如果
的话 之前 什麼 怎麼 為什麼
"""

CHINESE_PHRASES = frozenset(_CHINESE.split())
"""Chinese words of two characters or more that are noise in a question."""

CHINESE_CHARACTERS = frozenset(
    "的了吗嗎呢吧啊呀么麼嘛我你您他她它是在有和与與及或把被让讓给給对對向从從到这這那哪谁誰几請请就都也还還很不"
)
"""Chinese function words of one character; a pair made of two of them says nothing."""

_JAPANESE = """
ください 下さい ですか でしたか ました ましたか ません です でした ます ますか だった について に関して
に関する という とは どこ どれ どの どんな どう どうやって どうして なぜ なに 何が 何を 何の 何です いつ だれ
誰が 誰の いくら いくつ これ それ あれ この その あの ここ そこ あそこ 教えて 教えてください 見せて 探して
覚えて 思い出して してください から まで ので のに けど しかし そして また こと もの ある あります いる
います した して する している
"""

JAPANESE_PHRASES = frozenset(_JAPANESE.split())
"""Japanese function words of two characters or more that are noise in a question."""

KANA_PARTICLES = frozenset("はがをにでとのへもやかねよわ")
"""Japanese particles of one character."""

KOREAN_PARTICLES = (
    *(
        "에서는",
        "에게서",
        "으로는",
        "까지는",
        "부터는",
        "이라는",
        "에서",
        "에게",
        "한테",
        "으로",
        "까지",
        "부터",
        "처럼",
        "보다",
    ),
    *(
        "이랑",
        "하고",
        "에는",
        "은",
        "는",
        "이",
        "가",
        "을",
        "를",
        "의",
        "에",
        "로",
        "와",
        "과",
        "도",
        "만",
        "랑",
    ),
)
"""Korean particles at the end of a word, longest first."""
