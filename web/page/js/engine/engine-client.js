// Questions to the engine and their answers, over a transport.
//
// A question that is open when the connection is lost is asked again after reconnecting, so callers only ever wait.

import { Emitter } from "../game/emitter.js";
import { t } from "../language/texts.js";

const FIRST_RETRY = 500;
const LONGEST_RETRY = 8000;

/** Milliseconds after which to try again what has failed so many times before. */
export function retryAfter(failures) {
  return Math.min(FIRST_RETRY * 2 ** failures, LONGEST_RETRY);
}

/** The engine rejected a query. `field` names the part of the query that is wrong. */
export class QueryError extends Error {
  constructor({ error, field }) {
    super(error);
    this.name = "QueryError";
    this.field = field ?? null;
  }
}

export class EngineClient extends Emitter {
  #door;
  #isKnown = false;
  #transport = null;
  #open = new Map();
  #nextId = 1;
  /** How many times in a row it could not connect. */
  #failures = 0;
  #timer = null;
  /** The attempt to connect that goes on, or null. */
  #connecting = null;

  /**
   * `door` is the way to the engine, {name, open(handlers) -> Promise<transport>}, which is opened again whenever it
   * closes.
   *
   * Emits "state" with "connecting", "ready", "lost" or "failed" (it never opened). In the last two it tries again
   * from time to time.
   */
  constructor(door) {
    super();
    this.#door = door;
    this.state = "connecting";
    /** What the engine says of itself: its answer to the action `version`. */
    this.about = {};
    /** Why the door did not open when it was last tried, or null. */
    this.failure = null;
  }

  /** The name of the door. */
  get door() {
    return this.#door.name;
  }

  /** The name of the door, or null if it never opened. */
  get engine() {
    return this.#isKnown ? this.#door.name : null;
  }

  /** Connects, unless that goes on already. Resolves to whether it worked. */
  connect() {
    this.#connecting ??= this.#connect().finally(() => (this.#connecting = null));
    return this.#connecting;
  }

  async #connect() {
    clearTimeout(this.#timer);
    this.#setState("connecting");
    const isOpen = await this.#openDoor();
    if (!isOpen) this.#reconnectLater(this.#isKnown ? "lost" : "failed");
    return isOpen;
  }

  async #openDoor() {
    let transport;
    let isCurrent = true;
    const handlers = {
      onText: (text) => isCurrent && this.#receive(text),
      onClose: () => {
        if (this.#transport === transport) this.#lose();
        isCurrent = false;
      },
    };
    try {
      transport = await this.#door.open(handlers);
    } catch (error) {
      this.failure = error;
      return false;
    }
    this.failure = null;
    this.#isKnown = true;
    this.#transport = transport;
    this.about = transport.about ?? {};
    this.#failures = 0;
    this.#setState("ready");
    for (const request of this.#open.values()) this.#send(request);
    return true;
  }

  #lose() {
    this.#transport = null;
    this.#reconnectLater("lost");
  }

  #reconnectLater(state) {
    this.#setState(state);
    this.#timer = setTimeout(() => this.connect(), retryAfter(this.#failures++));
  }

  #setState(state) {
    if (state === this.state) return;
    this.state = state;
    this.emit("state", state);
  }

  /**
   * Asks a query and resolves to its answer. The returned object is {answer: Promise, cancel()}.
   *
   * `query` is an object without id, or a function that makes one each time the query is sent. `onPartial` gets
   * partial answers. After `cancel` nothing is called any more and `answer` never settles.
   */
  ask(query, { onPartial = null } = {}) {
    const id = String(this.#nextId++);
    const request = { id, query, onPartial };
    const answer = new Promise((resolve, reject) => Object.assign(request, { resolve, reject }));
    this.#open.set(id, request);
    if (this.#transport) this.#send(request);
    return { answer, cancel: () => this.#cancel(id) };
  }

  #send(request) {
    const query = typeof request.query === "function" ? request.query() : { ...request.query };
    // A server may allow less time than the user has set.
    if (query.seconds) query.seconds = Math.min(query.seconds, this.about.longest ?? Infinity);
    const text = JSON.stringify({ id: request.id, ...query });
    // A character has three bytes at most.
    const { largest = Infinity } = this.#transport;
    if (text.length > largest / 3 && new Blob([text]).size > largest) {
      this.#open.delete(request.id);
      request.reject(new QueryError({ error: t("engine.too-large"), field: "query" }));
      return;
    }
    this.#transport.send(text);
  }

  #write(message) {
    this.#transport.send(JSON.stringify(message));
  }

  #cancel(id) {
    if (!this.#open.delete(id) || !this.#transport) return;
    this.#write({ id: String(this.#nextId++), action: "cancel", of: id });
  }

  #receive(text) {
    let message;
    try {
      message = JSON.parse(text);
    } catch {
      console.error("The engine sent something that is not JSON:", text);
      return;
    }
    const request = this.#open.get(message.id);
    if (message.warning) console.warn(message.warning);
    if (!request || message.warning) return;
    if (message.partial) return request.onPartial?.(message);
    this.#open.delete(message.id);
    if (message.error) request.reject(new QueryError(message));
    else request.resolve(message);
  }
}
