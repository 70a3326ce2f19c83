"""What can go wrong in the appliance itself."""

from enum import StrEnum

from scoring.errors import CuemarkerError


class ServerError(CuemarkerError):
    """The appliance cannot do its work: the message says what, where, and what to do."""


class ConfigError(ServerError):
    """The hall file is wrong; the message names the file and the key."""


class RecordError(ServerError):
    """A record (JSON) does not say what the contract asks for; the message names the field."""


class JournalError(ServerError):
    """The journal cannot be read or written, so nothing more is acknowledged."""


class JournalHeldError(JournalError):
    """Another server holds the journal; one at a time writes to it."""


class Refusal(StrEnum):
    """Why a command is refused: the ids of the sentences that say so."""

    NO_TABLE = "refused.no_table"
    NO_MATCH = "refused.no_match"
    NO_STROKE = "refused.no_stroke"
    NO_QUESTION = "refused.no_question"
    NOTHING_TO_UNDO = "refused.nothing_to_undo"
    NO_LAG = "refused.no_lag"
    NOTHING_TO_REDO = "refused.nothing_to_redo"
    JOURNAL = "refused.journal"
    TOO_LATE = "refused.too_late"
    NOT_ALLOWED = "refused.not_allowed"
    NOT_STAFF = "refused.not_staff"
    NO_PIN = "refused.no_pin"
    WRONG_CODE = "refused.wrong_code"
    WRONG_PIN = "refused.wrong_pin"
    TOO_MANY_TRIES = "refused.too_many_tries"
    NO_RECORD = "refused.no_record"
    NO_ANSWER = "refused.no_answer"
    NO_CAMERA = "refused.no_camera"
    NO_PICTURE = "refused.no_picture"
    NOT_MEASURED = "refused.not_measured"
    CALIBRATING = "refused.calibrating"
    NOT_GOOD_ENOUGH = "refused.not_good_enough"
    NOT_STORED = "refused.not_stored"
    NO_TABLE_FILE = "refused.no_table_file"
    NO_CALIBRATION = "refused.no_calibration"
    NO_SUCH_MEASURES = "refused.no_such_measures"
    NO_SETTINGS = "refused.no_settings"
    NO_CLIP = "refused.no_clip"
    BUSY = "refused.busy"
    NO_LEADER = "refused.no_leader"


class CommandRefusedError(ServerError):
    """What a person asked cannot be done now; `refusal` says why in every language."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.value)
        self.refusal = refusal
