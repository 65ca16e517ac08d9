"""Two texts that sound alike: which differences are facts."""

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bethink.intake.facts import differs_in_fact

ONE_FACT = {
    "spelling": ("Deploys go out from main.", "deploys  go out\nfrom main!"),
    "typographic marks": ("Tom's key isn't here.", "Tom’s key isn’t here"),
    "marks of code": ("Run `make seed` on db_main.", "Run make seed on db_main"),
    "order of clauses": ("Ada owns search, Jo owns billing.", "Jo owns billing; Ada owns search."),
    "order of sentences": ("It is cached. Nobody reads it.", "Nobody reads it. It is cached."),
    "a part moved to the front": ("Nora writes the news on Monday.", "On Monday Nora writes the news."),
    "filler": ("Port 8443 is used by metrics.", "Note: port 8443 is currently used by metrics."),
    "inflection": ("Priya works from Lisbon.", "Priya is working from Lisbon."),
    "a near synonym": ("We chose Redis.", "We picked Redis."),
    "another denial": ("The key does not expire.", "The key doesn't expire."),
    "an abbreviation": ("The k8s config is in the repo.", "The Kubernetes configuration is in the repository."),
    "a number as a word": ("There are 3 replicas.", "There are three replicas."),
    "a thousands separator": ("It holds 10,000 rows.", "It holds 10000 rows."),
    "a thousand as k": ("It holds 10k rows.", "It holds 10,000 rows."),
    "a unit cut short": ("It takes 5 min and 25MB.", "It takes 5 minutes and 25 megabytes."),
    "a v before a version": ("Upgrade to v2.3.", "Upgrade to 2.3."),
    "the clock": ("Standup at 9 am, retro at 2:30 pm.", "Standup at 09:00, retro at 14:30."),
    "a weekday cut short": ("No deploys on Fri.", "No deploys on Friday."),
    "full width": ("会議は１０時です", "会議は10時です"),
    "a Japanese register": ("金曜日には行わない。", "金曜日には行いません。"),
}
TWO_FACTS = {
    "number": ("The pool has 20 connections.", "The pool has 50 connections."),
    "number in words": ("We have two replicas.", "We have three replicas."),
    "one digit of many": ("It is cut at 100,000 rows.", "It is cut at 10,000 rows."),
    "unit": ("It expires after 30 minutes.", "It expires after 30 hours."),
    "a number that only one holds": ("Use the pool.", "Use the pool of 20."),
    "version": ("libvips is pinned to 8.14.", "libvips is pinned to 8.15."),
    "ISO date": ("Incident 2025-11-08.", "Incident 2025-12-08."),
    "month": ("It ends in March.", "It ends in May."),
    "weekday": ("Review on Tuesday.", "Review on Thursday."),
    "clock": ("Dentist at 9 am.", "Dentist at 9 pm."),
    "identifier": ("Set ATLAS_LOG.", "Set ATLAS_DEBUG."),
    "path": ("See src/auth/session.ts.", "See src/auth/token.ts."),
    "ticket": ("OPS-771 tracks it.", "OPS-717 tracks it."),
    "class": ("OrderRepository caches it.", "InvoiceRepository caches it."),
    "person": ("Sofia owns billing.", "Jonas owns billing."),
    "pronoun": ("Ask her before you merge.", "Ask him before you merge."),
    "denial": ("We deploy on Fridays.", "We do not deploy on Fridays."),
    "denial by ending": ("Retries are safe.", "Retries aren't safe."),
    "denial among others": ("No cache, no queue, a lock.", "No cache, no queue, no lock."),
    "state": ("Login is enabled.", "Login is disabled."),
    "on and off": ("The cache is on.", "The cache is off."),
    "order of two steps": ("Migrate before the deploy.", "Migrate after the deploy."),
    "plan and deed": ("We will move the mail.", "We moved the mail."),
    "present and past": ("Emil has a flat.", "Emil had a flat."),
    "regular past": ("We use Terraform.", "We used Terraform."),
    "question": ("Is login enabled?", "Login is enabled."),
    "quantity": ("All tenants see it.", "Some tenants see it."),
    "preference": ("Ada prefers tabs over spaces.", "Ada prefers spaces over tabs."),
    "roles": ("Hannah covers for Felix.", "Felix covers for Hannah."),
    "roles of numbers": ("4 readers and 8 writers.", "8 readers and 4 writers."),
    "states of two things": ("The old one is slow; the new one is fast.", "The old one is fast; the new one is slow."),
    "one thing more": ("The flat has a balcony.", "The flat has a balcony and a cellar."),
    "German denial": ("Er möchte angerufen werden.", "Er möchte nicht angerufen werden."),
    "Spanish denial": ("El informe incluye datos.", "El informe no incluye datos."),
    "French denial": ("Il accepte les fichiers.", "Il n'accepte pas les fichiers."),
    "Russian denial": ("Он работает.", "Он не работает."),
    "Japanese denial": ("認証が必要です。", "認証が必要ではありません。"),
    "Japanese number": ("定員は12名です。", "定員は20名です。"),
    "Japanese name": ("田中さんは営業部です。", "鈴木さんは営業部です。"),
    "Chinese denial": ("我喜欢茶。", "我不喜欢茶。"),
}


@pytest.mark.parametrize(("a", "b"), ONE_FACT.values(), ids=ONE_FACT)
def test_these_say_the_same(a, b):
    assert (differs_in_fact(a, b), differs_in_fact(b, a)) == (False, False)


@pytest.mark.parametrize(("a", "b"), TWO_FACTS.values(), ids=TWO_FACTS)
def test_these_say_two_things(a, b):
    assert (differs_in_fact(a, b), differs_in_fact(b, a)) == (True, True)


@given(st.text())
def test_a_text_does_not_differ_from_itself(text):
    assert differs_in_fact(text, f"{text} ") is False


@given(st.text(), st.text())
def test_neither_text_comes_first(a, b):
    assert differs_in_fact(a, b) == differs_in_fact(b, a)


@given(st.lists(st.text(string.ascii_lowercase, min_size=3), min_size=1), st.integers(2), st.integers(2))
def test_another_number_is_another_fact(words, first, second):
    sentence = " ".join(words)

    assert differs_in_fact(f"{sentence} {first}", f"{sentence} {second}") is (first != second)
