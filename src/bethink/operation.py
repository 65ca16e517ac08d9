"""One declaration per operation; every surface is generated from it."""

from __future__ import annotations

import asyncio
import inspect
import logging
import time
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property, wraps
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar, get_args, get_type_hints, is_typeddict

from pydantic import BaseModel, ConfigDict, ValidationError, create_model

from .coerce import coerce, plain
from .errors import Forbidden, InvalidRequest, Unavailable, Unsupported
from .explain import explain
from .ports import Ports
from .principal import Permission, Principal
from .text.clean import clean
from .vocabulary import UNSET, Needs, OwnerOnly, Unset, marks

P = ParamSpec("P")
R = TypeVar("R", bound=BaseModel)
Progress = Callable[[int, int | None], Awaitable[None]]

log = logging.getLogger("bethink.call")
_HOST_FIXES = frozenset({"namespace", "namespaces", "reach", "scope"})


class Effect(StrEnum):
    """What a call may change; becomes annotations, permissions and retry policy."""

    READ = "read"
    WRITE = "write"
    DESTROY = "destroy"


class Engine(Protocol):
    """What an operation is called on."""

    ports: Ports
    principal: Principal


@dataclass(frozen=True, slots=True)
class Call:
    """One call of an operation: who calls, what was cleaned from the arguments, whom to tell of progress."""

    ports: Ports
    principal: Principal
    cleaned: tuple[str, ...] = ()
    progress: Progress | None = None

    def require(self, permission: Permission, what: str) -> None:
        """Refuse what the caller has no permission for."""
        if not self.principal.may(permission):
            raise not_permitted(what)

    async def report(self, done: int, total: int | None = None) -> None:
        """Tell whoever waits how far the work is."""
        if self.progress is not None:
            await self.progress(done, total)


@dataclass(frozen=True)
class Operation:
    """What is declared of an operation, and the one way to call it.

    One that is `readable` is open to who lacks its permission, for what it only reads; it refuses the rest itself.
    """

    fn: Callable[..., Coroutine[Any, Any, BaseModel]]
    effect: Effect
    tool: str
    toolset: str
    http: str
    permission: Permission | None
    readable: bool
    idempotent: bool
    seconds: float | None
    surfaces: frozenset[str]

    @property
    def name(self) -> str:
        """The method's name; the command's too, with hyphens."""
        return self.fn.__name__

    @cached_property
    def doc(self) -> str:
        """Its docstring, for callers."""
        return inspect.cleandoc(self.fn.__doc__ or "")

    @property
    def title(self) -> str:
        """The first line of its docstring."""
        return self.doc.split("\n", 1)[0].rstrip(".")

    @cached_property
    def params(self) -> type[BaseModel]:
        """The model of its arguments, all flat."""
        return _params_model(self.fn)

    @cached_property
    def result(self) -> type[BaseModel]:
        """The model of its result."""
        found: type[BaseModel] = get_type_hints(self.fn)["return"]
        return found

    def allowed(self, principal: Principal) -> bool:
        """Say whether `principal` may call it at all."""
        return self.readable or self._permitted(principal)

    def only_reads(self, principal: Principal) -> bool:
        """Say whether no call by `principal` changes anything."""
        return self.effect is Effect.READ or not self._permitted(principal)

    def _permitted(self, principal: Principal) -> bool:
        return self.permission is None or principal.may(self.permission)

    def shown_params(self, principal: Principal) -> list[str]:
        """Name the parameters that `principal` has a use for."""
        return [name for name in self.visible_params(principal) if self._serves(name, principal)]

    def visible_params(self, principal: Principal) -> list[str]:
        """Name the parameters that `principal` may know of."""
        fields = self.params.model_fields.items()
        return [n for n, f in fields if not (principal.confined and any(isinstance(m, OwnerOnly) for m in marks(f)))]

    async def call(
        self, engine: Engine, arguments: Mapping[str, Any], *, progress: Progress | None = None
    ) -> BaseModel:
        """Authorise, clean and validate `arguments`, then run the operation within its time limit."""
        self._authorise(engine.principal)
        params, cleaned = self._validated(arguments, engine.principal)
        call = Call(engine.ports, engine.principal, cleaned, progress)
        started = time.perf_counter()
        try:
            async with asyncio.timeout(self.seconds):
                return await self.fn(call, **params)
        except TimeoutError as late:
            raise Unavailable(
                f"{self.name} took longer than {self.seconds:g} s",
                hint="Nothing that was not committed is kept; try again.",
            ) from late
        finally:
            log.debug("%s by %s: %.1f ms", self.name, engine.principal.name, 1000 * (time.perf_counter() - started))

    def _serves(self, name: str, principal: Principal) -> bool:
        needed = [mark.permission for mark in marks(self.params.model_fields[name]) if isinstance(mark, Needs)]
        return all(map(principal.may, needed))

    def _authorise(self, principal: Principal) -> None:
        if not self.allowed(principal):
            raise not_permitted(self.name)

    def _validated(self, arguments: Mapping[str, Any], principal: Principal) -> tuple[dict[str, Any], tuple[str, ...]]:
        tidy, cleaned = clean(plain(dict(arguments)))
        refuse_namespaces(principal, tidy)
        # JSON inside a text is read here, and can hold what the text around it could not.
        read, more = clean(coerce(tidy, self.params, self.visible_params(principal)))
        refuse_namespaces(principal, read)
        try:
            model = self.params.model_validate(read)
        except ValidationError as wrong:
            raise explain(wrong, self.params) from None
        return {name: getattr(model, name) for name in model.model_fields_set}, (*cleaned, *more)


def operation(
    effect: Effect,
    *,
    tool: str,
    http: str,
    toolset: str = "core",
    permission: Permission | None = None,
    readable: bool = False,
    idempotent: bool = True,
    seconds: float | None = 60,
    surfaces: frozenset[str] = frozenset({"mcp", "http", "cli"}),
) -> Callable[
    [Callable[Concatenate[Call, P], Coroutine[Any, Any, R]]], Callable[Concatenate[Any, P], Coroutine[Any, Any, R]]
]:
    """Declare an operation; what comes back is the engine's method, with the function's own parameters."""
    needed = permission or (None if effect is Effect.READ else Permission.write)

    def attach(
        fn: Callable[Concatenate[Call, P], Coroutine[Any, Any, R]],
    ) -> Callable[Concatenate[Any, P], Coroutine[Any, Any, R]]:
        declared = Operation(fn, effect, tool, toolset, http, needed, readable, idempotent, seconds, surfaces)
        signature = inspect.signature(fn)

        @wraps(fn)
        async def method(engine: Any, /, *args: P.args, **kwargs: P.kwargs) -> R:
            bound = signature.bind(None, *args, **kwargs).arguments
            arguments = {name: value for name, value in bound.items() if name != _first(signature)}
            for name in _keyword_dicts(signature):
                arguments.update(arguments.pop(name, {}))
            given = {name: value for name, value in arguments.items() if value is not UNSET}
            return await declared.call(engine, given)  # type: ignore[return-value]  # fn's own result

        method.operation = declared  # type: ignore[attr-defined]  # how surfaces find it
        return method

    return attach


def operations(engine_type: type) -> dict[str, Operation]:
    """Return every operation listed on `engine_type`, in its order."""
    listed = ((name, getattr(member, "operation", None)) for name, member in vars(engine_type).items())
    return {name: found for name, found in listed if isinstance(found, Operation)}


def not_permitted(what: str) -> Unsupported:
    """Return the refusal of what the caller has no permission for."""
    return Unsupported(f"{what} is not available here", hint="The host did not give this permission.")


def refuse_namespaces(principal: Principal, arguments: Mapping[str, Any]) -> None:
    """Refuse whatever a confined principal's arguments say of namespaces, at any depth outside the user's metadata."""
    if principal.confined and (key := _names_a_namespace(arguments)):
        raise Forbidden(f"{key!r} cannot be given here", hint="The host fixes which namespaces are used; leave it out.")


def _first(signature: inspect.Signature) -> str:
    return next(iter(signature.parameters))


def _keyword_dicts(signature: inspect.Signature) -> list[str]:
    return [p.name for p in signature.parameters.values() if p.kind is p.VAR_KEYWORD]


def _names_a_namespace(arguments: Mapping[str, Any]) -> str | None:
    stack: list[Any] = [{k: v for k, v in arguments.items() if k != "metadata"}]
    while stack:
        match stack.pop():
            case Mapping() as mapping:
                if found := next((k for k in mapping if isinstance(k, str) and k.strip().lower() in _HOST_FIXES), None):
                    return found
                stack += [v for k, v in mapping.items() if k != "metadata"]
            case list() | tuple() as items:
                stack += items
    return None


def _params_model(fn: Callable[..., Any]) -> type[BaseModel]:
    hints = get_type_hints(fn, include_extras=True)
    _call, *rest = inspect.signature(fn).parameters.values()
    fields: dict[str, Any] = {}
    for parameter in rest:
        if parameter.kind is parameter.VAR_KEYWORD:
            fields |= _typed_dict_fields(hints[parameter.name])
        else:
            default = ... if parameter.default is parameter.empty else parameter.default
            fields[parameter.name] = (_without_unset(hints[parameter.name]), default)
    config = ConfigDict(extra="forbid", coerce_numbers_to_str=True)
    name = "".join(word.title() for word in fn.__name__.split("_")) + "Params"
    return create_model(name, __config__=config, **fields)


def _typed_dict_fields(unpacked: Any) -> dict[str, Any]:
    (typed,) = get_args(unpacked) or (unpacked,)
    if not is_typeddict(typed):
        raise InvalidRequest(f"{typed!r} does not declare keyword parameters")
    return {name: (hint, UNSET) for name, hint in get_type_hints(typed, include_extras=True).items()}


def _without_unset(hint: Any) -> Any:
    kept = [arg for arg in get_args(hint) if arg is not Unset]
    if len(kept) == len(get_args(hint)) or not kept:
        return hint
    joined = kept[0]
    for other in kept[1:]:
        joined |= other
    return joined
