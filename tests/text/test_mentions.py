"""What a text speaks of: names and identifiers are found, and what only looks like one is left alone."""

import pytest

from bethink.text.mentions import MOST, fold_name, mentions


def spoken_of(text, language="en"):
    return {m.spelled: m.kind for m in mentions(text, language=language)}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("cc @bob about #infra", {"bob": "person", "infra": "concept"}),
        ("mail jane@acme.com today", {"jane@acme.com": "person"}),
        ("see https://github.com/acme/web/issues/12", {"acme/web": "repo", "acme/web#12": "ticket"}),
        ("clone git@github.com:acme/web.git", {"acme/web": "repo"}),
        ("read https://www.example.org/a?b=c", {"example.org": "service"}),
        ("fixed by PROJ-123 and PR #7, not UTF-8", {"PROJ-123": "ticket", "#7": "ticket"}),
        ("in src/app/main.py:42 and ./Makefile", {"src/app/main.py": "file", "Makefile": "file"}),
        ("call get_user() or getName() of a::b", dict.fromkeys(("get_user()", "getName()", "a::b"), "code")),
        ("set --dry-run and MAX_SIZE", {"--dry-run": "code", "MAX_SIZE": "code"}),
        ("since v2.3 on 2024-05-01", {"v2.3": "version", "2024-05-01": "date"}),
        ("as in [[Deploy Guide|the guide]] and [[Plan#next]]", {"Deploy Guide": "concept", "Plan": "concept"}),
        ("we moved to postgres and kubernetes", {"postgres": "tool", "kubernetes": "tool"}),
    ],
)  # fmt: skip
def test_what_tells_by_its_form_is_found(text, expected):
    assert spoken_of(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Yesterday we met with Ann Smith of Acme Corp.", {"Ann Smith of Acme Corp": "organisation"}),
        ("We asked Dr. Jane Smith.", {"Jane Smith": "person"}),
        ("Ann prefers tea.", {"Ann": "person"}),
        ("The outage hit Project Zephyr and the billing service.", {"Project Zephyr": "project"}),
        ("She studied at the University of Oxford.", {"University of Oxford": "organisation"}),
        ("The server stands in Berlin.", {"Berlin": "place"}),
        ("Anna: I saw Bob's dog", {"Anna": "person", "Bob": "concept"}),
        ("Upgraded Redis to 7", {"Redis": "tool"}),
    ],
)
def test_names_are_told_by_their_capitals_and_neighbours(text, expected):
    assert spoken_of(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Deployment is blocked. Caching was slow. Tests are green. However, it can't wait.",
        "THIS IS VERY IMPORTANT DO NOT DELETE PRODUCTION DATA",
        "# How To Deploy The Whole Thing",
        "On Monday in May we'll go. I'm sure they've seen it.",
        "Summary: done. Note: and/or, 3.14, e.g. this",
        "```\nfrom Flask import Request\nclass Invoice(Base): pass\n```",
        "a colour like #fff or #a1b2c3",
    ],
)
def test_what_only_looks_like_a_name_is_left_alone(text):
    assert spoken_of(text) == {}


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("Der Server von Anna Müller läuft auf PostgreSQL, die Datenbank nicht.", "de", {"Anna Müller", "PostgreSQL"}),
        ("Ayer María fue a Madrid con Juan.", "es", {"María", "Madrid", "Juan"}),
        ("Вчера Анна поехала в Москву.", "ru", {"Анна", "Москву"}),
        ("田中さんがKubernetesを導入しました。皆さん、どうも。", "ja", {"田中", "Kubernetes"}),
        ("김철수 씨가 고객님과 만났다", "ko", {"김철수"}),
    ],
)  # fmt: skip
def test_other_scripts_and_languages_are_read_by_their_own_signs(text, language, expected):
    assert spoken_of(text, language).keys() == expected


@pytest.mark.parametrize(
    "names",
    [
        ("Kubernetes", "kubernetes", "#Kubernetes", "KUBERNETES"),
        ("auth-service", "Auth Service", "auth_service"),
        ("Müller", "Muller", "@Müller"),
        ("Ｄocker", "docker"),
    ],
)
def test_spellings_of_one_name_compare_alike(names):
    assert len({fold_name(name) for name in names}) == 1


def test_a_number_keeps_its_sign_and_a_path_its_marks():
    assert [fold_name(name) for name in ("#12", "src/a_b.py", "owner/a-b#1")] == ["#12", "src/a_b.py", "owner/a-b#1"]


def test_of_very_many_names_those_are_kept_that_come_most_often():
    text = " ".join([*(f"see_{n}x" for n in range(500)), *["often_named"] * 3])

    found = [m.spelled for m in mentions(text)]

    assert (len(found), "often_named" in found) == (MOST, True)
