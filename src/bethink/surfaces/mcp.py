"""MCP: every operation as a tool, every memory as a resource, over standard input and output."""

from __future__ import annotations

import asyncio
import difflib
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp import types
from mcp.server.caching import CacheHint
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from bethink import __version__
from bethink.app import open_app, policy_of, principal_of
from bethink.engine import Bethink
from bethink.errors import BethinkError, InvalidRequest, Unsupported
from bethink.operation import Effect, Operation, Progress
from bethink.principal import Principal
from bethink.settings import Settings
from bethink.text.clean import clean
from bethink.text.cut import shorten
from bethink.text.show import visible

from .instructions import instructions
from .live import Live
from .present import failure, masked, structured, text
from .schemas import input_schema, output_schema
from .stdio import Wire, claim, protocol_error, refusal, refusal_of_id
from .toolsets import exists, shown
from .unfold import members, unfold

Context = ServerRequestContext[Any, Any]

_URI: Final = "memory://"
_CACHED: Final = CacheHint(ttl_ms=60_000, scope="private")
_GRACE_SECONDS: Final = 1.0
_LONGEST_NAME: Final = 100
_LONGEST_RESOURCE: Final = 8_000  # tokens, as of a tool's result
_SERVER_FAULT: Final = 500
_GREETINGS: Final = ("initialize", "server/discover")


def run(settings: Settings) -> None:
    """Serve over standard input and output until the client leaves."""
    asyncio.run(serve_stdio(settings))


async def serve_stdio(settings: Settings) -> None:
    """Open the engine, serve one client, close the engine; nothing waits for the model."""
    engine = open_app(settings, waits=False)
    try:
        await _Connection(claim(), Surface(engine, settings)).serve()
    finally:
        await engine.close()


class Surface:
    """The engine as MCP shows it to one client."""

    def __init__(self, engine: Bethink, settings: Settings) -> None:
        self.engine, self._principal = engine, engine.principal
        self._shown = shown(settings["tools"], engine.principal)
        self._live = Live(settings)

    def server(self) -> Server[Any]:
        """Return the SDK's server for it."""
        return Server(
            "bethink",
            version=__version__,
            title="Bethink",
            instructions=instructions(self._shown),
            cache_hints={
                "tools/list": _CACHED,
                "resources/list": _CACHED,
                "resources/templates/list": _CACHED,
                "server/discover": _CACHED,
                "resources/read": CacheHint(scope="private"),
            },
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
            on_list_resources=_no_resources,
            on_list_resource_templates=self._list_templates,
            on_read_resource=self._read_resource,
        )

    async def _list_tools(self, _: Context, __: object) -> types.ListToolsResult:
        self._live.follow(self._apply)
        return types.ListToolsResult(tools=[described(op, self._principal) for op in self._shown.values()])

    async def _call_tool(self, context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        arguments = params.arguments or {}
        try:
            caller, operation = self._caller(context), self._operation(params.name)
            result = await operation.call(caller, unfold(operation, arguments), progress=_progress(context))
            told = structured(result)
            return types.CallToolResult(content=[_text(text(result, told, params.name))], structured_content=told)
        except BethinkError as error:
            return _failed(error, arguments)
        except MCPError:
            raise
        except Exception as wrong:  # noqa: BLE001  # the edge of the process: a bug, logged and masked
            return _failed(masked(wrong, params.name), arguments)

    async def _list_templates(self, _: Context, __: object) -> types.ListResourceTemplatesResult:
        template = types.ResourceTemplate(
            uri_template=f"{_URI}{{id}}",
            name="memory",
            title="Memory",
            description="A whole memory by its id, or by a tail of it that is unique.",
            mime_type="text/plain",
        )
        return types.ListResourceTemplatesResult(resource_templates=[template])

    async def _read_resource(
        self, context: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        uri = params.uri
        try:
            got = await self._caller(context).get([uri.removeprefix(_URI)], max_tokens=_LONGEST_RESOURCE)
        except InvalidRequest as error:
            raise MCPError(types.INVALID_PARAMS, failure(_no_address(uri))[0]) from error
        except BethinkError as error:
            refused = error.http_status < _SERVER_FAULT
            raise MCPError(types.INVALID_PARAMS if refused else types.INTERNAL_ERROR, failure(error)[0]) from error
        except Exception as wrong:  # noqa: BLE001  # the edge of the process: a bug, logged and masked
            raise MCPError(types.INTERNAL_ERROR, str(masked(wrong, uri))) from None
        if got.missing:
            raise MCPError(types.INVALID_PARAMS, "Resource not found", {"uri": uri})
        body = types.TextResourceContents(uri=uri, mime_type="text/plain", text=text(got, structured(got), uri))
        return types.ReadResourceResult(contents=[body])

    def _operation(self, tool: str) -> Operation:
        if found := self._shown.get(tool):
            return found
        if exists(tool):
            raise Unsupported(f"{tool} is not available here", hint=f"There are {', '.join(self._shown)}.")
        near = difflib.get_close_matches(tool, self._shown, n=1)
        hint = f"; did you mean {near[0]}?" if near else ""
        raise MCPError(types.INVALID_PARAMS, f"Unknown tool: {visible(shorten(tool, _LONGEST_NAME))}{hint}")

    def _caller(self, context: Context) -> Bethink:
        """Return the engine for this caller: an agent that nothing else names has the name of its client."""
        self._live.follow(self._apply)
        client, principal = context.session.client_params, self._principal
        if client is not None and not principal.agent:
            name, _ = clean(client.client_info.name)
            principal = replace(principal, agent=shorten(name.strip(), _LONGEST_NAME) or None)
        return self.engine.as_(principal)

    def _apply(self, settings: Settings) -> None:
        principal = principal_of(settings, self._live.folder)
        policy = policy_of(settings, waits=False)
        self._shown = shown(settings["tools"], principal)
        self._principal, self.engine.ports.policy = principal, policy


def described(operation: Operation, principal: Principal) -> types.Tool:
    """Return an operation as the tool that a model is shown."""
    return types.Tool(
        name=operation.tool,
        title=operation.tool.replace("_", " ").capitalize(),
        description=operation.doc,
        input_schema=input_schema(operation, principal),
        output_schema=output_schema(operation),
        annotations=types.ToolAnnotations(
            read_only_hint=operation.only_reads(principal),
            destructive_hint=operation.effect is Effect.DESTROY,
            idempotent_hint=operation.idempotent,
            open_world_hint=False,
        ),
    )


def _progress(context: Context) -> Progress:
    async def report(done: int, total: int | None) -> None:
        await context.session.report_progress(done, total)

    return report


def _failed(error: BethinkError, arguments: Mapping[str, Any]) -> types.CallToolResult:
    said, told = failure(error)
    lost = isinstance(error, InvalidRequest) and not arguments
    nothing = "\nThe call arrived without arguments." if lost else ""
    return types.CallToolResult(content=[_text(said + nothing)], structured_content=told, is_error=True)


def _no_address(uri: str) -> InvalidRequest:
    return InvalidRequest(
        f"{shorten(uri, _LONGEST_NAME)!r} is not the address of a memory",
        hint=f"Write {_URI} and its id, or a tail of at least 6 digits that is unique.",
    )


async def _no_resources(_: Context, __: object) -> types.ListResourcesResult:
    return types.ListResourcesResult(resources=[])  # memories are too many to list: see the template


def _text(said: str) -> types.TextContent:
    return types.TextContent(type="text", text=said)


def _message(line: str) -> types.JSONRPCMessage | str:
    """Return the message that a line is, or the answer to one that is none."""
    try:
        message = types.jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValidationError as wrong:
        return refusal(line, wrong)
    if isinstance(message, types.JSONRPCNotification):
        return refusal_of_id(line) or message
    if not isinstance(message, types.JSONRPCRequest):
        return message
    try:
        return _readable(message)
    except InvalidRequest as wrong:
        return protocol_error(message.id, types.INVALID_PARAMS, failure(wrong)[0])


def _readable(request: types.JSONRPCRequest) -> types.JSONRPCRequest:
    """Return a request in whose call of a tool the arguments are an object, as the SDK takes no other."""
    params = request.params or {}
    if request.method != "tools/call" or isinstance(params.get("arguments", {}), dict):
        return request
    return request.model_copy(update={"params": {**params, "arguments": members("arguments", params["arguments"])}})


class _Connection:
    """One client on the wire: its messages to the SDK, the SDK's to it."""

    def __init__(self, wire: Wire, surface: Surface) -> None:
        self._wire, self._surface = wire, surface
        self._waiting: dict[types.RequestId, str] = {}
        self._answered = anyio.Event()

    async def serve(self) -> None:
        """Serve until the client leaves; what it has asked before may take a moment to be answered."""
        to_server, from_client = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        to_client, from_server = anyio.create_memory_object_stream[SessionMessage](0)
        server = self._surface.server()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._receive, to_server)
            tasks.start_soon(self._send, from_server)
            await server.run(from_client, to_client, server.create_initialization_options())

    async def _receive(self, server: MemoryObjectSendStream[SessionMessage | Exception]) -> None:
        async with server:
            async for line in self._wire.lines():
                await self._take(line, server)
            with anyio.move_on_after(_GRACE_SECONDS):
                while self._waiting:
                    await self._answered.wait()

    async def _take(self, line: str, server: MemoryObjectSendStream[SessionMessage | Exception]) -> None:
        message = _message(line)
        if isinstance(message, str):
            await self._wire.write(message)
            return
        if isinstance(message, types.JSONRPCRequest):
            self._waiting[message.id] = message.method
        await server.send(SessionMessage(message))

    async def _send(self, server: MemoryObjectReceiveStream[SessionMessage]) -> None:
        async with server:
            async for item in server:
                await self._wire.write(item.message.model_dump_json(by_alias=True, exclude_unset=True))
                if isinstance(item.message, types.JSONRPCResponse | types.JSONRPCError):
                    self._settle(item.message.id)

    def _settle(self, answered: types.RequestId | None) -> None:
        if answered is not None and self._waiting.pop(answered, None) not in _GREETINGS:
            self._surface.engine.start()  # not sooner: loading the model would hold up what a client waits for first
        self._answered.set()
        self._answered = anyio.Event()
