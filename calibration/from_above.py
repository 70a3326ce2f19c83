"""The place of a camera straight above a plane, where the usual solution for four corners fails."""

import cv2
import numpy as np

from calibration.camera import Array


def pose_from_above(flat_mm: Array, pixels: Array, matrix: Array) -> tuple[Array, Array, Array]:
    """Rotation, translation and error px from the homography of a plane, its axes made orthonormal."""
    h_flat_from_mm = cv2.getPerspectiveTransform(flat_mm[:, :2].astype(np.float32), pixels.astype(np.float32))
    columns = np.linalg.inv(matrix) @ h_flat_from_mm
    columns = columns / np.sqrt(np.linalg.norm(columns[:, 0]) * np.linalg.norm(columns[:, 1])) * np.sign(columns[2, 2])
    left, _, right = np.linalg.svd(columns[:, :2], full_matrices=False)
    axes = left @ right
    turn = np.column_stack([axes, np.cross(axes[:, 0], axes[:, 1])])
    rotation = np.asarray(cv2.Rodrigues(turn)[0], dtype=np.float64)
    seen, _ = cv2.projectPoints(flat_mm.reshape(-1, 1, 3), rotation, columns[:, 2], matrix, np.zeros(5))
    error = np.sqrt(np.mean((np.asarray(seen).reshape(-1, 2) - pixels) ** 2))
    return rotation, np.asarray(columns[:, 2], dtype=np.float64), np.array([error])
