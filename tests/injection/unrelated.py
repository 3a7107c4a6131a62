"""Two hundred messages as people send them to an assistant, on nothing that ``trigger_sets`` is about."""

from typing import Final

_ENGLISH = """
Good morning! What's on my calendar today?
Can you summarise this article in three sentences?
The regex matches too much, how do I make it lazy?
Write a haiku about autumn leaves.
What's the difference between a mutex and a semaphore?
Remind me tomorrow to water the tomatoes.
Translate "see you soon" into Portuguese.
My keyboard's left shift key is sticking again.
Which of these two paint colours goes better with oak floors?
I finished the marathon in under four hours!
Explain how compound interest works, like I'm twelve.
The sourdough starter smells odd, is it still good?
Convert 72 degrees Fahrenheit to Celsius.
Draft a polite reply saying I can't make it on Thursday.
Why is the sky red at sunset?
How do I rename a branch in git?
My son needs help with long division.
Sort this list by surname and then by age.
What should I get my sister for her fortieth birthday?
The unit tests pass locally but fail in CI, any idea?
Please proofread the paragraph below.
How long do hard-boiled eggs keep in the fridge?
Give me five names for a sailing club newsletter.
That joke was terrible, tell me another one.
Is it going to rain in Bergen this weekend?
I can't decide between the blue bike and the green one.
What does "caveat emptor" mean?
The heater in the garage makes a clicking noise.
Refactor this function so that it returns early.
How many ounces are in a pound?
Let's play twenty questions.
Could you make the tone of this letter a bit warmer?
I slept badly, the neighbours had a party until three.
Which chapters should I read before Monday's seminar?
The spreadsheet shows #REF! in column D.
Thanks, that was exactly what I needed.
Who painted The Night Watch?
Our football team lost again, five to one.
Explain the plot of Hamlet in two minutes.
How do I prune roses in winter?
The battery of my watch lasts only half a day.
Count the words in this text for me.
I'd like to learn the ukulele, where do I start?
Is "fewer" or "less" correct here?
What are good stretches after sitting all day?
Add a column with the running total.
My daughter drew a dragon with seven heads.
What time is it in Auckland?
The library closes at six today, right?
How do vaccines work?
Turn these bullet points into prose.
I want to repaint the fence before summer.
Which planets have rings?
The projector's image is upside down.
Suggest a short walk near the old mill.
What rhymes with orange?
Make a table of the noble gases.
Why does my bread have big holes in it?
I forgot the name of that actor in the pirate film.
The cat video you found was hilarious.
How do I centre a div?
Estimate how much gravel I need for a ten metre path.
What's a good opening move against the Sicilian?
Please shorten the headline to sixty characters.
The zip of my tent is broken.
Can penguins fly?
Explain recursion with an example in Python.
I have a sore throat, should I gargle salt water?
What did Marie Curie win her second Nobel Prize for?
Generate a random password of twenty characters.
The children built a castle out of cardboard.
How do I get red wine out of a carpet?
Compare these two job offers for me.
Show the commits of last week.
My plane tree has lost all its leaves already.
The choir rehearses on Wednesdays now.
What is the capital of Mongolia?
I think the second draft is much better.
Tell the others that the picnic is off.
You too, take care!
"""

_GERMAN = """
Guten Morgen, was steht heute an?
Wie schreibt man Rhythmus richtig?
Der Drucker hat schon wieder Papierstau.
Erkläre mir kurz, was ein Zeiger in C ist.
Morgen soll es schneien, oder?
Wie lange muss Kartoffelgratin in den Ofen?
Übersetze mir das bitte ins Englische.
Mein Fahrrad quietscht beim Bremsen.
Welche Bücher hat Max Frisch geschrieben?
Ich habe gestern meinen Schlüssel verloren.
Schreib eine kurze Rede zum Jubiläum des Vereins.
Was ist der Unterschied zwischen das und dass?
Die Kinder wollen am Sonntag ins Museum.
Kannst du die Tabelle nach Datum sortieren?
Wie viel Salz kommt ins Nudelwasser?
Unsere Mannschaft hat das Spiel gewonnen.
Der Test schlägt seit heute Morgen fehl.
Wer hat die Glühbirne erfunden?
Ich suche ein Geschenk für meine Nachbarin.
Fass den Artikel in drei Sätzen zusammen.
Meine Pflanzen lassen die Blätter hängen.
Wie heißt die Hauptstadt von Kanada?
Das war ein schöner Abend gestern.
Wie stelle ich die Uhr auf Sommerzeit um?
Mir ist langweilig, erzähl etwas Lustiges.
Welche Farbe passt zu dunklem Holz?
Der Motor springt bei Kälte schlecht an.
Bitte prüfe die Zeichensetzung in diesem Absatz.
Wie spät ist es in Tokio?
Danke, das hat mir sehr geholfen.
"""

_RUSSIAN = """
Доброе утро! Какая сегодня погода?
Как пишется слово «винегрет»?
Переведи это предложение на английский.
Сколько варить гречку?
Почему небо синее?
У меня сломался велосипед.
Напиши короткое поздравление с юбилеем.
Чем отличается стек от очереди?
Вчера наши выиграли со счётом три ноль.
Какие книги почитать летом?
Объясни, что такое интеграл.
Кто написал «Вишнёвый сад»?
Кран на кухне опять капает.
Отсортируй список по алфавиту.
Сколько километров от Земли до Луны?
Дети хотят в зоопарк.
Придумай имя для котёнка.
Я плохо спал этой ночью.
Как вывести пятно от вина?
Сократи этот абзац вдвое.
Тесты не проходят после обновления.
Расскажи анекдот.
Который час в Токио?
Мне нужен рецепт борща.
Что подарить сестре на свадьбу?
Как посадить розы осенью?
Экран телефона треснул.
Спасибо, всё получилось!
Какой фильм посмотреть вечером?
Исправь ошибки в этом письме.
"""

_CHINESE = """
早上好，今天天气怎么样？
帮我把这段话翻译成英文。
怎么煮鸡蛋不会裂开？
给我讲个笑话吧。
这道数学题怎么做？
北京到西安有多远？
推荐几本科幻小说。
我昨晚没睡好。
写一首关于秋天的诗。
什么是递归？
单元测试在本地能通过，在流水线上就失败了。
孩子想学钢琴，几岁开始合适？
电视遥控器没电了。
红烧肉要炖多久？
现在东京几点？
这篇文章太长了，缩短一半。
谁发明了电话？
我们队昨天赢了比赛。
给花浇水的频率是多少？
自行车的链条掉了。
明天提醒我去图书馆还书。
表格里的日期格式不对。
怎么把衣服上的油渍洗掉？
妹妹生日送什么礼物好？
请检查一下这句话的语法。
月亮为什么会有圆缺？
周末想去爬山。
这个函数能不能写得更短？
谢谢，帮了我大忙。
给我列一个购物清单的模板。
"""

_JAPANESE = """
おはよう、今日の天気はどうですか。
この文章を英語に訳してください。
卵焼きの作り方を教えて。
何か面白い話をして。
東京タワーの高さは何メートルですか。
昨日の試合は三対一で勝ちました。
再帰とは何ですか。
自転車のタイヤがパンクしました。
秋についての俳句を作ってください。
この段落を半分に短くして。
子どもが恐竜に夢中です。
単体テストが手元では通るのに失敗します。
今ニューヨークは何時ですか。
母の誕生日に何を贈ればいいでしょう。
おすすめの映画はありますか。
シャツの染みはどうやって落としますか。
表を日付順に並べ替えてください。
昨夜はよく眠れませんでした。
夏目漱石の代表作は何ですか。
植物に水をやりすぎたかもしれません。
この漢字の読み方がわかりません。
週末は山に登るつもりです。
味噌汁が薄すぎました。
敬語の使い方を直してください。
月はなぜ満ち欠けするのですか。
スマートフォンの画面が割れました。
ありがとう、とても助かりました。
ピアノを習い始めました。
図書館は何時まで開いていますか。
関数の名前を考えてください。
"""

UNRELATED: Final = tuple(
    line for text in (_ENGLISH, _GERMAN, _RUSSIAN, _CHINESE, _JAPANESE) for line in text.strip().split("\n")
)
