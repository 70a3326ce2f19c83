// Logging in as staff, on the pages that are staff's.

import { element } from "./elements.js";

/** A card that asks for the PIN; `logIn(pin)` resolves when the server has answered. */
export function loginCard(say, logIn) {
  const pin = element("input", "pin");
  pin.type = "password";
  pin.inputMode = "numeric";
  pin.autocomplete = "current-password";
  pin.setAttribute("aria-label", say("pin"));
  const go = element("button", "wide main", say("log_in"));
  go.type = "submit";
  const card = element("form", "card login", element("h2", "", say("login")), element("p", "", say("login_how")), pin, go);
  card.addEventListener("submit", async (event) => {
    event.preventDefault();
    go.disabled = true;
    await logIn(pin.value);
    go.disabled = false;
    pin.value = "";
  });
  return card;
}
