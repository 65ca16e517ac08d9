"""Sentences end where their script ends them, and nowhere else."""

import pytest

from bethink.text.sentences import sentences

MULTILINGUAL = [
    ("It works. It is fast! Is it? Yes.", ["It works.", "It is fast!", "Is it?", "Yes."]),
    ('He said "Stop." Then he left.', ['He said "Stop."', "Then he left."]),
    ("Wait... what? (Really!) Yes", ["Wait... what?", "(Really!)", "Yes"]),
    ("Version 3.5 of node.js runs. See docs.", ["Version 3.5 of node.js runs.", "See docs."]),
    ("Dr. Lee met J. Smith, e.g. on May 3. They spoke.", ["Dr. Lee met J. Smith, e.g. on May 3.", "They spoke."]),
    ("- one thing\n- another thing\n\nAn end", ["- one thing", "- another thing", "An end"]),
    ("場所は東京！本当ですか？「はい。」そうです", ["場所は東京！", "本当ですか？", "「はい。」", "そうです"]),
    ("部署在周二。为什么？因为冻结。", ["部署在周二。", "为什么？", "因为冻结。"]),
    ("배포는 화요일입니다. 왜요? 동결 때문입니다.", ["배포는 화요일입니다.", "왜요?", "동결 때문입니다."]),
    ("ฉันชอบชา เธอชอบกาแฟ", ["ฉันชอบชา", "เธอชอบกาแฟ"]),
    ("متى النشر؟ يوم الثلاثاء. لماذا؟ بسبب التجميد۔", ["متى النشر؟", "يوم الثلاثاء.", "لماذا؟", "بسبب التجميد۔"]),
    ("परिनियोजन मंगलवार को है। क्यों? क्योंकि।", ["परिनियोजन मंगलवार को है।", "क्यों?", "क्योंकि।"]),
    ("Релиз во вторник. Почему? Заморозка…", ["Релиз во вторник.", "Почему?", "Заморозка…"]),
    ("ካልጋ ወደ። ነው፧ አዎ።", ["ካልጋ ወደ።", "ነው፧", "አዎ።"]),
    ("", []),
    (" \n ", []),
    ("...", ["..."]),
]  # fmt: skip


@pytest.mark.failure("F243")
@pytest.mark.parametrize(("text", "expected"), MULTILINGUAL)
def test_a_text_is_parted_into_its_sentences(text, expected):
    spans = sentences(text)

    assert [text[start:stop] for start, stop in spans] == expected


def test_what_is_short_is_joined_to_what_follows_on_its_line():
    text = "Yes! It runs on Tuesdays.\nNo.\nIt was moved in May."

    spans = sentences(text, 10)

    assert [text[start:stop] for start, stop in spans] == ["Yes! It runs on Tuesdays.", "No.", "It was moved in May."]
