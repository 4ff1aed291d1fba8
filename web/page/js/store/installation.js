// The site in this browser: a service worker keeps its files, so that it works without a network, and brings new
// versions. The page goes on with the version that it began with until the user wants the new one.

import { Emitter } from "../game/emitter.js";

/** Emits "outdated" when there is a new version. */
export class Installation extends Emitter {
  #path;
  #registration = null;
  #isReloading = false;

  /** `path` is that of the service worker, or null if the site has none. */
  constructor(path) {
    super();
    this.#path = path;
  }

  /** Keeps the site in this browser, and looks for new versions whenever the user comes back to the page. */
  async start() {
    const { serviceWorker } = navigator;
    if (!this.#path || !serviceWorker) return;
    let { controller } = serviceWorker;
    serviceWorker.addEventListener("controllerchange", () => {
      if (this.#isReloading) location.reload();
      // Another tab has changed to the new version. The first one of all is no news, and none means that the browser
      // has forgotten the site.
      else if (controller && serviceWorker.controller) this.emit("outdated");
      ({ controller } = serviceWorker);
    });
    try {
      this.#registration = await serviceWorker.register(this.#path);
    } catch {
      // Some browsers keep nothing, such as in private windows. The page works without.
      return;
    }
    this.#watch();
  }

  #watch() {
    const registration = this.#registration;
    const announce = () => registration.active && registration.waiting && this.emit("outdated");
    const follow = (worker) => worker?.addEventListener("statechange", announce);
    announce();
    follow(registration.installing);
    registration.addEventListener("updatefound", () => follow(registration.installing));
    document.addEventListener("visibilitychange", () => {
      // Without a network there is nothing new.
      if (!document.hidden) registration.update().catch(() => {});
    });
  }

  /** Begins again with the new version. */
  renew() {
    const waiting = this.#registration?.waiting;
    if (!waiting) return location.reload();
    // The page is loaded again once the new version has taken over.
    this.#isReloading = true;
    return waiting.postMessage("take over");
  }
}
