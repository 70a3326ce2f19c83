// What there is to settle a dispute: the drawing, the clip, and a second look, which is offered and never applied by itself.

import { button, element, toggle } from "./elements.js";

const LOOK_MS = 1500;

/** The drawing of a stroke, and under it whatever else there is, as soon as that is known. */
export function evidence(panel, number) {
  const place = element("div", "evidence", diagram(panel, number));
  new StrokeEvidence(panel, number, place).show();
  return place;
}

function diagram(panel, number) {
  const picture = element("img", "diagram");
  picture.alt = panel.say("diagram");
  picture.src = `/api/tables/${encodeURIComponent(panel.table)}/strokes/${number}/diagram.svg?lang=${panel.language}&v=${panel.state.version}`;
  return picture;
}

class StrokeEvidence {
  constructor(panel, number, place) {
    Object.assign(this, { panel, number, place, drawn: false });
    this.rest = element("div", "evidence-rest");
    place.append(this.rest);
  }

  async show() {
    try {
      this.tell(await this.panel.ask(`strokes/${this.number}/evidence`));
    } catch {
      // without an answer the drawing has to do
    }
  }

  tell(about) {
    if (!about.has_clip) return;
    if (!this.video) {
      this.video = clip(this.panel, this.address());
      this.video.addEventListener("loadedmetadata", () => (this.video.currentTime = Math.max(0, about.strike_s - 1)), { once: true });
      this.tools = element("div", "evidence-tools");
      this.rest.append(this.video, this.tools);
    }
    this.tools.replaceChildren(...this.parts(about));
    if (about.look?.state === "running") setTimeout(() => this.place.isConnected && this.show(), LOOK_MS);
  }

  address() {
    const path = `/api/tables/${encodeURIComponent(this.panel.table)}/strokes/${this.number}/clip`;
    return this.drawn ? `${path}?overlay=1` : path;
  }

  parts(about) {
    const { panel } = this;
    const speed = toggle(panel.say("slow_motion"), this.video.playbackRate < 1, (on) => {
      this.video.defaultPlaybackRate = this.video.playbackRate = on ? 0.25 : 1;
    });
    const parts = [speed];
    if (about.has_drawn) {
      parts.push(toggle(panel.say("drawn"), this.drawn, (on) => {
        const { currentTime } = this.video;
        this.drawn = on;
        this.video.src = this.address();
        this.video.addEventListener("loadedmetadata", () => (this.video.currentTime = currentTime), { once: true });
        this.video.play().catch(() => {});
      }));
    }
    parts.push(...this.look(about));
    return parts;
  }

  look({ look }) {
    const { panel } = this;
    if (look?.state === "running") return [element("p", "look running", panel.say("looking"))];
    if (look?.state === "done" && look.agrees) return [element("p", "look agrees", panel.say("look_agrees"))];
    if (look?.state === "done") {
      const seen = element("details", "seen", element("summary", "", panel.say("look_saw")), element("ol", "", ...look.events.map((line) => element("li", "", line))));
      const parts = [element("p", "look differs", panel.say("look_differs"), " ", element("b", "", look.outcome)), seen];
      if (panel.allowed) {
        parts.push(button("wide", panel.say("look_take"), async () => {
          if (await panel.give("correct", { stroke: this.number, shot: look.shot, why: "second look" })) panel.closeSheet();
        }));
      }
      return parts;
    }
    const parts = look?.state === "failed" ? [element("p", "look failed", panel.say("look_failed"))] : [];
    if (panel.allowed) parts.push(button("wide quiet", panel.say("look_again"), () => this.begin()));
    return parts;
  }

  async begin() {
    try {
      this.tell(await this.panel.ask(`strokes/${this.number}/examine`, {}));
    } catch (error) {
      this.panel.complain(error);
    }
  }
}

function clip(panel, address) {
  const video = element("video", "clip");
  Object.assign(video, { src: address, muted: true, loop: true, playsInline: true, controls: true, preload: "metadata" });
  video.setAttribute("aria-label", panel.say("clip"));
  return video;
}
