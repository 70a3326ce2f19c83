"""The picture of the virtual table: rendered in a hall's looks through any camera model."""

from hardware.virtual.picture.look import Lamp, Look, make_look
from hardware.virtual.picture.renderer import Renderer
from hardware.virtual.picture.view import make_end_view, make_view, true_table_file

__all__ = ["Lamp", "Look", "Renderer", "make_end_view", "make_look", "make_view", "true_table_file"]
