// Small helpers to make plain elements; text is always text, never markup.

/** An element with a class, and children that are elements or words. */
export function element(name, className = "", ...children) {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.append(...children.filter((child) => child !== null && child !== undefined && child !== ""));
  return made;
}

/** A rule's number as a link to the rule book in the page's language. */
export function ruleLink(className, word, number) {
  const link = element("a", className, `${word} ${number}`.trim());
  link.href = `/rules?lang=${document.documentElement.lang}#${number}`;
  return link;
}

/** A button that cannot be pressed twice while its work is under way. */
export function button(className, children, work) {
  const made = element("button", className, ...[children].flat());
  made.type = "button";
  made.addEventListener("click", async () => {
    if (made.disabled) return;
    made.disabled = true;
    try {
      await work();
    } finally {
      made.disabled = false;
    }
  });
  return made;
}

/** A row of buttons of which one is chosen; `onChoose(value)`. */
export function choice(label, options, chosen, onChoose) {
  const group = element("div", "choice-row");
  group.setAttribute("role", "radiogroup");
  group.setAttribute("aria-label", label);
  for (const { value, text } of options) {
    const one = element("button", "chip", text);
    one.type = "button";
    one.setAttribute("role", "radio");
    one.setAttribute("aria-checked", String(value === chosen));
    one.addEventListener("click", () => {
      for (const other of group.children) other.setAttribute("aria-checked", String(other === one));
      onChoose(value);
    });
    group.append(one);
  }
  return group;
}

/** Buttons of which several are chosen, in the order of the taps where that means something; `onChange(values)`. */
export function several(label, options, chosen, isOrdered, onChange) {
  const now = [...chosen];
  const group = element("div", "choice-row");
  group.setAttribute("role", "group");
  group.setAttribute("aria-label", label);
  const show = () => {
    [...group.children].forEach((one, index) => {
      const place = now.indexOf(options[index].value);
      one.setAttribute("aria-pressed", String(place >= 0));
      one.textContent = isOrdered && place >= 0 ? `${place + 1}. ${options[index].text}` : options[index].text;
    });
  };
  for (const { value } of options) {
    const one = element("button", "chip");
    one.type = "button";
    one.addEventListener("click", () => {
      const place = now.indexOf(value);
      if (place >= 0) now.splice(place, 1);
      else now.push(value);
      if (!isOrdered) now.sort((a, b) => a - b);
      show();
      onChange([...now]);
    });
    group.append(one);
  }
  show();
  return group;
}

/** A switch; `onChange(on)`. */
export function toggle(label, on, onChange) {
  const made = element("button", "chip toggle", label);
  made.type = "button";
  made.setAttribute("role", "switch");
  made.setAttribute("aria-checked", String(on));
  made.addEventListener("click", () => {
    const now = made.getAttribute("aria-checked") !== "true";
    made.setAttribute("aria-checked", String(now));
    onChange(now);
  });
  return made;
}

/** A field with its label. */
export function field(label, input) {
  const made = element("label", "field", element("span", "", label), input);
  return made;
}

/** A page's sentences, with parameters in braces. */
export class Words {
  constructor(json) {
    this.sentences = JSON.parse(json);
  }

  say(id, parameters = {}) {
    return (this.sentences[id] ?? id).replace(/\{(\w+)\}/g, (whole, name) => parameters[name] ?? whole);
  }

  ball(name) {
    if (/^\d+$/.test(name)) return this.say("ball.numbered", { number: name });
    return this.sentences[`ball.${name}`] ?? name;
  }
}
