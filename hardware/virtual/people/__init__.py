"""What people do over the table: deliveries, hands that carry balls, bystanders; all of it pure in time."""

from hardware.virtual.people.bodies import Actor, arm, blended, eased, moved, standing_place
from hardware.virtual.people.bystanders import LeftThing, Onlooker, Reach, Walker
from hardware.virtual.people.carrying import Carry
from hardware.virtual.people.delivery import CUE_LENGTH_MM, TIP_GAP_MM, Delivery, Manner, clear_bridge_mm

__all__ = [
    "CUE_LENGTH_MM",
    "TIP_GAP_MM",
    "Actor",
    "Carry",
    "Delivery",
    "LeftThing",
    "Manner",
    "Onlooker",
    "Reach",
    "Walker",
    "arm",
    "blended",
    "clear_bridge_mm",
    "eased",
    "moved",
    "standing_place",
]
