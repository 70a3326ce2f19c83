"""What can go wrong with a device; the class says what to do about it."""

from scoring.errors import CuemarkerError


class HardwareError(CuemarkerError):
    """The root of the room's errors."""


class DeviceAbsentError(HardwareError):
    """The device or file is not there, or has gone: try again."""


class DeviceMisconfiguredError(HardwareError):
    """The device is there and cannot do what was asked: tell a person."""


class ProtocolError(HardwareError):
    """What came over the wire or out of the file is torn: drop it and count."""


class WrongSizeError(DeviceMisconfiguredError):
    """The pictures have another size than was asked for: set the camera, or calibrate again."""


class SizeChangedError(ProtocolError):
    """The camera has begun to send pictures of another size."""
