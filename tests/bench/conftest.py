import json
import lzma

import pytest

TURNS = {
    "D1:1": ("Ann", "I planted four apple trees behind the house."),
    "D1:2": ("Bob", "Lovely! Mine were eaten by deer."),
    "D1:3": ("Ann", "You should put up a fence."),
    "D2:1": ("Bob", "My sister Clara moved to Lisbon in March."),
    "D2:2": ("Ann", "Does she like the trams there?"),
}
QUESTIONS = [
    {"question": "Where does Clara live?", "evidence": ["D2:1"], "category": 1},
    {"question": "What did Ann plant behind the house?", "evidence": ["D1:1; D1:3"], "category": 4},
    {"question": "Which boat did Bob buy?", "evidence": ["D2:1"], "category": 5},
]


def talk(name):
    sessions = {number: [i for i in TURNS if i.startswith(f"D{number}:")] for number in (1, 2)}
    conversation = {
        f"session_{number}": [{"dia_id": i, "speaker": TURNS[i][0], "text": TURNS[i][1]} for i in ids]
        for number, ids in sessions.items()
    }
    conversation["session_1"][1]["blip_caption"] = "a bare trunk"
    conversation["session_1_date_time"] = "1:56 pm on 8 May, 2023"
    observed = {
        "session_1_observation": {"Ann": [["Ann planted trees.", "D1:1, D1:3"], ["Ann has a fence.", ["D1:3"]]]}
    }
    return {"sample_id": name, "conversation": conversation, "qa": QUESTIONS, "observation": observed}


def question(name, asked, answer):
    return {
        "question_id": name,
        "question_type": "single-session-user",
        "question": asked,
        "question_date": "2023/05/23 (Tue) 09:00",
        "haystack_session_ids": ["s1", "s2"],
        "haystack_dates": ["2023/05/20 (Sat) 02:21", "2023/05/21 (Sun) 10:00"],
        "answer_session_ids": [answer],
    }


SESSIONS = {
    "s1": [
        {"role": "user", "content": "I adopted a greyhound called Pixel last week."},
        {"role": "assistant", "content": "Congratulations! Greyhounds sleep a lot."},
    ],
    "s2": [{"role": "user", "content": "How do I bake a loaf of rye bread without yeast?"}],
}
CHAT = {
    "chat": "c1",
    "messages": [
        {"id": 0, "role": "user", "time": "March-15-2024", "text": "My first sprint ends on 29 March."},
        {"id": 1, "role": "assistant", "time": None, "text": "Noted. Which framework do you use?"},
        {"id": 2, "role": "user", "time": "April-02-2024", "text": "Flask, with a SQLite file behind it."},
    ],
    "questions": [
        {"id": "a", "ability": "information_extraction", "question": "When does my first sprint end?", "gold": [0]},
        {"id": "b", "ability": "abstention", "question": "What is my cat called?", "gold": []},
    ],
}
DOCUMENTS = [
    {"_id": "d1", "title": "Statins", "text": "They lower serum cholesterol in most patients."},
    {"_id": "d2", "title": "", "text": "BRCA1 takes part in the repair of DNA."},
]
CLAIMS = ["Statins lower serum cholesterol.", "BRCA1 repairs DNA breaks."]
ASKED = [
    question("q1", "What is the name of my greyhound?", "s1"),
    question("q2", "Which bread did I want to bake?", "s2"),
]


@pytest.fixture
def data(tmp_path, monkeypatch):
    """The data of every benchmark, a few lines of each, and a cache beside it."""
    monkeypatch.setenv("BETHINK_BENCH_CACHE", str(tmp_path / "cache"))
    for folder in ("beam", "locomo", "longmemeval", "retrieval/scifact"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "locomo/locomo.json").write_text(json.dumps([talk(f"talk-{n}") for n in range(4)]), "utf-8")
    claims = [{"_id": str(n), "text": text} for n, text in enumerate(CLAIMS)]
    (tmp_path / "retrieval/scifact/queries.jsonl").write_text("\n".join(map(json.dumps, claims)), "utf-8")
    corpus = "\n".join(map(json.dumps, DOCUMENTS))
    (tmp_path / "retrieval/scifact/corpus.jsonl").write_text(corpus, "utf-8")
    graded = "query-id\tcorpus-id\tscore\n0\td1\t1\n0\td2\t0\n1\td2\t1\n"
    (tmp_path / "retrieval/scifact/qrels.tsv").write_text(graded, "utf-8")
    with lzma.open(tmp_path / "beam/100k.jsonl.xz", "wt", encoding="utf-8") as lines:
        lines.write(json.dumps(CHAT) + "\n")
    with lzma.open(tmp_path / "longmemeval/sessions.jsonl.xz", "wt", encoding="utf-8") as lines:
        lines.writelines(json.dumps({"id": name, "turns": turns}) + "\n" for name, turns in SESSIONS.items())
    (tmp_path / "longmemeval/questions.json").write_text(json.dumps(ASKED), "utf-8")
    return tmp_path
