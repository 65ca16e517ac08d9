"""Golden questions: what is asked, and what answers it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Final, Literal, Self

from pydantic import Field, model_validator

from bethink.domain import Value
from bethink.errors import InvalidRequest
from bethink.vocabulary import QUERY_LIMIT, MemoryId, NotBlank, Word, about

MOST_QUESTIONS: Final = 10_000
_MOST_EXPECTED: Final = 100

Phrase = Annotated[str, Field(min_length=1, max_length=2_000), NotBlank]


class GoldenQuestion(Value):
    """A question with what answers it, or with why nothing does.

    An answer is known by the id or handle of its memory (`expected`), by the id of its source (`sources`), or by a text
    that it holds, whatever its case and white space (`phrases`). `unanswerable` says that nothing stored answers:
    `off_topic`, nothing is about it at all, or `near`, the store is about it and still does not tell. `filters` are
    those of a recall.
    """

    question: Annotated[str, about("What is asked.", min_length=1, max_length=QUERY_LIMIT), NotBlank]
    expected: Annotated[tuple[MemoryId, ...], Field(max_length=_MOST_EXPECTED)] = ()
    sources: Annotated[tuple[Word, ...], Field(max_length=_MOST_EXPECTED)] = ()
    phrases: Annotated[tuple[Phrase, ...], Field(max_length=_MOST_EXPECTED)] = ()
    unanswerable: Literal["off_topic", "near"] | None = None
    filters: dict[str, Any] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _is_one_or_the_other(self) -> Self:
        if bool(self.answers) == (self.unanswerable is not None):
            what = "it has an answer and is unanswerable" if self.answers else "it has no answer"
            raise ValueError(f"{what}: give any of expected, sources and phrases, or else unanswerable")
        return self

    @property
    def answers(self) -> int:
        """How many things answer it."""
        return len(self.expected) + len(self.sources) + len(self.phrases)

    @property
    def kind(self) -> str:
        """What sort of question it is: answerable, off_topic or near."""
        return self.unanswerable or "answerable"

    @property
    def key(self) -> str:
        """What makes it the same question in another run."""
        asked = ", ".join(f"{name}={value!r}" for name, value in sorted(self.filters.items()))
        return self.question + (f" [{asked}]" if asked else "")


GoldenQuestions = Annotated[
    list[GoldenQuestion], about("Questions with their answers.", min_length=1, max_length=MOST_QUESTIONS)
]


class Golden(Value):
    """A file of golden questions. `overlap` marks those made from phrases of the memories that answer them."""

    questions: GoldenQuestions
    overlap: bool = False
    seed: int | None = None

    def compact(self) -> str:
        """Return it as a line a question."""
        return "\n".join(f"{one.kind}: {one.key}" for one in self.questions)


def refuse_repeated(questions: Sequence[GoldenQuestion]) -> None:
    """Refuse a set that asks the same question in the same way twice."""
    first: dict[str, int] = {}
    for place, question in enumerate(questions):
        if first.setdefault(question.key, place) != place:
            raise InvalidRequest(
                f"questions.{place}.question: it is asked already in questions.{first[question.key]}",
                hint="Leave one of them out, or tell them apart by filters.",
            )
