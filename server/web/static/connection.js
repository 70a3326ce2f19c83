// A WebSocket that comes back by itself, and knows when it has heard nothing for too long.

const FIRST_RETRY_MS = 500;
const LAST_RETRY_MS = 5000;
const SILENCE_MS = 2600;
const LOST_MS = 1000; // a closed connection may come back at once; later than this nobody hears the table

export class Connection {
  /** `onMessage(message)` for every JSON message; `onFresh(fresh)` when news start or stop coming. */
  constructor(url, { onMessage, onFresh }) {
    this.url = url;
    this.onMessage = onMessage;
    this.onFresh = onFresh;
    this.retryMs = FIRST_RETRY_MS;
    this.heardAt = -Infinity;
    this.closedAt = Infinity;
    this.fresh = false;
    this.open();
    setInterval(() => this.listen(), 250);
  }

  open() {
    clearTimeout(this.timer);
    const socket = new WebSocket(this.url);
    this.socket = socket;
    this.openedAt = performance.now();
    socket.addEventListener("message", (event) => {
      if (socket !== this.socket) return;
      this.heardAt = performance.now();
      this.closedAt = Infinity;
      this.retryMs = FIRST_RETRY_MS;
      this.tell(true);
      this.onMessage(JSON.parse(event.data));
    });
    socket.addEventListener("close", () => {
      if (socket !== this.socket) return;
      this.closedAt = Math.min(this.closedAt, performance.now());
      this.reopenLater();
    });
  }

  reopenLater() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.open(), this.retryMs);
    this.retryMs = Math.min(this.retryMs * 1.7, LAST_RETRY_MS);
  }

  /** A server that vanished without a goodbye leaves the socket open: silence closes it. */
  listen() {
    const now = performance.now();
    if (now - this.heardAt < SILENCE_MS && now - this.closedAt < LOST_MS) return;
    this.tell(false);
    if (now - Math.max(this.heardAt, this.openedAt) > 2 * SILENCE_MS && this.socket.readyState < WebSocket.CLOSING) {
      this.socket.close();
      this.open();
    }
  }

  tell(fresh) {
    if (fresh === this.fresh) return;
    this.fresh = fresh;
    this.onFresh(fresh);
  }
}

/** The address of a table's live messages, on the host that served the page. */
export function liveAddress(table, language) {
  const address = new URL(`/ws/tables/${encodeURIComponent(table)}`, location.href);
  address.protocol = location.protocol === "https:" ? "wss:" : "ws:";
  address.searchParams.set("lang", language);
  return address.href;
}
