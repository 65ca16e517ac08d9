"""Processes that store memories and say which are acknowledged.

`python -m tests.storage.writing write FILE NAME COUNT` prints a line for each. `... kill FILE ROUNDS` forks writers,
kills each at a random moment, and prints the lines of all.
"""

import asyncio
import os
import random
import select
import signal
import sys
from pathlib import Path

from bethink.ports import now_micros, uuid7
from bethink.principal import owner
from bethink.testing import HashingEmbedder
from tests.bed import memory_at

NAMES = ("ada", "alan", "edsger", "grace", "tony")
SEAL_AT = 64


async def write(path: Path, name: str, count: int, first: int = 0) -> None:
    real = {"clock": now_micros, "ids": uuid7, "principal": owner("team:acme", agent=name)}
    memory = memory_at(path, embedder=HashingEmbedder(), seal_at=SEAL_AT, **real)
    for number in range(first, first + count):
        text = f"{name} wrote number{number} about tabs and spaces"
        done = await memory.store(text, tags=[name], hints=False, source={"thread": name})
        say(done.id, text)
        if number % 5 == 1:
            await memory.update(done.id, content=f"{text} and tea", hints=False)
            say(done.id, f"{text} and tea")
    await memory.close()


def say(memory: str, text: str) -> None:
    os.write(1, f"{memory} {text}\n".encode())


def kill(path: Path, rounds: int) -> None:
    # What a first store sets up is inherited by every fork.
    asyncio.run(write(path, "first", 2, -2))
    for number in range(rounds):
        writers = [_forked(path, name, 1000 * number) for name in NAMES]
        for process, pipe in random.sample(writers, len(writers)):
            said = b""
            for _ in range(random.randint(1, 6)):
                said += os.read(pipe, 65536)
            select.select([], [], [], random.uniform(0, 0.01))
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)
            while more := os.read(pipe, 65536):
                said += more
            os.close(pipe)
            sys.stdout.buffer.write(said)


def _forked(path: Path, name: str, first: int) -> tuple[int, int]:
    pipe, mouth = os.pipe()
    process = os.fork()
    if process:
        os.close(mouth)
        return process, pipe
    os.dup2(mouth, 1)
    asyncio.run(write(path, name, 10**6, first))
    os._exit(1)


def main(how: str, path: str, *rest: str) -> None:
    if how == "kill":
        kill(Path(path), int(rest[0]))
    else:
        asyncio.run(write(Path(path), rest[0], int(rest[1])))


if __name__ == "__main__":
    main(*sys.argv[1:])
