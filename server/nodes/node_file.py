"""The node file: what a machine beside the hall's looks at (TOML)."""

from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from server.config import BrokerConfig, EvidenceConfig, HallConfig, TableConfig, anchored, faults_of, read_toml
from server.errors import ConfigError
from server.logs import LogFormat


class NodeSection(BaseModel):
    """What the machine is called and where it keeps what it could not send yet."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9-]{0,30}$", description="its name: the hall's tables say node:NAME")
    outbox: Path = Field(default=Path("cuemarker-node.sqlite"), description="what is not stored in the hall yet")
    log_format: LogFormat = Field(default="text", description="text or json")


class NodeConfig(BaseModel):
    """A node: its tables, whose ids are those of the hall file, and the broker between it and the hall."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    node: NodeSection = Field(description="the machine")
    broker: BrokerConfig = Field(description="the broker")
    evidence: EvidenceConfig = Field(default_factory=EvidenceConfig, description="clips, which stay on this machine")
    tables: tuple[TableConfig, ...] = Field(min_length=1, description="the tables, [[tables]] each")

    @model_validator(mode="after")
    def _tables_are_its_own(self) -> "NodeConfig":
        HallConfig(tables=self.tables, broker=self.broker)
        away = [table.id for table in self.tables if table.node is not None]
        if away:
            message = f"tables {', '.join(away)}: a node's source is a camera, not another node"
            raise ValueError(message)
        return self


def read_node(path: Path) -> NodeConfig:
    """Read a node file; relative paths in it are taken from its folder.

    Raises:
        ConfigError: The file cannot be read or a key is wrong; one line with the key's path.
    """
    try:
        node = NodeConfig.model_validate(read_toml(path))
    except ValidationError as error:
        faults = faults_of(error)
        message = f"{path}: {faults[0]}" + (f" (and {len(faults) - 1} more)" if len(faults) > 1 else "")
        raise ConfigError(message) from error
    folder = path.parent.resolve()
    placed = anchored(HallConfig(tables=node.tables, evidence=node.evidence), folder)
    section = node.node.model_copy(update={"outbox": folder / node.node.outbox})
    return node.model_copy(update={"node": section, "tables": placed.tables, "evidence": placed.evidence})
