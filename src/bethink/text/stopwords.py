"""Words that say nothing about what a text is about."""

from __future__ import annotations

_WORDS = """
a about also am an and any are as at be been being but by can could did do does doing for from had has have having
he her hers him his how i if in into is it its just me might mine my no nor not of off on or our ours out over own
she should so some such than that the their theirs them then there these they this those through to too up us very
was we were what when where which while who whom whose why will with would you your yours
dont doesnt didnt isnt arent wasnt werent im ive id ill youre youve weve were theyre hes shes thats whats lets
please tell
"""
STOP_WORDS = frozenset(_WORDS.split())

# By language, where a word of one can be a word that tells in another: these count where a question is in the language.
OF_LANGUAGE = {
    language: tuple(words.split())
    for language, words in {
        "de": "der die das und ist nicht ein eine zu mit auf für von dem den im sich auch es wird als an werden wir ich"
        " einen einer eines einem hat haben habe hatte war waren sind wurde wurden sein ihre ihr sie er uns unser"
        " unsere mein meine am beim zum zur vom aus bei nach vor seit bis um über unter wie was wo wer wann warum"
        " welche welcher welches welchem welchen wofür womit woran wieso weshalb wem wen kann muss soll noch schon nur"
        " aber oder wenn weil dass immer jetzt in so du man denn da dort hier kein keine durch gegen viel viele oft",
        "fr": "le la les des et est une un dans que pour pas qui sur du de avec il elle nous ne ce au aux plus sont par"
        " je être cette où quand comment pourquoi quel quelle quels quelles notre nos votre mon ma mes son sa ses leur"
        " leurs a ont était été fait chez sans sous mais ou donc très y en se quoi combien est-ce",
        "es": "el la los las y es que en una un por con para no se del de lo como más está pero su al son esta hay fue"
        " muy qué cuál cuáles cuándo dónde quién cómo cuánto cuánta cuántos cuántas desde hasta sobre sin entre ya"
        " también porque nuestro nuestra nuestros nuestras mi sus le les nos ha han tiene tienen estaba están este esto"
        " ese hace hemos hacia a o e u yo tú él ella algún alguna qué",
        "it": "il di che è la per non una sono del con si le dei nel della gli ma più anche come alla questo ha ho lo"
        " un e i al dal dalla nella sul sulla delle degli quando dove chi cosa perché quale quali quanto quanti nostro"
        " nostra mio mia suo sua loro ci stato stata erano era in da a o",
        "pt": "o a os as e é que não uma um do da em para com por se na no mais dos das como mas foi ao são está você"
        " muito nos nas pelo pela quando onde quem qual quais quanto quantos porque nosso nossa meu minha seu sua seus"
        " suas ele ela eles já também tem de à",
        "nl": "de het een en van is niet in dat op te zijn voor met die aan er om ook naar wordt maar we bij heeft dit"
        " was waren hebben wat waar wie wanneer waarom hoe welke welk ons onze mijn haar hun zij hij ik je uit over"
        " door geen nog al als of tot worden werd",
        "sv": "och att det som en är på för inte med av den till har jag ett om vi var kan men så från de vid eller när"
        " vad vem varför vilken vilket vilka hur vår våra min mitt sin sina hans hennes hade blev i",
        "da": "og det er ikke en på at til af som med der for har jeg et vi den de var men om kan fra blev hvad også"
        " hvor hvem hvornår hvorfor hvilken hvilket vores min mit sin hans hendes havde i",
        "no": "og det er ikke en på å til av som med for har jeg et vi den de var men om kan fra ble hva også"
        " hvor hvem når hvorfor hvilken hvilket vår våre min mitt sin hans hennes hadde i",
        "fi": "ja on ei se että oli ovat mutta hän joka myös kun niin kuin tai sen olla tämä minä jos vain mitä sitä"
        " missä milloin miksi kuka mikä meidän minun hänen",
        "pl": "i w nie na się z do to jest że o jak ale za co od po przez tym dla jego są być ma tak już czy był"
        " gdzie kiedy kto dlaczego który która które nasz nasza mój moja jej ich przed pod nad oraz lub",
        "cs": "a je se v na to že s z do o ale jako pro za by jsem od po jsou byl když jak nebo není bude také který"
        " kde kdy kdo proč která které náš naše můj moje jeho její před pod nad i",
        "tr": "ve bir bu için ile de da ne daha çok gibi olarak var kadar değil ama en ben mi o her hangi nerede nereye"
        " nasıl neden niçin kim kaç zaman ki mı mu mü şu biz siz onlar bizim benim onun neyi neyle ne olan",
        "ro": "și de în a nu este la pe cu o un din care să mai pentru că se ce au sunt fi dar sau am"
        " unde când cine cum cât nostru noastră meu mea lui ei lor fost era",
        "hu": "a az és hogy nem is egy van ez azt volt meg de csak már mint vagy ha el még kell ki lesz"
        " hol mikor miért hogyan melyik milyen mi",
        "id": "yang dan di ini itu dengan untuk tidak dari dalam akan pada juga ke karena ada bisa oleh"
        " apa siapa kapan mana mengapa bagaimana",
        "vi": "và là của không có được cho một những trong với các đã này khi để ở cũng đến từ như gì đâu ai nào",
    }.items()
}

# Of the languages whose script tells them from the others.
OF_SCRIPT = """
и в во не на я он она оно они что с со как а то все это так его но да ты к у же вы за бы по ее мне было вот от из ему
был была были быть есть нет для о об мы наш наша наше нас вас их ее или если где когда кто чей какой какая какое какие
какую каком каким чем зачем почему отчего сколько куда откуда ли который которая которые
і та що як це де коли хто чому який яка яке які
ο η το οι τα του της των τον την τους τις στο στη στην στον στα στους στις σε με από για και να θα δεν είναι έχει ήταν
που πού πότε ποιος ποια ποιο ποιοι ποιες ποιον ποιαν πόσο πόσα πόσες πόσοι πώς τι γιατί μας σας μου σου ένα έναν μια
μία ενός ως αν κι πως εμείς
في من على إلى الى عن مع أن ان هل ما ماذا متى أين اين كيف لماذا كم أي اي بأي هذا هذه ذلك تلك التي الذي هو هي نحن أنا
كان كانت قد لقد ثم أو او أم ام لم لا لدى عند منذ كل بعد قبل
את של על עם אל לא זה זו זאת הוא היא הם הן אני אנחנו יש אין מה מי איפה היכן מתי למה מדוע איך איזה איזו אילו כמה לאיזה
באיזה מאיזה לגבי או גם כי כל אם היה הייתה היו שלנו שלי לנו בין כדי
का की के को से में पर ने है हैं था थी थे हो और या यह वह ये वे कि जो क्या कब कहाँ कौन किस किसने क्यों कैसे कैसा कैसी
कितना कितनी कितने सा सी हम हमारा हमारी हमारे मेरा मेरी मेरे उस इस एक भी तो ही लिए किन
"""

# What only joins other words: a question of these alone is about nothing, where one of question words or pronouns may
# be. Words that have another meaning in their language or in English are left out (`die`, `in`; 이, a tooth).
JOINING = """
der das und den dem des von vom zu zum zur mit für auf aus bei beim im ein eine einen einem einer eines oder ins
el los las la de del y en un una unos unas para con que lo al o sin sobre
ve bir bu şu ile için de da ki mi mı mu mü ya veya ise
и в во на с со а но о об по за от из у к ко для же ли бы да до при без под над не или
ο η το οι τα του της των τον την τους τις στο στη στην στον στα στους στις σε με από για και να θα δεν ή
في من على إلى عن مع أن إن قد ثم أو أم و ال ب ل
של את על עם אל או גם כי ב ל מ ה ו ש כ
का की के को से में पर ने है हैं और या कि तो ही भी
の は が を に へ と で も や か ね よ から まで より など には では とは でも からも です ですか ます
的 了 是 在 和 与 與 吗 嗎 呢 吧 着 也 的了
은 는 을 를 의 에 와 로 으로 에서 에게 까지 부터 하고 에는 에서는 이다 입니다 입니까
ของ ที่ และ หรือ กับ ใน จาก เป็น คือ ให้ ว่า ก็ แต่ โดย เพื่อ ซึ่ง นะ ครับ ค่ะ
"""
# Of those, what can be a name or another word where it stands alone: MIT, the UN, Al.
JOINING_OR_NAMES = "al bei bu con da den im ki la lo mi mit mu o para que sin sobre un von y ya zu"
