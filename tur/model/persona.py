"""The agent's identity and its settings, as `persona.yaml` holds them."""

from pydantic import BaseModel, ConfigDict, Field


class RetentionSettings(BaseModel):
    """How many consolidated sessions stay beside the live one."""

    model_config = ConfigDict(extra="allow")

    horizon: int = Field(default=20, ge=1)


class DreamSettings(BaseModel):
    """Which engine dreams and, for engines that have one, with which model."""

    model_config = ConfigDict(extra="allow")

    engine: str | None = None
    model: str | None = None


class Settings(BaseModel):
    """Everything a human may tune. Keys that are not known here are kept."""

    model_config = ConfigDict(extra="allow")

    wake_budget: int = Field(default=1_500, ge=100, description="tokens of memories in the wake prompt")
    half_life_days: dict[str, int | None] = Field(default_factory=dict)
    retention: RetentionSettings = Field(default_factory=RetentionSettings)
    dream: DreamSettings = Field(default_factory=DreamSettings)


class Persona(BaseModel):
    """Who the agent is. `id` is a UUID, `directives` are the human's standing words to it."""

    model_config = ConfigDict(extra="allow")

    id: str
    name: str = Field(min_length=1, max_length=100)
    created_at: str
    directives: list[str] = Field(default_factory=list)
    settings: Settings = Field(default_factory=Settings)
