"""Gemini's computer tool, behind Google's SDK (extra ``gemini``)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from websp_gym.errors import missing_extra
from websp_gym.models import thinking
from websp_gym.models.messages import Image, Message, Stop, ToolCall, ToolMessage, ToolResult
from websp_gym.models.model_failures import from_error, hide, malformed
from websp_gym.models.protocol import Answer, AttemptError, Usage

if TYPE_CHECKING:
    from websp_gym.models.sdk import SdkRequest
    from websp_gym.models.spec import ModelSpec

_OPENAI_PATH = "/v1beta/openai"
"""End of the address at which Gemini speaks OpenAI's API, and not its own."""
_STOPS: dict[str, Stop] = {"STOP": "end", "MAX_TOKENS": "length"}
_FILTERS = ("SAFETY", "PROHIBITED_CONTENT", "BLOCKLIST", "SPII", "RECITATION", "IMAGE_SAFETY")
_MALFORMED = ("MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL")


class ComputerGemini:
    """A Gemini model that uses a computer.

    Args:
        model: The model string and its options.
        key: The key.
        request: The fixed part of every request.
        base_url: Another address than Google's; None for that.

    Raises:
        MissingExtraError: Google's SDK is not installed.
    """

    def __init__(self, model: ModelSpec, key: str, request: SdkRequest, base_url: str | None) -> None:
        try:
            genai: Any = import_module("google.genai")
        except ImportError:
            raise missing_extra(
                f"computer:{model.spec} needs Google's SDK", "gemini", model=model.spec
            ) from None
        self._sdk = genai
        self._types = genai.types
        self._request = request
        self._thinking = model.thinking
        place = (base_url or "").rstrip("/").removesuffix(_OPENAI_PATH) or None
        options = genai.types.HttpOptions(
            base_url=place,
            api_version="v1beta",
            timeout=round(model.timeout * 1000),
            retry_options=genai.types.HttpRetryOptions(attempts=1),
            # A redirect could send the key and the screenshots to another host.
            client_args={"follow_redirects": False},
        )
        self._http = _http_libraries()
        self._expected = (genai.errors.APIError, ValueError, *(each.HTTPError for each in self._http))
        self._client = genai.Client(api_key=key, vertexai=False, http_options=options)

    @property
    def model(self) -> str:
        """The model's name as it is sent."""
        return self._request.model

    def send(self, messages: Sequence[Message], schema: Mapping[str, Any] | None) -> Answer:
        """Make one attempt."""
        failure: AttemptError | None = None
        try:
            found = self._client.models.generate_content(
                model=self.model,
                contents=[self._content(message) for message in messages if message.role != "system"],
                config=self._config(messages),
            )
        except self._expected as error:
            failure = self._failed(error)
        if failure is not None:
            # Raised outside of the handler: the SDK's exception holds the request, and with it the key.
            raise failure
        return self._answer(found)

    def _config(self, messages: Sequence[Message]) -> Any:
        types = self._types
        functions = [
            each for message in messages if isinstance(message, ToolMessage) for each in message.functions
        ]
        use = types.ComputerUse(environment=types.Environment.ENVIRONMENT_BROWSER)
        tools = [types.Tool(computer_use=use)]
        if functions:
            declared = [
                types.FunctionDeclaration(
                    name=each.name, description=each.meaning, parameters_json_schema=each.schema
                )
                for each in functions
            ]
            tools.append(types.Tool(function_declarations=declared))
        more: dict[str, Any] = {}
        if self._request.send_temperature:
            more["temperature"] = self._request.temperature
        if self._request.max_tokens is not None:
            more["max_output_tokens"] = self._request.max_tokens
        if (wanted := self._thought()) is not None:
            more["thinking_config"] = wanted
        rules = "\n\n".join(message.text for message in messages if message.role == "system")
        return types.GenerateContentConfig(system_instruction=rules, tools=tools, **more)

    def _thought(self) -> Any:
        if isinstance(self._thinking, int):
            return self._types.ThinkingConfig(thinking_budget=self._thinking)
        effort = thinking.effort_of(self._thinking)
        return self._types.ThinkingConfig(thinking_level=effort) if effort else None

    def _content(self, message: Message) -> Any:
        types = self._types
        if isinstance(message, ToolMessage) and message.said is not None:
            return message.said
        results = message.results if isinstance(message, ToolMessage) else ()
        parts = [self._result(result) for result in results]
        for part in message.parts:
            parts.append(
                types.Part.from_bytes(data=part.png, mime_type="image/png")
                if isinstance(part, Image)
                else types.Part(text=part.text)
            )
        return types.Content(role="model" if message.role == "assistant" else "user", parts=parts)

    def _result(self, result: ToolResult) -> Any:
        types, call = self._types, result.call
        told = {"url": result.url, "output": result.text}
        if call.checks:
            told["safety_acknowledgement"] = "true"
        shown = None
        if result.picture is not None:
            blob = types.FunctionResponseBlob(mime_type="image/png", data=result.picture.png)
            shown = [types.FunctionResponsePart(inline_data=blob)]
        name, call_id = call.native["name"], call.native["id"]
        return types.Part(
            function_response=types.FunctionResponse(name=name, id=call_id, response=told, parts=shown)
        )

    def _answer(self, found: Any) -> Answer:
        usage = _usage(found.usage_metadata)
        model = found.model_version or self.model
        if not found.candidates:
            reason = found.prompt_feedback.block_reason if found.prompt_feedback else None
            if reason is None:
                malformed("no candidates")
            return Answer(text="", model=model, stop="filter", usage=usage)
        first = found.candidates[0]
        parts = (first.content.parts if first.content else None) or []
        calls = tuple(_call(part.function_call) for part in parts if part.function_call)
        text = "".join(part.text for part in parts if part.text and not part.thought)
        return Answer(
            text=text,
            model=model,
            stop=_stop(first.finish_reason),
            usage=usage,
            calls=calls,
            said=first.content,
        )

    def _failed(self, error: Exception) -> AttemptError:
        secrets = self._request.secrets
        if isinstance(error, tuple(each.TimeoutException for each in self._http)):
            return AttemptError("timeout", "no answer in time")
        if isinstance(error, tuple(each.TransportError for each in self._http)):
            said = hide(str(error), secrets)
            return AttemptError("connection", f"no connection ({type(error).__name__}: {said})")
        if isinstance(error, self._sdk.errors.APIError):
            code: int = error.code
            return from_error(code, f"{error.message}, {error.status}", secrets)
        return AttemptError("malformed", f"an answer that cannot be read ({type(error).__name__})")


def _http_libraries() -> list[Any]:
    """Return the HTTP libraries that Google's SDK may be built on: httpx or, for newer ones, httpx2."""
    return [import_module(name) for name in ("httpx", "httpx2") if find_spec(name) is not None]


def _call(given: Any) -> ToolCall:
    arguments = dict(given.args or {})
    decision = arguments.pop("safety_decision", None)
    checks = (decision,) if isinstance(decision, dict) else ()
    native = {"name": given.name, "id": given.id}
    action = {"name": given.name, "args": arguments}
    return ToolCall(
        id=given.id or "",
        action=action,
        function=given.name,
        arguments=arguments,
        native=native,
        checks=checks,
    )


def _stop(reason: Any) -> Stop:
    name = getattr(reason, "value", reason)
    if name in _FILTERS:
        return "filter"
    if name in _MALFORMED:
        malformed(f"finish reason: {name}")
    return _STOPS.get(str(name), "end")


def _usage(counted: Any) -> Usage | None:
    if counted is None or counted.prompt_token_count is None:
        return None
    written = (counted.candidates_token_count or 0) + (counted.thoughts_token_count or 0)
    cached = min(counted.cached_content_token_count or 0, counted.prompt_token_count)
    return Usage(input=counted.prompt_token_count, output=written, cached=cached)
