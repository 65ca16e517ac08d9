"""The file that the log goes to."""

import logging
import os

import pytest

from bethink.surfaces.logs import start_log

pytestmark = pytest.mark.skipif(os.name != "posix", reason="this system has no modes")


@pytest.fixture(autouse=True)
def logger():
    """The log, which other tests find as it was."""
    logger = logging.getLogger("bethink")
    yield logger
    for handler in list(logger.handlers):
        logger.removeHandler(handler)
        handler.close()
    logger.propagate, logger.level = True, logging.NOTSET


def test_the_log_and_what_it_rotates_to_are_readable_by_their_user_alone(tmp_path, logger):
    start_log(f"info:{tmp_path / 'bethink.log'}")

    logger.info("first")
    logger.handlers[0].doRollover()
    logger.info("second")

    modes = {file.name: file.stat().st_mode & 0o777 for file in tmp_path.iterdir()}
    assert modes == {"bethink.log": 0o600, "bethink.log.1": 0o600}


def test_a_log_that_is_there_keeps_its_mode(tmp_path, logger):
    file = tmp_path / "bethink.log"
    file.touch()
    file.chmod(0o640)

    start_log(f"info:{file}")
    logger.info("more")

    assert file.stat().st_mode & 0o777 == 0o640
