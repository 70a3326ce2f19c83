// The camera's picture as it is now, what was found drawn on it, and four corners that can be dragged under a glass.

import { element } from "./elements.js";

const SVG = "http://www.w3.org/2000/svg";
const PAUSE_MS = 300;
const RETRY_MS = 1200;
const GLASS_PX = 144;
const ZOOM = 5;

function shape(name, attributes) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

const path = (points) => points.map(([x, y]) => `${x},${y}`).join(" ");

/** Shows `address(width)` again and again in `place`; positions are px of the whole picture, `size` = [width, height]. */
export class LivePicture {
  constructor(place, { address, cornerNames, onMove }) {
    this.place = place;
    this.address = address;
    this.cornerNames = cornerNames;
    this.onMove = onMove;
    this.size = null;
    this.image = element("img", "still");
    this.image.alt = "";
    this.drawing = shape("svg", { class: "drawing", preserveAspectRatio: "none", "aria-hidden": "true" });
    this.handles = element("div", "handles");
    this.glass = element("canvas", "glass");
    this.glass.width = this.glass.height = GLASS_PX * 2;
    this.glass.hidden = true;
    place.replaceChildren(this.image, this.drawing, this.handles, this.glass);
    this.corners = null;
    this.isRunning = false;
  }

  start() {
    if (this.isRunning) return;
    this.isRunning = true;
    this.next();
  }

  next() {
    if (document.hidden) {
      setTimeout(() => this.next(), RETRY_MS);
      return;
    }
    const sharp = this.corners !== null;
    const width = sharp ? 2560 : Math.min(1920, Math.round(this.place.clientWidth * Math.min(devicePixelRatio, 2)) || 1280);
    const coming = new Image();
    coming.addEventListener("load", () => {
      this.image.src = coming.src;
      this.source = coming;
      this.place.dataset.live = "yes";
      setTimeout(() => this.next(), sharp ? 2 * PAUSE_MS : PAUSE_MS);
    });
    coming.addEventListener("error", () => {
      this.place.dataset.live = "no";
      setTimeout(() => this.next(), RETRY_MS);
    });
    coming.src = this.address(Math.max(160, width));
  }

  /** Draw on it: `lines` are lists of points with a class, `marks` single points. */
  draw(size, { lines = [], marks = [] }) {
    this.size = size;
    if (!size) return;
    this.place.style.aspectRatio = `${size[0]} / ${size[1]}`;
    this.drawing.setAttribute("viewBox", `0 0 ${size[0]} ${size[1]}`);
    this.drawing.replaceChildren(
      ...lines.map(({ points, kind, isOpen }) => shape(isOpen ? "polyline" : "polygon", { points: path(points), class: kind })),
      ...marks.map(({ at, kind }) => shape("circle", { cx: at[0], cy: at[1], r: size[0] / 70, class: kind })),
    );
  }

  /** Let a person drag four corners, or (null) no longer. */
  drag(corners) {
    this.corners = corners && corners.map((corner) => [...corner]);
    this.handles.replaceChildren();
    this.glass.hidden = true;
    this.place.dataset.dragging = this.corners ? "yes" : "no";
    if (!this.corners) return;
    this.corners.forEach((_, index) => this.handles.append(this.handle(index)));
    this.placeHandles();
  }

  handle(index) {
    const made = element("button", "handle");
    made.type = "button";
    made.setAttribute("aria-label", this.cornerNames[index]);
    let from = null;
    made.addEventListener("pointerdown", (event) => {
      made.setPointerCapture(event.pointerId);
      from = { x: event.clientX, y: event.clientY, corner: [...this.corners[index]] };
      this.showGlass(index);
      event.preventDefault();
    });
    made.addEventListener("pointermove", (event) => {
      if (!from) return;
      const box = this.place.getBoundingClientRect();
      this.move(index, [
        from.corner[0] + ((event.clientX - from.x) * this.size[0]) / box.width,
        from.corner[1] + ((event.clientY - from.y) * this.size[1]) / box.height,
      ]);
    });
    const end = () => {
      from = null;
      this.glass.hidden = true;
    };
    made.addEventListener("pointerup", end);
    made.addEventListener("pointercancel", end);
    made.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
      if (!step) return;
      event.preventDefault();
      const far = event.shiftKey ? 10 : 1;
      this.move(index, [this.corners[index][0] + far * step[0], this.corners[index][1] + far * step[1]]);
    });
    made.addEventListener("blur", () => (this.glass.hidden = true));
    return made;
  }

  move(index, [x, y]) {
    const inside = (value, most) => Math.max(0, Math.min(most - 1, value));
    this.corners[index] = [inside(x, this.size[0]), inside(y, this.size[1])];
    this.placeHandles();
    this.showGlass(index);
    this.onMove(this.corners);
  }

  placeHandles() {
    [...this.handles.children].forEach((handle, index) => {
      handle.style.left = `${(100 * this.corners[index][0]) / this.size[0]}%`;
      handle.style.top = `${(100 * this.corners[index][1]) / this.size[1]}%`;
    });
  }

  /** The glass lies in the upper corner that is farther from the finger. */
  showGlass(index) {
    if (!this.source) return;
    const [x, y] = this.corners[index];
    const scale = this.source.naturalWidth / this.size[0];
    const side = (GLASS_PX * 2) / ZOOM;
    const pen = this.glass.getContext("2d");
    const center = GLASS_PX;
    pen.imageSmoothingEnabled = false;
    pen.fillStyle = "#000";
    pen.fillRect(0, 0, 2 * center, 2 * center);
    pen.drawImage(this.source, (x + 0.5) * scale - side / 2, (y + 0.5) * scale - side / 2, side, side, 0, 0, 2 * center, 2 * center);
    pen.strokeStyle = "#f0bd56";
    pen.lineWidth = 2;
    pen.beginPath();
    for (const [from, to] of [[0, 0.42], [0.58, 1]]) {
      pen.moveTo(from * 2 * center, center);
      pen.lineTo(to * 2 * center, center);
      pen.moveTo(center, from * 2 * center);
      pen.lineTo(center, to * 2 * center);
    }
    pen.stroke();
    this.glass.dataset.side = x < this.size[0] / 2 ? "right" : "left";
    this.glass.hidden = false;
  }
}
