"""What an endpoint refuses to take: leave it out, try again, remember."""

from typing import Any, Literal

import openai
from langchain_core.exceptions import ContextOverflowError
from langchain_core.messages import BaseMessage

from graph.models.failures import is_about
from graph.models.flatten import without_tool_messages

Feature = Literal["tools", "stream_options"]
_ARGUMENTS: dict[Feature, tuple[str, ...]] = {
    "tools": ("tools", "tool_choice", "parallel_tool_calls"),
    "stream_options": ("stream_options", "stream_usage"),
}
_WORDS: dict[Feature, tuple[str, ...]] = {
    "tools": ("tool", "function"),
    "stream_options": ("stream_options", "include_usage"),
}
_VAGUE = frozenset({400, 422})
"""Such a refusal may be about the tools without saying so; sending the request without them tells."""


class Attempt:
    """One request, sent again without a feature that the endpoint refuses. `lacks` belongs to the model."""

    def __init__(self, lacks: set[Feature]) -> None:
        self._lacks = lacks
        self._suspected: set[Feature] = set()

    def messages(self, messages: list[BaseMessage]) -> list[BaseMessage]:
        """The conversation as this endpoint can take it."""
        return without_tool_messages(messages) if "tools" in self._lacks else messages

    def arguments(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """The call's arguments without those that the endpoint refuses."""
        dropped = {name for feature in self._lacks for name in _ARGUMENTS[feature]}
        return {name: value for name, value in arguments.items() if name not in dropped}

    def streams_usage(self, wanted: bool) -> bool:
        """Whether to ask for token counts in the stream."""
        return wanted and "stream_options" not in self._lacks

    def goes_on(self, error: Exception, arguments: dict[str, Any], *, usage: bool = False) -> bool:
        """Whether leaving something out may help; then it is left out from now on.

        A mere suspicion is taken back when the request fails without the feature as well.
        """
        feature = self._refused(error, self.arguments(arguments), usage=self.streams_usage(usage))
        if feature is None:
            self._lacks -= self._suspected
            return False
        if isinstance(error, openai.APIStatusError) and not is_about(error, _WORDS[feature]):
            self._suspected.add(feature)
        self._lacks.add(feature)
        return True

    @staticmethod
    def _refused(error: Exception, arguments: dict[str, Any], *, usage: bool) -> Feature | None:
        if isinstance(error, ContextOverflowError) or not isinstance(error, openai.APIStatusError):
            return None
        if usage and is_about(error, _WORDS["stream_options"]):
            return "stream_options"
        if arguments.get("tools") and (error.status_code in _VAGUE or is_about(error, _WORDS["tools"])):
            return "tools"
        return None
