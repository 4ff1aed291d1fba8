// How long the page takes from its request to the engine's first stone on the screen, in seconds, 1 s of it thinking.

/** A telephone of the middle class: a small screen, and a processor with a quarter of the speed of this one. */
const PHONE = { viewport: { width: 360, height: 740 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true };
const SLOWDOWN = 4;

/** Opens the page in a new browser, `rounds` times: with nothing kept (`empty`), then with what it keeps (`kept`). */
export async function firstMoves(browser, url, { side, isPhone = false, rounds = 3 }) {
  const times = { empty: [], kept: [] };
  for (let i = 0; i < rounds; i++) {
    const context = await browser.newContext(isPhone ? PHONE : {});
    const settings = JSON.stringify({ side, play: "black", level: 10, moveSeconds: 1 });
    await context.addInitScript((stored) => localStorage.setItem("malecon.settings", stored), settings);
    const page = await context.newPage();
    times.empty.push(await firstMove(context, page, url, isPhone));
    await page.waitForFunction(() => navigator.serviceWorker.controller?.state === "activated");
    await page.close();
    times.kept.push(await firstMove(context, await context.newPage(), url, isPhone));
    await context.close();
  }
  return times;
}

async function firstMove(context, page, url, isPhone) {
  if (isPhone) {
    const devtools = await context.newCDPSession(page);
    await devtools.send("Emulation.setCPUThrottlingRate", { rate: SLOWDOWN });
  }
  const start = performance.now();
  await page.goto(url);
  await page.locator("[data-vertex][data-stone]").first().waitFor({ state: "attached" });
  return (performance.now() - start) / 1000;
}
