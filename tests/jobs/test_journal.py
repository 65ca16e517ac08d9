"""What recall showed is written down later; a lock that another process holds only delays it."""

from bethink.errors import Busy, Unavailable
from bethink.jobs.journal import Journal
from bethink.storage.values import Miss


class Refusing:
    """A store that takes no writes, for the reason given."""

    def __init__(self, reason):
        self.reason = reason

    async def write(self, _work):
        raise self.reason


def shown(*numbers):
    return [("ann", "", f"memory-{number}", number) for number in numbers]


def missed(number):
    return Miss("ann", "user:ann", f"question {number}", "key", number)


async def test_what_was_read_while_the_store_was_busy_waits_before_what_came_later():
    journal = Journal()
    journal.note(shown(1), missed(1))

    class Meanwhile(Refusing):
        async def write(self, work):
            journal.note(shown(2), missed(2))
            await super().write(work)

    await journal.flush(Meanwhile(Busy("locked")))

    assert journal == Journal(shown(1, 2), [missed(1), missed(2)])


async def test_of_what_waits_the_newest_ten_thousand_are_kept():
    journal = Journal(shown(*range(10_001)), [missed(n) for n in range(10_001)])

    await journal.flush(Refusing(Busy("locked")))

    assert (len(journal.shown), len(journal.gaps)) == (10_000, 10_000)
    assert (journal.shown[0], journal.gaps[0]) == (*shown(1), missed(1))


async def test_a_store_that_cannot_be_written_keeps_nothing_waiting():
    journal = Journal(shown(1), [missed(1)])

    await journal.flush(Refusing(Unavailable("read only")))

    assert journal == Journal()
