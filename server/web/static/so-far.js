// The stroke that is under way, in small: who was struck, what it touched so far, what fell. Its reading at rest decides.

import { ballIcon } from "./balls.js";
import { element } from "./elements.js";

const STAYS_MS = 4000;
const CORRECTION_STAYS_MS = 8000;

export class SoFar {
  constructor(place, balls) {
    this.place = place;
    this.balls = balls;
    this.begin(null);
  }

  begin(struck) {
    this.struck = struck;
    this.touched = [];
    this.fallen = [];
  }

  /** An event: a provisional one is shown at once, the facts at rest all together with the rest that ends them. */
  hear({ event, provisional, corrects }) {
    this.take(event);
    if (provisional) this.show(false);
    else if (event.type === "rest" && this.struck) this.end(corrects);
    else if (event.type === "moved" && this.place.dataset.provisional) this.hide();
  }

  take(event) {
    if (event.type === "strike") this.begin(event.ball);
    else if (event.type === "contact" && [event.ball, event.other].includes(this.struck)) {
      const met = event.ball === this.struck ? event.other : event.ball;
      if (!this.touched.includes(met)) this.touched.push(met);
    } else if (event.type === "pocket" && this.struck && !this.fallen.includes(event.ball)) this.fallen.push(event.ball);
  }

  show(corrects) {
    clearTimeout(this.timer);
    const fallen = this.fallen.map((ball) => element("span", "fallen", ballIcon(ball)));
    const arrow = this.touched.length > 0 ? element("span", "", "→") : null;
    const shown = [this.struck ? ballIcon(this.struck) : null, arrow, ...this.touched.map(ballIcon), ...fallen];
    this.balls.replaceChildren(...shown.filter(Boolean));
    this.place.toggleAttribute("data-corrects", corrects);
    this.place.dataset.provisional = "yes";
    this.place.hidden = false;
  }

  end(corrects) {
    const wasShown = Boolean(this.place.dataset.provisional);
    if (wasShown) this.show(corrects);
    delete this.place.dataset.provisional;
    this.begin(null);
    this.timer = setTimeout(() => this.hide(), corrects ? CORRECTION_STAYS_MS : STAYS_MS);
  }

  hide() {
    clearTimeout(this.timer);
    delete this.place.dataset.provisional;
    this.place.hidden = true;
  }
}
