"""Where the log goes, and that it never gets in the way."""

import os
import shutil
import sys

import pytest

from bethink.surfaces.logs import start_log

has_modes = pytest.mark.skipif(os.name != "posix", reason="this system has no modes")


@pytest.mark.failure("F115")
def test_the_log_goes_to_standard_error_or_to_its_file_never_to_standard_output(tmp_path, logger, capfd, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))

    start_log("info")
    logger.info("first")
    start_log("info:~/logs/bethink.log")
    logger.info("second")

    assert capfd.readouterr() == ("", "INFO first\n")
    assert "INFO bethink second" in (tmp_path / "logs" / "bethink.log").read_text("utf-8")


@pytest.mark.failure("F116")
@pytest.mark.parametrize("words", [("{name} %s %d",), ("%d of %s", "no number"), ("%s", "\ud83d {")], ids=repr)
def test_no_note_raises_whatever_is_in_it(tmp_path, logger, words):
    for where in ("info", f"info:{tmp_path / 'bethink.log'}"):
        start_log(where)
        logger.info(*words)
        logger.info("next")

    assert "next" in (tmp_path / "bethink.log").read_text("utf-8")


@pytest.mark.failure("F116")
def test_a_stream_that_is_closed_stops_nothing(tmp_path, logger, monkeypatch):
    monkeypatch.setattr(sys, "stderr", open(os.devnull, "w"))  # noqa: PTH123, SIM115  # closed below
    start_log("info")
    sys.stderr.close()
    logger.info("nobody hears it")
    start_log(f"info:{tmp_path / 'bethink.log'}")
    logger.info("heard again")

    assert "heard again" in (tmp_path / "bethink.log").read_text("utf-8")


@pytest.mark.failure("F116")
def test_where_the_log_cannot_be_rotated_it_goes_on_in_the_same_file(tmp_path, logger):
    file = tmp_path / "bethink.log"
    start_log(f"info:{file}")
    for taken in (2, 3):
        (tmp_path / f"bethink.log.{taken}").mkdir()
    logger.handlers[0].maxBytes = 1

    logger.info("before")
    logger.info("after")

    assert [line.rpartition(" ")[2] for line in file.read_text("utf-8").splitlines()] == ["before", "after"]


@pytest.mark.failure("F116")
def test_a_log_whose_folder_is_deleted_stops_nothing(tmp_path, logger):
    start_log(f"info:{tmp_path / 'logs' / 'bethink.log'}")
    logger.info("heard")
    logger.handlers[0].close()
    shutil.rmtree(tmp_path / "logs")

    logger.info("nobody hears it")

    assert list(tmp_path.iterdir()) == []


@has_modes
def test_the_log_and_what_it_rotates_to_are_readable_by_their_user_alone(tmp_path, logger):
    start_log(f"info:{tmp_path / 'bethink.log'}")

    logger.info("first")
    logger.handlers[0].doRollover()
    logger.info("second")

    modes = {file.name: file.stat().st_mode & 0o777 for file in tmp_path.iterdir()}
    assert modes == {"bethink.log": 0o600, "bethink.log.1": 0o600}


@has_modes
def test_a_log_that_is_there_keeps_its_mode(tmp_path, logger):
    file = tmp_path / "bethink.log"
    file.touch()
    file.chmod(0o640)

    start_log(f"info:{file}")
    logger.info("more")

    assert file.stat().st_mode & 0o777 == 0o640
