// How balls look: colours, dots and numbers, as small SVG drawings.

const SVG = "http://www.w3.org/2000/svg";
const COLOURS = {
  white: ["#ffffff", "#e9e4d4", "#a8a18b"],
  red: ["#ff8a78", "#cf2f25", "#6f0f0c"],
  yellow: ["#ffeeb0", "#f2bd24", "#8f6503"],
  cue: ["#ff9d8a", "#b3261e", "#5b0b08"],
  numbered: ["#ffffff", "#f1ecdd", "#aaa28c"],
  unknown: ["#fbfaf4", "#ddd8c8", "#8f8974"],
};
const PATH_COLOURS = { white: "#ffffff", red: "#ff7363", yellow: "#ffd34d", cue: "#ff7363", numbered: "#f1ecdd" };

export function svgElement(name, attributes = {}) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}

export function colourWord(name) {
  if (/^\d+$/.test(name)) return "numbered";
  const word = name.includes("?") ? "unknown" : name.split("-")[0];
  return word in COLOURS ? word : "unknown";
}

export function pathColour(name) {
  return PATH_COLOURS[colourWord(name)] ?? "#c7d0cb";
}

/** The gradients that ball drawings refer to; put once into every SVG that shows balls. */
export function ballGradients(prefix) {
  const definitions = svgElement("defs");
  for (const [word, stops] of Object.entries(COLOURS)) {
    const gradient = svgElement("radialGradient", { id: `${prefix}-${word}`, cx: "36%", cy: "32%", r: "75%" });
    stops.forEach((colour, index) =>
      gradient.append(svgElement("stop", { offset: ["0%", "45%", "100%"][index], "stop-color": colour })));
    definitions.append(gradient);
  }
  return definitions;
}

/** One ball around (0, 0). */
export function ballDrawing(name, radius, prefix) {
  const group = svgElement("g", { "data-ball": name });
  group.append(
    svgElement("ellipse", { cx: radius * 0.2, cy: radius * 0.28, rx: radius * 1.04, ry: radius, fill: "#00000066" }),
    svgElement("circle", { r: radius, fill: `url(#${prefix}-${colourWord(name)})` }),
  );
  const dots = { "white-1": [0], "white-2": [-0.34, 0.34] }[name] ?? [];
  for (const dot of dots) group.append(svgElement("circle", { cx: dot * radius, r: radius * 0.2, fill: "#1a211e" }));
  if (/^\d+$/.test(name)) {
    const number = svgElement("text", { class: "ball-number" });
    number.textContent = name;
    group.append(number);
  }
  return group;
}

/** A ball as a small picture of its own, for a player's name. */
export function ballIcon(name) {
  const icon = svgElement("svg", { viewBox: "-44 -44 88 88", "aria-hidden": "true" });
  icon.append(ballGradients(`icon-${name}`), ballDrawing(name, 34, `icon-${name}`));
  return icon;
}
