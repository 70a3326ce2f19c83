"""The way open projects follow balls with OpenCV alone: MOG2 for what moves, Hough circles, the nearest neighbour."""

from dataclasses import dataclass, field

import cv2
import numpy as np
import numpy.typing as npt

Centers = npt.NDArray[np.float64]
_NEAR_RADII = 1.2  # nearer to a circle a moving patch is the same ball
_STEP_PX = 80.0  # so far a ball is followed from frame to frame
_EDGE, _VOTES = 60.0, 16.0  # of Hough's: Canny's upper threshold, and votes for a middle


@dataclass(slots=True)
class OpencvPeer:
    """Finds and follows balls of a radius in pixels, on a field that a person has outlined (corners in order)."""

    radius_px: float
    field_px: npt.NDArray[np.float32]
    _ground: cv2.BackgroundSubtractorMOG2 = field(default_factory=cv2.createBackgroundSubtractorMOG2)
    _places: dict[int, npt.NDArray[np.float64]] = field(default_factory=dict)
    _last: int = 0

    def look(self, picture: npt.NDArray[np.uint8]) -> Centers:
        """The balls of one BGR frame, in pixels."""
        still = cv2.medianBlur(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), 5)
        circles = cv2.HoughCircles(
            still,
            cv2.HOUGH_GRADIENT,
            dp=1,
            minDist=1.6 * self.radius_px,
            param1=_EDGE,
            param2=_VOTES,
            minRadius=round(0.7 * self.radius_px),
            maxRadius=round(1.4 * self.radius_px),
        )
        found = np.empty((0, 2)) if circles is None else np.asarray(circles, dtype=np.float64).reshape(-1, 3)[:, :2]
        moving = self._moving(np.asarray(self._ground.apply(picture), dtype=np.uint8))
        new = [one for one in moving if not _is_near(one, found, _NEAR_RADII * self.radius_px)]
        centers = self._on_field(np.concatenate([found, np.array(new).reshape(-1, 2)]))
        self._follow(centers)
        return centers

    def _moving(self, mask: npt.NDArray[np.uint8]) -> Centers:
        """The middles of patches that move and are as large as a ball."""
        mask = np.where(mask == 255, mask, 0).astype(np.uint8)
        mask = np.asarray(cv2.morphologyEx(mask, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8)), dtype=np.uint8)
        _, _, stats, middles = cv2.connectedComponentsWithStats(mask)
        disc = np.pi * self.radius_px**2
        areas = stats[1:, cv2.CC_STAT_AREA]
        return np.asarray(middles[1:][(areas > 0.4 * disc) & (areas < 4 * disc)], dtype=np.float64)

    def _on_field(self, centers: Centers) -> Centers:
        """Those on the field."""
        inside = [cv2.pointPolygonTest(self.field_px, (float(x), float(y)), measureDist=False) >= 0 for x, y in centers]
        return centers[inside] if inside else centers

    def _follow(self, centers: Centers) -> None:
        """Each ball goes to the nearest one of the frame before."""
        before, self._places = self._places, {}
        for center in centers:
            far = {key: float(np.hypot(*(center - place))) for key, place in before.items()}
            nearest = min(far, key=lambda key: far[key], default=None)
            if nearest is None or far[nearest] > _STEP_PX:
                self._last += 1
                nearest = self._last
            before.pop(nearest, None)
            self._places[nearest] = center


def _is_near(center: npt.NDArray[np.float64], others: Centers, reach_px: float) -> bool:
    return bool(len(others)) and float(np.hypot(*(others - center).T).min()) < reach_px
