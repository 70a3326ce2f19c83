"""What can go wrong in the appliance itself."""

from scoring.errors import CuemarkerError


class ServerError(CuemarkerError):
    """The appliance cannot do its work: the message says what, where, and what to do."""


class ConfigError(ServerError):
    """The hall file is wrong; the message names the file and the key."""


class RecordError(ServerError):
    """A record (JSON) does not say what the contract asks for; the message names the field."""


class JournalError(ServerError):
    """The journal cannot be read or written, so nothing more is acknowledged."""


class CommandRefusedError(ServerError):
    """What a person asked cannot be done now; the message id and its parameters say why."""

    def __init__(self, message_id: str, **parameters: str | int) -> None:
        super().__init__(message_id)
        self.message_id = message_id
        self.parameters = parameters
