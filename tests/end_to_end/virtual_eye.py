"""A virtual table before a camera that sends Motion JPEG, as a network camera does: what it shows can be changed."""

from dataclasses import replace

import cv2
import numpy as np

from hardware.virtual.difficulty import Difficulty
from hardware.virtual.picture import Renderer, make_look, make_view
from hardware.virtual.scene import BallPose, Instant
from hardware.virtual.streaming import MjpegServer
from scoring.balls import FIVE_BALL_SET
from scoring.table import Table

TABLE = Table(length_mm=2840, width_mm=1420)
SIZE_PX, FPS = (1280, 720), 8
_NOISY = 4  # pictures of one scene that differ by their noise


class VirtualEye:
    """Serves the pictures of a scene at `address` until it is closed."""

    def __init__(self, seed=3):
        look = make_look(seed, Difficulty.EASY, length_mm=TABLE.length_mm, width_mm=TABLE.width_mm)
        self.noses_mm = [(x, y, TABLE.nose_height_mm) for x, y in ((0, 710), (2840, 710), (2840, -710), (0, -710))]
        self.camera = make_view(TABLE, seed, Difficulty.EASY, SIZE_PX)
        self._renderer = Renderer(TABLE, self.camera, replace(look, size_px=SIZE_PX))
        self.spread = {ball: (500.0 + 420 * index, -300.0 + 140 * index) for index, ball in enumerate(FIVE_BALL_SET)}
        self._server = MjpegServer(self._coded(), fps=FPS)
        self.address = self._server.address

    def corners_px(self):
        """Where the noses meet, clockwise in the picture from its top left."""
        return self.camera.project(self.noses_mm)

    def show(self, balls=None, *, has_false_noses=False, shift_px=(0, 0)):
        """Another scene: balls by place, false noses or none, the camera nudged or not."""
        self._server.pictures = self._coded(balls, has_false_noses=has_false_noses, shift_px=shift_px)

    def close(self):
        """Send no more."""
        self._server.close()

    def _coded(self, balls=None, *, has_false_noses=False, shift_px=(0, 0)):
        poses = tuple(BallPose(ball=ball, center_mm=(*at, 34.0)) for ball, at in (balls or self.spread).items())
        coded = []
        for number in range(_NOISY):
            picture = self._renderer.still(Instant(balls=poses), number / FPS)
            if has_false_noses:
                self._put_false_noses(picture)
            move = np.float32([[1, 0, shift_px[0]], [0, 1, shift_px[1]]])
            moved = cv2.warpAffine(picture, move, SIZE_PX, borderMode=cv2.BORDER_REPLICATE)
            coded.append(cv2.imencode(".jpg", moved, [cv2.IMWRITE_JPEG_QUALITY, 94])[1].tobytes())
        return coded

    def _put_false_noses(self, picture):
        """Cloth over the true cushions, a rim farther out that looks like one: no noise may decide what is found."""
        cloth = np.median(picture[450:470, 880:920], axis=(0, 1))
        for inner_mm, outer_mm, share in ((735, 850, 1.0), (838, 850, 0.45), (850, 900, 1.12)):
            for way in (1, -1):
                ends = ((-60, inner_mm), (2900, inner_mm), (2900, outer_mm), (-60, outer_mm))
                strip = self.camera.project([(x, way * y, 40.0) for x, y in ends])
                colour = np.clip(cloth * share, 0, 255).tolist()
                cv2.fillPoly(picture, [np.round(strip).astype(np.int32)], colour)
