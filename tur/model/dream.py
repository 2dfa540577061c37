"""What a dreaming engine returns, validated where it enters (EP-0152, 1)."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

MEMORY_LIMIT = 4_000
"""Longest content of one dreamt memory, in characters."""


class DreamMemory(BaseModel):
    """One memory to be. `from_notes` are the indices of the notes it rests on, at least one.

    There is no `core` among the types: what becomes part of the identity is only ever staged
    by `evolve` and approved by a human.
    """

    model_config = ConfigDict(extra="forbid")

    memory_type: Literal["fact", "insight", "axiom", "event", "preference"]
    content: str = Field(min_length=1, max_length=MEMORY_LIMIT)
    from_notes: list[int] = Field(min_length=1)
    title: str | None = Field(default=None, max_length=200)
    scope: Literal["incarnation", "persona", "user", "universal"] = "incarnation"
    tags: list[str] = Field(default_factory=list, max_length=20)
    supersedes: list[str] = Field(default_factory=list, description="ids of related memories this one replaces")


class DreamRefutation(BaseModel):
    """An existing memory that the session's notes showed to be wrong."""

    model_config = ConfigDict(extra="forbid")

    memory_id: str
    reason: str = Field(min_length=1, max_length=1_000)
    from_notes: list[int] = Field(min_length=1)


class Dream(BaseModel):
    """The distillation of one session. Empty lists are a good answer for a session of chatter.

    `memories` must be there even so: JSON that says nothing of them is another document, not an empty dream.
    """

    model_config = ConfigDict(extra="forbid")

    memories: list[DreamMemory] = Field(max_length=40)
    refutes: list[DreamRefutation] = Field(default_factory=list, max_length=20)
