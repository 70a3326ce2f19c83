// The table from above: house to the left, x to the right, y (left of the player) upwards.

import { ballDrawing, ballGradients, pathColour, svgElement } from "./balls.js";
import { Motion } from "./motion.js";

const RAIL_MM = 190;
const CUSHION_MM = 46;

export class TableView {
  constructor(place) {
    this.place = place;
    this.motion = new Motion();
    this.balls = new Map();
    this.drawing = false;
    this.calm = matchMedia("(prefers-reduced-motion: reduce)"); // balls jump then from place to place
  }

  /** Draw the furniture anew when it is another table. */
  showTable(table) {
    const key = JSON.stringify([table.length_mm, table.width_mm, table.ball_mm, table.has_pockets]);
    if (key === this.key) return;
    this.key = key;
    this.table = table;
    const { length_mm: length, width_mm: width } = table;
    const outer = RAIL_MM;
    const svg = svgElement("svg", {
      viewBox: `${-outer} ${-width / 2 - outer} ${length + 2 * outer} ${width + 2 * outer}`,
      role: "img",
      "aria-label": this.place.parentElement.getAttribute("aria-label"),
    });
    svg.append(ballGradients("ball"));
    svg.append(
      svgElement("rect", { x: -outer, y: -width / 2 - outer, width: length + 2 * outer, height: width + 2 * outer, rx: 90, fill: "var(--wood)" }),
      svgElement("rect", { x: -outer + 22, y: -width / 2 - outer + 22, width: length + 2 * outer - 44, height: width + 2 * outer - 44, rx: 74, fill: "none", stroke: "var(--wood-light)", "stroke-width": 10 }),
      svgElement("rect", { x: -CUSHION_MM, y: -width / 2 - CUSHION_MM, width: length + 2 * CUSHION_MM, height: width + 2 * CUSHION_MM, fill: "var(--cloth-edge)" }),
      svgElement("rect", { x: 0, y: -width / 2, width: length, height: width, fill: "var(--cloth)" }),
      svgElement("line", { class: "mark", x1: length / 4, x2: length / 4, y1: -width / 2, y2: width / 2 }),
    );
    for (const share of [0.25, 0.5, 0.75]) svg.append(svgElement("circle", { class: "spot", cx: length * share, cy: 0, r: 13 }));
    if (table.has_pockets) svg.append(...pockets(length, width));
    this.paths = svgElement("g");
    this.due = svgElement("g");
    this.layer = svgElement("g");
    svg.append(this.paths, this.due, this.layer);
    this.balls.clear();
    this.place.replaceChildren(svg);
  }

  showPaths(paths) {
    if (!this.paths) return;
    this.paths.replaceChildren(...paths.map(({ ball, points }) =>
      svgElement("polyline", { class: "path", stroke: pathColour(ball), points: points.map(([x, y]) => `${x},${-y}`).join(" ") })));
  }

  /** Where balls are to be put: a ring at the place, and an arrow from where the ball lies. */
  showDuePlaces(places) {
    const key = JSON.stringify(places);
    if (!this.due || key === this.due.shownKey) return;
    this.due.shownKey = key;
    this.due.replaceChildren(...places.map(({ ball, at, lies }) => duePlace(ball, at, lies, this.table.ball_mm)));
  }

  showPlaces(t_s, balls) {
    if (!this.layer) return;
    this.motion.add(t_s, balls);
    if (!this.drawing) {
      this.drawing = true;
      requestAnimationFrame(() => this.draw());
    }
  }

  draw() {
    const { balls, moving } = this.calm.matches ? { balls: this.motion.samples.at(-1)?.balls ?? {}, moving: false } : this.motion.now();
    for (const [name, [x, y]] of Object.entries(balls)) {
      let drawing = this.balls.get(name);
      if (!drawing) {
        drawing = ballDrawing(name, this.table.ball_mm / 2, "ball");
        this.balls.set(name, drawing);
        this.layer.append(drawing);
      }
      drawing.setAttribute("transform", `translate(${x.toFixed(1)} ${(-y).toFixed(1)})`);
    }
    for (const [name, drawing] of this.balls) {
      if (name in balls) continue;
      drawing.remove();
      this.balls.delete(name);
    }
    this.drawing = moving;
    if (moving) requestAnimationFrame(() => this.draw());
  }
}

function duePlace(ball, [x, y], lies, size) {
  const group = svgElement("g", { class: "due-place", "data-due": ball });
  if (lies) group.append(svgElement("line", { class: "due-way", x1: lies[0], y1: -lies[1], x2: x, y2: -y }));
  group.append(
    svgElement("circle", { class: "due-wave", cx: x, cy: -y, r: size }),
    svgElement("circle", { class: "due-ring", cx: x, cy: -y, r: size * 0.95 }),
  );
  const ghost = svgElement("g", { transform: `translate(${x} ${-y})`, opacity: "0.55" });
  ghost.append(ballDrawing(ball, size / 2, "ball"));
  ghost.removeAttribute("data-ball");
  ghost.firstChild.removeAttribute("data-ball");
  group.append(ghost);
  return group;
}

function pockets(length, width) {
  const places = [];
  for (const side of [-1, 1]) {
    for (const x of [0, length / 2, length]) {
      const middle = x === length / 2;
      const outwards = middle ? 0 : x === 0 ? -1 : 1;
      places.push(svgElement("circle", {
        cx: x + outwards * 26,
        cy: side * (width / 2 + (middle ? 52 : 26)),
        r: middle ? 62 : 66,
        fill: "#050807",
        stroke: "#00000088",
        "stroke-width": 12,
      }));
    }
  }
  return places;
}
