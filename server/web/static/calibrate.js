// The calibration wizard: a few steps beside the live picture; the table's own process measures and remembers.

import { ballStep, coloursStep, outlineStep, saveStep, tableStep } from "./calibrate-steps.js";
import { element, Words } from "./elements.js";
import { LivePicture } from "./live-picture.js";
import { loginCard } from "./login.js";
import { ask } from "./server.js";

const IDLE_MS = 1500;
const BUSY_MS = 350;
const STEPS = [tableStep, outlineStep, coloursStep, ballStep, saveStep];
const STEP_NAMES = ["table", "outline", "colours", "ball", "save"];
const byId = (id) => document.getElementById(id);
const { language, table } = document.body.dataset;
const words = new Words(document.body.dataset.words);
const say = (id, parameters) => words.say(`calibrate.${id}`, parameters);
const view = new URLSearchParams(location.search).get("view") === "1" ? 1 : 0;
const path = (rest) => `/api/tables/${encodeURIComponent(table)}/calibration${rest}`;

const wizard = { step: 0, state: null, corners: null, house: null, size: null, place: null, isStoredOpen: false, say, words, language, view };
const picture = new LivePicture(byId("picture"), {
  address: (width) => `${path("/still.jpg")}?width=${width}&view=${view}&t=${Date.now()}`,
  cornerNames: [1, 2, 3, 4].map((number) => say("corner", { number })),
  onMove: (corners) => {
    wizard.corners = corners.map((corner) => [...corner]);
    drawPicture();
  },
});
let shown = "";
let timer = null;

function complain(error) {
  const toast = byId("toast");
  toast.textContent = error.status ? error.message : say("not_sent");
  toast.hidden = false;
  clearTimeout(complain.timer);
  complain.timer = setTimeout(() => (toast.hidden = true), 6000);
}

async function send(rest, body) {
  try {
    hear(await ask(`${path(rest)}?view=${view}`, { body, language }));
    return true;
  } catch (error) {
    complain(error);
    return false;
  }
}

Object.assign(wizard, {
  go(step) {
    wizard.step = step;
    wizard.stopDragging();
  },
  /** Measure with what is known of the table, the house and the corners. */
  async measure(more = {}) {
    wizard.place = null;
    const { length_mm, width_mm, ball_mm, pockets } = wizard.size;
    const corners = more.corners === undefined ? wizard.asked?.corners_px : more.corners;
    wizard.asked = { length_mm, width_mm, ball_mm, pockets, house: wizard.house, corners_px: corners ?? null };
    if (await send("/measure", wizard.asked)) wizard.go(1);
  },
  learnColours: () => send("/colours", {}),
  look: () => send("/ball", { place: wizard.place }),
  save: () => send("/save", {}),
  restore: (number) => send("/restore", { number }),
  choose(place) {
    wizard.place = place;
    wizard.state.failed = "";
    refresh();
  },
  startDragging() {
    const [width, height] = wizard.state.size_px;
    const found = wizard.asked?.corners_px ?? wizard.state.proposal?.corners_px;
    const near = [[0.14, 0.16], [0.86, 0.16], [0.86, 0.84], [0.14, 0.84]].map(([x, y]) => [x * width, y * height]);
    const isInView = found?.every(([x, y]) => x > -0.2 * width && x < 1.2 * width && y > -0.2 * height && y < 1.2 * height);
    wizard.corners = (isInView ? found : near).map(([x, y]) => [Math.max(0, Math.min(width - 1, x)), Math.max(0, Math.min(height - 1, y))]);
    drawPicture();
    picture.drag(wizard.corners);
    refresh();
  },
  stopDragging() {
    wizard.corners = null;
    picture.drag(null);
    refresh();
  },
});

function drawPicture() {
  const { state, corners, step, place } = wizard;
  if (!state) return;
  const { proposal } = state;
  if (corners) {
    picture.draw(state.size_px, { lines: [{ points: corners, kind: "shown" }] });
  } else if (!proposal || step === 0) {
    picture.draw(state.size_px, {});
  } else {
    const lines = [{ points: proposal.outline_px, kind: `outline ${proposal.light}` }, { points: proposal.house_line_px, kind: "house-line", isOpen: true }];
    const at = step === 3 ? proposal.places.find((one) => one.place === place)?.at_px : null;
    picture.draw(state.size_px, { lines, marks: at ? [{ at, kind: "target" }] : [] });
  }
}

function showSteps() {
  byId("steps").replaceChildren(...STEP_NAMES.map((name, index) => {
    const made = element("li", "", element("span", "", String(index + 1)), element("b", "", say(`step_${name}`)));
    if (index === wizard.step) made.setAttribute("aria-current", "step");
    made.dataset.done = index < wizard.step ? "yes" : "no";
    return made;
  }));
}

/** Build the step anew when something has changed that it shows, and nobody is typing in it. */
function refresh() {
  const { state, corners, step, house, place, size } = wizard;
  if (!state) return;
  const key = JSON.stringify([{ ...state, has_picture: null }, step, corners !== null, house, place, size?.choice]);
  drawPicture();
  if (key === shown) return;
  shown = key;
  showSteps();
  byId("step").dataset.step = STEP_NAMES[step];
  byId("step").replaceChildren(...STEPS[step](wizard));
}

function hear(state) {
  wizard.state = state;
  if (!wizard.size) {
    const { length_mm, width_mm, ball_mm } = state.usual;
    wizard.size = { length_mm, width_mm, ball_mm, pockets: "auto", choice: `${length_mm}x${width_mm}` };
    if (state.doing || state.proposal) wizard.step = 1; // the page was loaded anew in the middle
  }
  if (state.has_picture) picture.start();
  document.body.dataset.health = state.has_picture ? "ok" : "failed";
  byId("status-text").textContent = state.has_picture ? say("live") : say("no_picture");
  refresh();
  clearTimeout(timer);
  timer = setTimeout(poll, state.doing ? BUSY_MS : IDLE_MS);
}

async function poll() {
  try {
    hear(await ask(`${path("")}?view=${view}`, { language }));
  } catch (error) {
    document.body.dataset.health = "failed";
    byId("status-text").textContent = error.status ? error.message : say("connection_lost");
    clearTimeout(timer);
    timer = setTimeout(poll, IDLE_MS);
  }
}

function become(session) {
  byId("login").replaceChildren(...(session.is_staff ? [] : [loginCard((id) => words.say(`hall.${id}`), logIn)]));
  byId("main").hidden = !session.is_staff;
  if (!session.is_staff) {
    byId("status-text").textContent = "";
    return;
  }
  poll();
}

async function logIn(pin) {
  try {
    become(await ask("/api/staff/login", { body: { pin }, language }));
  } catch (error) {
    complain(error);
  }
}

async function begin() {
  try {
    become(await ask("/api/session", { language }));
  } catch {
    setTimeout(begin, 2000);
  }
}

wizard.refresh = refresh;
begin();
