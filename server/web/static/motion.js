// Between twenty places a second: balls are drawn a moment late, on the line between two places that are known.

const DELAY_S = 0.12;
const KEPT = 40;
const JUMP_MM = 700; // farther than a ball gets between two messages: it was carried

export class Motion {
  constructor() {
    this.samples = [];
    this.offset_s = null; // smallest (local - table) clock difference seen lately
  }

  reset() {
    this.samples = [];
    this.offset_s = null;
  }

  add(t_s, balls) {
    const last = this.samples.at(-1);
    if (last && t_s <= last.t_s) this.reset(); // the table's clock started anew
    const offset_s = performance.now() / 1000 - t_s;
    this.offset_s = this.offset_s === null ? offset_s : Math.min(this.offset_s + 0.002, offset_s);
    this.samples.push({ t_s, balls });
    if (this.samples.length > KEPT) this.samples.shift();
  }

  /** Where the balls are to be drawn now, and whether they will be elsewhere a moment later. */
  now() {
    const last = this.samples.at(-1);
    if (!last) return { balls: {}, moving: false };
    const t_s = performance.now() / 1000 - this.offset_s - DELAY_S;
    if (t_s >= last.t_s) return { balls: last.balls, moving: false };
    let index = this.samples.length - 1;
    while (index > 0 && this.samples[index - 1].t_s > t_s) index -= 1;
    if (index === 0) return { balls: this.samples[0].balls, moving: true };
    const [from, to] = [this.samples[index - 1], this.samples[index]];
    const share = Math.min(Math.max((t_s - from.t_s) / (to.t_s - from.t_s), 0), 1);
    const balls = {};
    for (const [name, place] of Object.entries(to.balls)) {
      const start = from.balls[name];
      balls[name] = start && Math.hypot(place[0] - start[0], place[1] - start[1]) < JUMP_MM
        ? [start[0] + (place[0] - start[0]) * share, start[1] + (place[1] - start[1]) * share]
        : place;
    }
    return { balls, moving: true };
  }
}
