"""Where the owner writes when nothing is named: the repository that holds the folder, known by what it is."""

import pytest

from bethink.app import home_place
from bethink.place import normalised, owner_place
from bethink.principal import namespace_path


def repository(folder, remote=None, *, name="origin"):
    """A folder that is the root of a repository, as far as its files tell."""
    (folder / ".git").mkdir(parents=True)
    config = f'[core]\n\tbare = false\n[remote "{name}"]\n\turl = {remote}\n' if remote else "[core]\n\tbare = false\n"
    (folder / ".git" / "config").write_text(config, encoding="utf-8")
    return folder


@pytest.mark.failure("F094")
def test_clones_of_one_remote_share_a_place_whatever_they_are_called(tmp_path):
    one = repository(tmp_path / "web", "git@example.org:acme/web.git")
    two = repository(tmp_path / "deep" / "other-name", "https://ann:secret@Example.org:443/acme/web/")

    assert owner_place(one) == owner_place(two)
    assert owner_place(one).startswith("repo:web-")
    assert "secret" not in owner_place(two)


@pytest.mark.failure("F094")
def test_two_repositories_of_one_name_do_not_share_a_place(tmp_path):
    places = {
        owner_place(repository(tmp_path / "a" / "web", "git@example.org:acme/web.git")),
        owner_place(repository(tmp_path / "b" / "web", "git@example.org:other/web.git")),
        owner_place(repository(tmp_path / "c" / "web")),
        owner_place(repository(tmp_path / "d" / "web")),
    }

    assert len(places) == 4


@pytest.mark.failure("F094")
def test_a_folder_inside_and_a_worktree_beside_have_the_place_of_their_repository(tmp_path):
    main = repository(tmp_path / "web")
    inside = main / "src" / "app"
    inside.mkdir(parents=True)
    linked = main / ".git" / "worktrees" / "fix"
    linked.mkdir(parents=True)
    (linked / "commondir").write_text("../..\n", encoding="utf-8")
    worktree = tmp_path / "fix"
    worktree.mkdir()
    (worktree / ".git").write_text(f"gitdir: {linked}\n", encoding="utf-8")

    assert owner_place(inside) == owner_place(worktree) == owner_place(main)


@pytest.mark.failure("F095")
def test_outside_a_repository_there_is_no_guess_from_the_folder(tmp_path):
    assert owner_place(tmp_path) is None
    assert home_place().startswith("user:")


@pytest.mark.failure("F096")
@pytest.mark.parametrize("name", ["my_repo", "with space", "back\\slash", "ünï", "..", "x" * 200, "a:b"])
def test_every_name_makes_a_namespace_and_always_the_same_one(tmp_path, name):
    remote = f"git@example.org:acme/{name}.git"
    one, two = repository(tmp_path / "one", remote), repository(tmp_path / "two", remote)

    assert namespace_path(owner_place(one)) == owner_place(two)


@pytest.mark.failure("F096")
@pytest.mark.parametrize(
    "url",
    [
        "git@example.org:acme/web.git", "ssh://git@example.org:22/acme/web", "https://example.org/acme/web.git",
        "https://user:pass@EXAMPLE.org/acme/web/", "git+ssh://example.org/acme/web.git", "example.org:acme/web",
    ],
)  # fmt: skip
def test_a_remote_is_the_same_however_it_is_written(url):
    assert normalised(url) == "example.org/acme/web"


@pytest.mark.parametrize("config", ["[remote", "\x00\xff", '[remote "origin"]\nurl\n', ""])
def test_a_configuration_that_cannot_be_read_is_none(tmp_path, config):
    folder = repository(tmp_path / "web")
    (folder / ".git" / "config").write_bytes(config.encode("latin-1"))

    assert owner_place(folder).startswith("repo:web-")


@pytest.mark.parametrize("content", [b"gitdir: a\x00b", b"gitdir: linked", b"", b"\xff\xfe", b"gitdir: " + b"x" * 300])
def test_a_link_that_cannot_be_followed_is_no_repository(tmp_path, content):
    (tmp_path / ".git").write_bytes(content)
    (tmp_path / "linked").mkdir()
    (tmp_path / "linked" / "commondir").write_bytes(b"\xff\xfe")

    assert owner_place(tmp_path) is None
