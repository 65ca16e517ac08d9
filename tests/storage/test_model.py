"""Any calls in any order by two callers, against a dictionary: nothing is lost, nothing is shown to the wrong one."""

import asyncio
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from bethink.errors import BethinkError, Conflict, Forbidden, InvalidRequest, NotFound
from bethink.principal import AccessLevel, Permission, confined, owner
from bethink.testing import HashingEmbedder
from bethink.text.clean import clean
from bethink.text.tags import fold_tag
from tests.bed import Clock, Ids, memory_at
from tests.storage.conftest import IN_MEMORY
from tests.storage.drafts import flaws

SHARED, BOTS, ANNS = "team:acme", "team:acme/agent:bot", "user:ann"
OWNER, BOT = "owner", "bot"
CALLERS = {OWNER: owner(SHARED, home=ANNS, agent="cli"), BOT: confined(BOTS, permissions=[Permission.write])}
WHERE = {OWNER: {SHARED, ANNS}, BOT: {SHARED, BOTS}}

AWKWARD = [
    "", '"', "'; drop table memory;--", "NEAR(", "a AND NOT b", "%_\\[", "\x00", "\ud800", "\u202eabc", "é" * 70,
    "e\u0301" * 70, "\U0001f468\u200d\U0001f469", "成语接龙", "--flag", "a\r\nb", "{{x}} {0} %s", "x" * 5000, "\ufeff",
    "word " * 300, "\n\n# \n",
]  # fmt: skip
HOSTILE = st.sampled_from(AWKWARD) | st.text(max_size=30)
TAGS = st.lists(st.sampled_from(["a", "A", "ß", "SS", "b%", "e\u0301", "é", "\x00t"]), max_size=3)
LEVELS = st.sampled_from([AccessLevel.internal, AccessLevel.confidential])
PLACES = st.sampled_from([SHARED, BOTS, ANNS])
WHO = st.sampled_from([OWNER, BOT])


EDGES = st.sampled_from(["caused_by", "related_to", "parent_of", "child_of"])


def as_kept(source, kind, target):
    return (target, "parent_of", source) if kind == "child_of" else (source, kind, target)


@dataclass
class Kept:
    namespace: str
    author: str | None
    word: str
    content: str
    tags: list
    level: AccessLevel
    status: str = "active"
    versions: list = field(default_factory=list)

    @property
    def identity(self):
        return self.namespace, self.author, self.level, clean(self.content)[0]

    @property
    def folded(self):
        return {fold_tag(clean(tag)[0]) for tag in self.tags}

    def reached(self, caller):
        return (caller == OWNER or self.namespace in WHERE[BOT]) and self.level.rank <= CALLERS[caller].ceiling.rank

    def searched(self, caller):
        return self.namespace in WHERE[caller] and self.level.rank <= CALLERS[caller].ceiling.rank

    def place(self, caller):
        return self.namespace in WHERE[caller]

    def changed(self, caller):
        return self.reached(caller) and (caller == OWNER or self.namespace == BOTS)


def spelled(number):
    """A word for each number that no analyzer takes apart, no other text holds and no other word is a slip of."""
    return "qx" + "".join(3 * "bcdfghjklm"[int(digit)] for digit in f"{number:05}")


class Calls(RuleBasedStateMachine):
    embedder = None

    @initialize()
    def open(self):
        self.loop = asyncio.new_event_loop()
        self.folder = tempfile.TemporaryDirectory(dir=IN_MEMORY if IN_MEMORY.is_dir() else None)
        self.path = Path(self.folder.name) / "memories.db"
        self.clock, self.ids, self.kept, self.gone, self.count = Clock(), Ids(), {}, [], 0
        self.edges = set()
        self.opened = [self.process(), self.process()]

    def process(self):
        embedder = HashingEmbedder() if self.embedder else None
        options = {"clock": self.clock, "ids": self.ids, "embedder": embedder, "seal_at": 3}
        return memory_at(self.path, principal=CALLERS[OWNER], **options)

    def run(self, coroutine):
        return self.loop.run_until_complete(coroutine)

    def raises(self, coroutine):
        """Return the class of the error that a call ends in, None for none."""
        try:
            self.run(coroutine)
        except BethinkError as error:
            return type(error)
        return None

    def by(self, caller):
        """Take turns between the processes."""
        self.opened.reverse()
        return self.opened[0].as_(CALLERS[caller])

    def new(self, text, caller, namespace, tags=(), level=AccessLevel.internal):
        self.count += 1
        word = spelled(self.count)
        author = None if caller == OWNER else CALLERS[BOT].author
        return Kept(namespace if caller == OWNER else BOTS, author, word, f"{text} {word}", list(tags), level)

    def one(self, n):
        return sorted(self.kept)[n % len(self.kept)]

    @rule(caller=WHO, text=HOSTILE, namespace=PLACES, tags=TAGS, level=LEVELS)
    def store(self, caller, text, namespace, tags, level):
        new = self.new(text, caller, namespace, tags, level)
        where = {"namespace": namespace} if caller == OWNER else {}

        call = self.by(caller).store(new.content, tags=tags, access_level=level, **where)
        if level.rank > CALLERS[caller].ceiling.rank:
            assert self.raises(call) is Forbidden
            return
        done = self.run(call)

        assert (done.stored, done.action, done.id in self.kept, done.id in self.gone) == (True, "add", False, False)
        self.kept[done.id] = new

    @rule(caller=WHO, texts=st.lists(HOSTILE, min_size=1, max_size=3), namespace=PLACES)
    def store_many(self, caller, texts, namespace):
        new = [self.new(text, caller, namespace) for text in texts]
        where = {"namespace": namespace} if caller == OWNER else {}

        done = self.run(self.by(caller).store_many([{"content": m.content} for m in new], **where))

        assert (done.stored, done.rejected) == (len(new), 0)
        for m in new:
            self.kept[self.find(OWNER, m.word, [m.namespace])[0]] = m

    def find(self, caller, word, namespaces=None):
        named = {"namespaces": namespaces} if namespaces else {}
        options = {"mode": "keyword", "min_score": 0, "detail": "full", "limit": 50}
        return [hit.id for hit in self.run(self.by(caller).recall(word, **options, **named)).hits]

    @precondition(lambda self: self.kept)
    @rule(n=st.integers(0, 99))
    def store_again(self, n):
        kept = self.kept[self.one(n)]
        caller = BOT if kept.author else OWNER
        where = {"namespace": kept.namespace} if caller == OWNER else {}

        done = self.run(self.by(caller).store(kept.content, access_level=kept.level, **where))

        live = [i for i, m in self.kept.items() if m.identity == kept.identity and m.status == "active"]
        assert ([done.id], done.replayed) == (live or [done.id], bool(live))
        if not live:
            self.kept[done.id] = Kept(kept.namespace, kept.author, kept.word, kept.content, [], kept.level)

    @precondition(lambda self: self.kept)
    @rule(caller=WHO, n=st.integers(0, 99), text=HOSTILE, tags=st.none() | TAGS)
    def update(self, caller, n, text, tags):
        key, new = self.one(n), self.new(text, caller, SHARED)
        kept = self.kept[key]
        given = {} if tags is None else {"tags": tags}

        failed = self.raises(self.by(caller).update(key, content=new.content, **given))

        assert failed is self.refused(kept, caller)
        if failed is None:
            kept.versions.append(kept.content)
            kept.content, kept.word = new.content, new.word
            kept.tags = kept.tags if tags is None else tags

    def refused(self, kept, caller):
        if not kept.changed(caller):
            return Forbidden if kept.reached(caller) else NotFound
        return InvalidRequest if kept.status == "retired" else None

    @precondition(lambda self: self.kept)
    @rule(caller=WHO, ns=st.lists(st.integers(0, 99), min_size=1, max_size=3))
    def retire(self, caller, ns):
        ids = list(dict.fromkeys(self.one(n) for n in ns))

        done = self.run(self.by(caller).forget(ids))

        mine = [i for i in ids if self.kept[i].changed(caller)]
        assert list(done.retired) == [i for i in mine if self.kept[i].status == "active"]
        assert list(done.unchanged) == [i for i in mine if self.kept[i].status == "retired"]
        assert list(done.missing) == [i for i in ids if not self.kept[i].reached(caller)]
        assert list(done.skipped) == [i for i in ids if i not in mine and i not in done.missing]
        for key in done.retired:
            self.retired(key)

    def retired(self, key):
        self.kept[key].status = "retired"
        self.kept[key].versions.append(self.kept[key].content)

    @precondition(lambda self: self.kept)
    @rule(caller=WHO, n=st.integers(0, 99))
    def restore(self, caller, n):
        key = self.one(n)
        kept = self.kept[key]
        taken = any(m.identity == kept.identity and m.status == "active" for i, m in self.kept.items() if i != key)

        failed = self.raises(self.by(caller).restore([key]))

        back = kept.changed(caller) and kept.status == "retired"
        assert failed is (Conflict if back and taken else None)
        if back and not taken:
            kept.status = "active"
            kept.versions.append(kept.content)

    @precondition(lambda self: self.kept)
    @rule(ns=st.lists(st.integers(0, 99), min_size=1, max_size=2), changed=st.booleans())
    def erase(self, ns, changed):
        ids = list(dict.fromkeys(self.one(n) for n in ns))
        token = self.run(self.by(OWNER).forget(ids, hard=True)).preview.token
        changed = changed and self.kept[ids[0]].status == "active"
        if changed:
            self.run(self.by(OWNER).update(ids[0], confidence=0.1 + len(self.kept[ids[0]].versions) / 1000))
            self.kept[ids[0]].versions.append(self.kept[ids[0]].content)

        failed = self.raises(self.by(OWNER).forget(ids, hard=True, token=token))

        assert failed is (Conflict if changed else None)
        for key in [] if failed else ids:
            del self.kept[key]
            self.gone.append(key)
            self.edges = {edge for edge in self.edges if key not in edge}

    @precondition(lambda self: self.kept)
    @rule(caller=WHO, ns=st.tuples(st.integers(0, 99), st.integers(0, 99)), kind=EDGES)
    def relate(self, caller, ns, kind):
        source, target = map(self.one, ns)

        call = self.by(caller).relate(source, target, kind)
        unseen = not (self.kept[source].reached(caller) and self.kept[target].reached(caller))
        if unseen or source == target:
            assert self.raises(call) is (NotFound if unseen else InvalidRequest)
            return
        (done,) = self.run(call).edges

        edge, allowed = as_kept(source, kind, target), self.kept[source].changed(caller)
        assert done.outcome == ("skipped" if not allowed else "unchanged" if edge in self.edges else "drawn")
        self.edges |= {edge} if allowed else set()

    @precondition(lambda self: self.kept)
    @rule(
        caller=WHO,
        ns=st.tuples(st.integers(0, 99), st.integers(0, 99)),
        kinds=st.tuples(EDGES, st.none() | EDGES),
        reverse=st.booleans(),
        at_one=st.booleans(),
    )
    def unrelate(self, caller, ns, kinds, reverse, at_one):
        kind, retype = kinds
        source, target = map(self.one, ns)
        if at_one and self.edges:
            source, kind, target = sorted(self.edges)[ns[0] % len(self.edges)]

        (done,) = self.run(self.by(caller).unrelate(source, target, kind, retype=retype, reverse=reverse)).edges

        before = as_kept(source, kind, target)
        ends = (target, source) if reverse else (source, target)
        after = as_kept(ends[0], retype or kind, ends[1]) if retype or reverse else None
        seen = self.kept[source].reached(caller) and self.kept[target].reached(caller)
        if not seen or before not in self.edges:
            assert done.outcome == "not_found"
        elif after == before:
            assert done.outcome == "unchanged"
        elif not all(self.kept[end].changed(caller) for end in {source, ends[0]}):
            assert done.outcome == "skipped"
        else:
            assert (done.outcome == "merged") == (after in self.edges)
            assert (done.outcome == "deleted") == (after is None)
            self.edges = self.edges - {before} | ({after} if after else set())

    @rule(caller=WHO, question=HOSTILE)
    def ask_anything(self, caller, question):
        if clean(question)[0].strip():
            hits = self.run(self.by(caller).recall(question, min_score=0, detail="full", limit=50)).hits
            assert all(self.kept[hit.id].searched(caller) and self.kept[hit.id].status == "active" for hit in hits)

    @rule(caller=WHO, tag=st.sampled_from(["a", "ss", "É", "B%"]), size=st.sampled_from([1, 2, 50]))
    def page_through(self, caller, tag, size):
        seen, cursor = [], None
        while cursor is not None or not seen:
            page = self.run(self.by(caller).list(tags=[tag], status=["any"], limit=size, cursor=cursor, detail="full"))
            seen += [one.id for one in page.memories]
            cursor = page.cursor
            if cursor is None:
                break
        expected = [
            i
            for i in sorted(self.kept, reverse=True)
            if self.kept[i].searched(caller) and fold_tag(tag) in self.kept[i].folded
        ]
        assert (sorted(seen, reverse=True), page.total) == (expected, len(expected))

    @rule()
    def start_anew(self):
        self.run(self.opened.pop().close())
        self.opened.append(self.process())

    @invariant()
    def counts_agree(self):
        for caller in (OWNER, BOT):
            seen = [m for m in self.kept.values() if m.searched(caller)]
            stats = self.run(self.by(caller).stats())
            statuses = {
                "active": sum(m.status == "active" for m in seen),
                "retired": sum(m.status == "retired" for m in seen),
            }
            assert (stats.memories, stats.by_status) == (len(seen), {s: n for s, n in statuses.items() if n})

    @invariant()
    def edges_agree(self):
        for caller in (OWNER, BOT):
            seen = {e for e in self.edges if self.kept[e[0]].reached(caller) and self.kept[e[2]].reached(caller)}
            got = self.run(self.by(caller).get(list(self.kept)[-200:], relations=True)) if self.kept else None
            assert {(r.source, r.type.value, r.target) for r in (got.relations if got else ())} == seen
            near = {e for e in seen if self.kept[e[0]].place(caller) or self.kept[e[2]].place(caller)}
            assert self.run(self.by(caller).edges()).total == len(near)

    @invariant()
    def each_is_read_by_those_who_may_alone(self):
        ids = [*self.kept, *self.gone][-200:]
        for caller in (OWNER, BOT) if ids else ():
            got = self.run(self.by(caller).get(ids, versions=True))
            expected = [i for i in ids if i in self.kept and self.kept[i].reached(caller)]
            assert [m.id for m in got.memories] == expected
            assert set(got.missing) == set(ids) - set(expected)
            for m in got.memories:
                kept = self.kept[m.id]
                assert (m.content, m.status, m.version) == (clean(kept.content)[0], kept.status, len(kept.versions) + 1)
                assert [v.content for v in got.versions[m.id]] == [clean(text)[0] for text in kept.versions]

    @invariant()
    def the_newest_are_found_by_their_words_alone(self):
        for key in sorted(self.kept)[-3:]:
            self.found_as_it_should_be(key)

    def found_as_it_should_be(self, key):
        kept = self.kept[key]
        same = [i for i, m in self.kept.items() if m.word == kept.word and m.status == "active"]
        for caller in (OWNER, BOT):
            found = self.find(caller, kept.word)
            assert set(found) <= {i for i in same if self.kept[i].searched(caller)}
            assert bool(found) == any(self.kept[i].searched(caller) for i in same)

    def teardown(self):
        for key in self.kept:
            self.found_as_it_should_be(key)
        assert flaws(self.path) == []
        for memory in self.opened:
            self.run(memory.close())
        self.loop.close()
        self.folder.cleanup()


class CallsWithMeaning(Calls):
    embedder = "hashing"


def test_any_calls_by_keyword_agree_with_a_dictionary():
    run_state_machine_as_test(Calls, settings=settings(max_examples=15, stateful_step_count=20, deadline=None))


def test_any_calls_with_vectors_agree_with_a_dictionary():
    run_state_machine_as_test(
        CallsWithMeaning, settings=settings(max_examples=8, stateful_step_count=20, deadline=None)
    )
