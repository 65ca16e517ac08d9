"""Golden questions asked, made and used to calibrate: the production recall, and nothing that counts as read."""

import pytest

from bethink.errors import Forbidden, InvalidRequest, Unsupported
from bethink.principal import Permission, confined
from tests.operations.test_recall import fill

WORDS = ("crane", "ledger", "violin", "harbour", "lantern", "orchard", "saddle", "compass", "thimble", "anvil")


async def stocked(memory, count=60, namespace="user:ann"):
    items = [
        {"content": f"The {WORDS[n % 10]} number {n:03} of row {n * 7} was painted by worker w{n:03} in hall h{n * 3}."}
        for n in range(count)
    ]
    await memory.store_many(items, namespace=namespace)


async def test_an_answer_is_known_by_id_handle_source_or_a_phrase_of_it(memory):
    kept = await memory.store("The red crane stands at the pier.")
    await memory.store("The office has two\nfloors.", source={"id": "doc-7"})

    found = await memory.evaluate(
        [
            {"question": "where is the red crane?", "expected": [kept.id]},
            {"question": "the crane at the pier", "expected": [kept.handle]},
            {"question": "how many floors has the office?", "sources": ["doc-7"]},
            {"question": "floors of the office", "phrases": ["OFFICE has two floors"]},
            {"question": "quokka habitat", "unanswerable": "off_topic"},
        ]
    )

    assert found.asked == {"answerable": 4, "off_topic": 1}
    assert {name: found.figures[name] for name in ("hit@1", "recall@10", "mrr", "ndcg@10", "off_topic_refused")} == {
        "hit@1": 1, "recall@10": 1, "mrr": 1, "ndcg@10": 1, "off_topic_refused": 1,
    }  # fmt: skip
    assert [one.ranks for one in found.outcomes] == [(1,), (1,), (1,), (1,), ()]


async def test_a_miss_is_listed_with_what_came_instead(memory):
    crane, _ = await fill(memory, "The red crane stands at the pier.", "The office has two floors.")

    found = await memory.evaluate([{"question": "red crane", "phrases": ["quokka"]}])

    (missed,) = found.missed
    assert [(seen.handle, seen.title) for seen in missed.instead] == [(crane, "The red crane stands at the pier")]
    assert "missed: red crane" in found.compact()


async def test_a_memory_that_another_stands_for_with_the_same_text_is_found(memory):
    turns = [{"content": "The crane is red.", "kind": "turn", "source": {"id": str(n)}} for n in range(2)]
    await memory.store_many(turns)
    second = (await memory.recall("red crane", min_score=0)).hits[0].same_text[0]

    assert (await memory.evaluate([{"question": "red crane", "expected": [second]}])).figures["hit@1"] == 1


@pytest.mark.failure("F251")
async def test_asking_golden_questions_counts_as_no_read_and_leaves_no_gap(hashing):
    kept = await hashing.store("The red crane stands at the pier.")

    await hashing.evaluate(
        [{"question": "red crane", "expected": [kept.id]}, {"question": "quokka", "unanswerable": "off_topic"}]
    )
    await hashing.golden(1)

    assert (hashing.ports.journal.shown, hashing.ports.journal.gaps) == ([], [])
    await hashing.recall("red crane")
    assert len(hashing.ports.journal.shown) == 1


async def test_a_question_is_asked_with_its_filters(memory):
    await memory.store("The red crane.", tags=["old"])

    found = await memory.evaluate(
        [
            {"question": "red crane", "phrases": ["red crane"], "filters": {"tags": ["old"]}},
            {"question": "red crane", "phrases": ["red crane"], "filters": {"tags": ["new"]}},
        ]
    )

    assert [one.ranks for one in found.outcomes] == [(1,), ()]


async def test_an_expected_memory_that_is_not_in_reach_is_named(memory):
    await memory.store("The red crane.")
    gone = "01890000-0000-7000-8000-00000badc0de"

    found = await memory.evaluate([{"question": "red crane", "expected": [gone]}])

    assert (found.unknown, found.figures["hit@1"]) == ((gone,), 0.0)


@pytest.mark.parametrize(
    ("questions", "said"),
    [
        ([], "questions: it is empty"),
        ([{"question": " ", "phrases": ["x"]}], "questions.0.question: it is blank"),
        ([{"question": "x"}], "questions.0: it has no answer"),
        ([{"question": "x", "phrases": ["y"], "unanswerable": "near"}], "questions.0: it has an answer and is unansw"),
        ([{"question": "x", "unanswerable": "never"}], "questions.0.unanswerable: 'never' is not accepted"),
        ([{"question": "x", "answer": "y"}], "questions.0: 'answer' is not a part of it"),
        ([{"question": "x", "phrases": ["y"]}] * 2, "questions.1.question: it is asked already in questions.0"),
        ([{"question": "x", "phrases": ["y"], "filters": {"colour": "red"}}], "questions.0.filters: 'colour'"),
        ([{"question": "x", "phrases": ["y"], "filters": {"limit": 3}}], "questions.0.filters: 'limit'"),
        ([{"question": "x", "phrases": ["y"], "filters": {"query": "z"}}], "questions.0.filters: 'query'"),
        (
            [{"question": "x", "phrases": ["y"], "filters": {"tags": "a", "min_score": 2}}],
            "questions.0.filters: min_sc",
        ),
        ([{"question": "x", "phrases": ["y"], "filters": {"since": "soon"}}], "questions.0: since"),
        ([{"question": "x", "expected": ["not an id"]}], "'not an id' is not an id"),
    ],
)
async def test_a_set_that_is_wrong_is_refused_and_says_where(memory, questions, said):
    with pytest.raises(InvalidRequest, match=said.replace("(", ".")) as wrong:
        await memory.evaluate(questions)

    assert wrong.value.hint


# Questions that the store makes.


async def test_a_made_question_is_a_phrase_of_one_memory_alone_and_finds_it(memory):
    await stocked(memory)
    await fill(
        memory, *["Good morning everybody, how are you all today?", "Good morning everybody, how are you all now?"]
    )

    golden = await memory.golden(20, seed=3)

    own = [one for one in golden.questions if one.kind == "answerable"]
    assert (golden.overlap, golden.seed, len(own)) == (True, 3, 20)
    found = await memory.evaluate([one.model_dump() for one in golden.questions])
    assert found.figures["hit@1"] == 1.0
    assert found.figures["off_topic_refused"] == 1.0


async def test_the_same_seed_makes_the_same_questions_and_another_others(memory):
    await stocked(memory)

    first, again, other = [await memory.golden(10, seed=seed) for seed in (1, 1, 2)]

    assert first == again
    assert {q.question for q in first.questions if q.answers} != {q.question for q in other.questions if q.answers}


async def test_what_the_store_is_about_is_not_asked_as_off_topic(memory):
    await stocked(memory)
    before = await memory.golden(1)
    await memory.store("A snapping turtle stays under the ice for the long winter.")

    after = await memory.golden(1)

    gone = {q.question for q in before.questions if not q.answers} - {
        q.question for q in after.questions if not q.answers
    }
    assert gone == {"How long does a snapping turtle stay under the ice in winter?"}


async def test_a_store_without_a_phrase_of_its_own_makes_no_question(memory):
    with pytest.raises(InvalidRequest, match="no memory in reach holds a phrase of its own"):
        await memory.golden(5)


# Calibration.


async def test_a_calibration_measures_and_changes_nothing_until_it_is_applied(memory):
    await stocked(memory)

    dry = await memory.calibrate()
    before = (await memory.namespaces()).namespaces[0].floor
    kept = await memory.calibrate(apply=True)

    assert (dry.applied, before, kept.applied) == (False, None, True)
    assert dry.model_copy(update={"applied": True}) == kept
    assert 0 <= dry.floor.floor < dry.floor.own_p50
    assert dry.before == {"floor": None}
    assert (await memory.namespaces()).namespaces[0].floor == dry.after["floor"]
    assert "to undo: memory_namespaces, action update, floor null" in kept.compact()


async def test_what_was_applied_is_undone_by_the_settings_that_it_names(memory):
    await stocked(memory)
    await memory.namespaces("update", path="user:ann", floor=0.4, description="Ann's")
    kept = await memory.calibrate(apply=True)

    await memory.namespaces("update", path="user:ann", **kept.before)

    (namespace,) = (await memory.namespaces()).namespaces
    assert (namespace.floor, namespace.description) == (0.4, "Ann's")


async def test_golden_questions_also_measure_the_labels(memory):
    await stocked(memory, 120)
    made = await memory.golden(60)

    found = await memory.calibrate([one.model_dump() for one in made.questions], apply=True)

    assert (found.overlap, found.labels.questions, found.labels.high_right) == (False, 60, 1.0)
    (namespace,) = (await memory.namespaces()).namespaces
    assert (namespace.high_from, namespace.medium_from) == (found.after["high_from"], found.after["medium_from"])


async def test_the_thresholds_of_a_namespace_decide_its_labels_alone(memory):
    await fill(memory, "The red crane stands at the pier.")
    await memory.store("The red crane of the team.", namespace="team:acme")
    asked = {"namespaces": ["user:ann", "team:acme"], "min_score": 0}
    before = {h.text: h.confidence_label for h in (await memory.recall("red crane", **asked)).hits}

    await memory.namespaces("update", path="team:acme", high_from=1.0, medium_from=1.0)

    after = {h.text: h.confidence_label for h in (await memory.recall("red crane", **asked)).hits}
    changed = {text for text in after if after[text] != before[text]}
    assert changed == {"The red crane of the team."}
    assert after["The red crane of the team."] == "low"


async def test_too_little_is_refused_with_how_much_is_needed(memory):
    await stocked(memory, 12)

    with pytest.raises(InvalidRequest, match="a floor needs 30 phrases that one memory alone holds; here are 12"):
        await memory.calibrate()
    with pytest.raises(InvalidRequest, match="a floor needs 30 golden questions whose answer is found; here are 1"):
        await memory.calibrate([{"question": "crane number 000", "phrases": ["number 000"]}])


async def test_a_calibration_is_for_who_manages_the_namespace(memory):
    await stocked(memory, 60, "team:acme")
    reader = memory.as_(confined("team:acme"))
    manager = memory.as_(confined("team:acme", permissions=frozenset({Permission.write, Permission.admin})))

    with pytest.raises(Unsupported):
        await reader.calibrate()
    found = await manager.calibrate()

    assert found.namespace is None
    assert "team:acme" not in found.compact() + found.model_dump_json()
    with pytest.raises(Forbidden):
        await manager.calibrate(namespace="user:ann")
