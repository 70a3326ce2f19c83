"""A printed board (ChArUco): its page as PDF, and the lens from views of it, with guidance which views are missing."""

import os
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from calibration.camera import Array
from calibration.cloth import Picture
from calibration.errors import CalibrationError

_PX_PER_SQUARE = 120
_PAGE_MM = (420.0, 297.0)  # A3, lying
_POINTS_PER_MM = 72 / 25.4
_LEAST_CORNERS = 12
_LEAST_VIEWS = 8
_CELLS = (4, 3)  # parts of the picture that should have seen the board
_LEAST_CELLS = 9
_LEAST_TILTED = 3
_TILTED_RAD = 0.25
_MOST_RMS_PX = 1.5


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardSpecification:
    """A ChArUco board of DICT_5X5_100 markers, numbered from 0, a black square at its top left."""

    columns: int = 9
    rows: int = 6
    square_mm: float = 40.0
    marker_mm: float = 30.0

    @property
    def words(self) -> str:
        """The specification on one line, as printed below the board."""
        return (
            f"ChArUco {self.columns} x {self.rows}, squares {self.square_mm:g} mm, markers {self.marker_mm:g} mm, "
            "DICT_5X5_100; print at 100 %, measure a square"
        )

    def board(self) -> cv2.aruco.CharucoBoard:
        """The board as OpenCV knows it, in mm."""
        dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_5X5_100)
        return cv2.aruco.CharucoBoard((self.columns, self.rows), self.square_mm, self.marker_mm, dictionary)

    def picture(self) -> Picture:
        """The board in grey, 120 px a square, without a margin."""
        size = (self.columns * _PX_PER_SQUARE, self.rows * _PX_PER_SQUARE)
        return np.asarray(self.board().generateImage(size, marginSize=0), dtype=np.uint8)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Lens:
    """A camera's lens: `matrix` (3, 3), `distortion` (5,), how well the views agree, and how many there were.

    Square pixels, two radial coefficients, as a table is fitted with; `sigmas` (5,) are the views' own doubt of the
    focal length px, the axis px (x, y), k1 and k2.
    """

    size_px: tuple[int, int]
    matrix: Array
    distortion: Array
    sigmas: Array
    rms_px: float
    views: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BoardView:
    """Corners of the board in one picture: `ids` (N,), `points_px` (N, 2)."""

    ids: Array
    points_px: Array


def write_board_pdf(specification: BoardSpecification, path: str | os.PathLike[str]) -> None:
    """Write the board in its true size on an A3 page, its specification below and in the file's own description."""
    wide_mm, high_mm = specification.columns * specification.square_mm, specification.rows * specification.square_mm
    if wide_mm > _PAGE_MM[0] - 20 or high_mm > _PAGE_MM[1] - 30:
        message = f"a board of {wide_mm:g} x {high_mm:g} mm does not fit on A3: take smaller squares"
        raise CalibrationError(message)
    picture = specification.picture()
    height, width = picture.shape
    left, bottom = ((page - size) / 2 for page, size in zip(_PAGE_MM, (wide_mm, high_mm), strict=True))
    text = specification.words.replace("(", r"\(").replace(")", r"\)")
    page = (
        f"q {wide_mm * _POINTS_PER_MM:.3f} 0 0 {high_mm * _POINTS_PER_MM:.3f} {left * _POINTS_PER_MM:.3f} "
        f"{bottom * _POINTS_PER_MM:.3f} cm /Board Do Q\n"
        f"BT /Words 11 Tf {left * _POINTS_PER_MM:.3f} {(bottom - 9) * _POINTS_PER_MM:.3f} Td ({text}) Tj ET"
    ).encode("ascii")
    pixels = zlib.compress(picture.tobytes(), 9)
    box = " ".join(f"{size * _POINTS_PER_MM:.3f}" for size in _PAGE_MM)
    image = (
        f"/Type /XObject /Subtype /Image /Width {width} /Height {height} /ColorSpace /DeviceGray /BitsPerComponent 8"
    )
    resources = "/XObject << /Board 4 0 R >> /Font << /Words 6 0 R >>"
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {box}] /Contents 5 0 R /Resources << {resources} >> >>".encode(),
        _stream(f"{image} /Filter /FlateDecode", pixels),
        _stream("", page),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        f"<< /Title ({text}) /Producer (Cuemarker) >>".encode("ascii"),
    ]
    content = bytearray(b"%PDF-1.4\n")
    places = []
    for number, part in enumerate(objects, start=1):
        places.append(len(content))
        content += f"{number} 0 obj\n".encode() + part + b"\nendobj\n"
    start = len(content)
    content += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode()
    content += b"".join(f"{place:010} 00000 n \n".encode() for place in places)
    trailer = f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R /Info 7 0 R >>\nstartxref\n{start}\n%%EOF\n"
    content += trailer.encode()
    try:
        Path(path).write_bytes(bytes(content))
    except OSError as error:
        message = (
            f"{os.fspath(path)}: cannot be written ({error.strerror or error}), name a file in a folder that can be"
        )
        raise CalibrationError(message) from error


def find_board(picture: Picture, specification: BoardSpecification) -> BoardView | None:
    """The board's corners in a picture, or None when too few of them are seen."""
    grey = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY) if picture.ndim == 3 else picture
    seen: tuple[object, ...] = cv2.aruco.CharucoDetector(specification.board()).detectBoard(grey)
    corners, ids = (np.asarray([] if part is None else part) for part in seen[:2])
    if len(ids) < _LEAST_CORNERS:
        return None
    return BoardView(ids=ids.astype(np.float64).ravel(), points_px=corners.astype(np.float64).reshape(-1, 2))


def missing_views(
    views: Sequence[BoardView], specification: BoardSpecification, size_px: tuple[int, int]
) -> tuple[str, ...]:
    """What a person should show next; empty when the views are enough."""
    wanted = []
    if len(views) < _LEAST_VIEWS:
        wanted.append(f"{_LEAST_VIEWS - len(views)} more views of the board, each from elsewhere")
    seen = np.zeros(_CELLS, dtype=bool)
    for view in views:
        cells = (view.points_px / size_px * _CELLS).astype(int).clip(0, np.array(_CELLS) - 1)
        seen[cells[:, 0], cells[:, 1]] = True
    if int(seen.sum()) < _LEAST_CELLS:
        column, row = (int(value) for value in np.argwhere(~seen)[0])
        where = f"{('top', 'middle', 'bottom')[row]}, {('far left', 'left', 'right', 'far right')[column]}"
        wanted.append(f"the board at the {where} of the picture")
    if sum(_tilt_rad(view, specification, size_px) > _TILTED_RAD for view in views) < _LEAST_TILTED:
        wanted.append("the board tilted by 20 to 40 degrees, towards other sides each time")
    return tuple(wanted)


def lens_from_views(views: Sequence[BoardView], specification: BoardSpecification, size_px: tuple[int, int]) -> Lens:
    """The lens from views of the board; CalibrationError says which views are missing, or that they disagree."""
    if missing := missing_views(views, specification, size_px):
        message = f"the lens cannot be told yet; show {'; '.join(missing)}"
        raise CalibrationError(message)
    corners = np.asarray(specification.board().getChessboardCorners(), dtype=np.float32)
    objects = [corners[view.ids.astype(int)].reshape(-1, 1, 3) for view in views]
    pixels = [view.points_px.astype(np.float32).reshape(-1, 1, 2) for view in views]
    width, height = size_px
    start = np.array([[0.85 * width, 0, (width - 1) / 2], [0, 0.85 * width, (height - 1) / 2], [0, 0, 1]])
    flags = cv2.CALIB_USE_INTRINSIC_GUESS | cv2.CALIB_FIX_ASPECT_RATIO | cv2.CALIB_ZERO_TANGENT_DIST | cv2.CALIB_FIX_K3
    rms, matrix, distortion, _, _, doubts, *_ = cv2.calibrateCameraExtended(
        objects, pixels, size_px, start, np.zeros(5), flags=flags
    )
    if rms > _MOST_RMS_PX:
        message = f"the views miss the board by {rms:.1f} px: was it flat, sharp, and printed at 100 %?"
        raise CalibrationError(message)
    return Lens(
        size_px=size_px,
        matrix=np.asarray(matrix, dtype=np.float64),
        distortion=np.asarray(distortion, dtype=np.float64).ravel()[:5],
        sigmas=np.asarray(doubts, dtype=np.float64).ravel()[[1, 2, 3, 4, 5]],  # of fx and fy, only fy is told
        rms_px=float(rms),
        views=len(views),
    )


def _tilt_rad(view: BoardView, specification: BoardSpecification, size_px: tuple[int, int]) -> float:
    """About how far the board is tilted from facing the camera, as seen by a usual lens."""
    corners = np.asarray(specification.board().getChessboardCorners(), dtype=np.float64)[view.ids.astype(int)]
    focal = 0.85 * size_px[0]
    matrix = np.array([[focal, 0, size_px[0] / 2], [0, focal, size_px[1] / 2], [0, 0, 1]])
    good, rotation, _ = cv2.solvePnP(corners, view.points_px, matrix, np.zeros(5))
    if not good:
        return 0.0
    return float(np.arccos(np.clip(abs(cv2.Rodrigues(rotation)[0][2, 2]), 0, 1)))


def _stream(entries: str, content: bytes) -> bytes:
    return f"<< {entries} /Length {len(content)} >>\nstream\n".encode() + content + b"\nendstream"
