// The match clock: what the server said last, counted on by this page's own clock.

export class MatchClock {
  constructor(place, name, time) {
    Object.assign(this, { place, name, time, clock: null });
    setInterval(() => this.tick(), 500);
  }

  show(clock) {
    this.clock = clock;
    this.toldAt = performance.now();
    this.place.hidden = clock === null;
    if (clock === null) return;
    this.name.textContent = clock.left_s === null ? this.place.dataset.elapsed : this.place.dataset.left;
    this.place.classList.toggle("limited", clock.left_s !== null);
    this.tick();
  }

  tick() {
    if (!this.clock) return;
    const since_s = this.clock.is_running ? (performance.now() - this.toldAt) / 1000 : 0;
    const { elapsed_s, left_s } = this.clock;
    const shown_s = left_s === null ? elapsed_s + since_s : Math.ceil(Math.max(0, left_s - since_s));
    const words = spelled(shown_s);
    if (this.time.textContent !== words) this.time.textContent = words;
    this.place.classList.toggle("ending", left_s !== null && shown_s < 60 && this.clock.is_running);
  }
}

function spelled(seconds) {
  const whole = Math.floor(seconds);
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const two = (number) => String(number).padStart(2, "0");
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}
