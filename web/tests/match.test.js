// The page that `malecon match` writes.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { malecon, useBrowser } from "./harness.js";

const browser = useBrowser();
const folder = mkdtempSync(path.join(tmpdir(), "malecon-match-"));
after(() => rmSync(folder, { recursive: true }));

test("the page of a match steps through its games", async () => {
  const [page, out] = [path.join(folder, "page.html"), path.join(folder, "out")];
  const engine = `${malecon} gtp --simulations 10 --memory 16`;
  const options = ["--side", "4", "--games", "4", "--sprt", "0,10", "--quiet", "--html", page, "--out", out];
  execFileSync(malecon, ["match", "--engine", `a=${engine}`, "--engine", `b=${engine}`, ...options]);
  const lines = readFileSync(path.join(out, "games.jsonl"), "utf8").trim().split("\n");
  const third = lines.map(JSON.parse).find(({ game }) => game === 2);

  const tab = await browser.current.newPage();
  const errors = [];
  tab.on("pageerror", (error) => errors.push(error));
  await tab.goto(pathToFileURL(page).href);
  assert.equal(await tab.locator("#games tbody tr").count(), 4);
  await tab.getByRole("link", { name: "Game 3" }).click();
  const stones = tab.locator("#board .stones circle");
  const moves = third.moves.length;
  assert.equal(await stones.count(), moves);
  assert.match(await tab.locator("#state").textContent(), new RegExp(`^${moves}\\. .*${third[third.winner]}.* wins`));
  await tab.getByRole("button", { name: "Start" }).click();
  await tab.keyboard.press("ArrowRight");
  await tab.getByRole("button", { name: "One move forward" }).click();
  assert.equal(await stones.count(), 2);
  assert.match(await tab.locator("#state").textContent(), new RegExp(`^2\\. ${third.moves[1]} \\(opening\\)`));

  // The address keeps the game and the move; a filter leaves the other games out.
  await tab.reload();
  assert.equal(await stones.count(), 2);
  await tab.getByLabel("Show").selectOption({ label: "games that a won" });
  const won = lines.map(JSON.parse).filter((game) => game[game.winner] === "a").length;
  assert.equal(await tab.locator("#games tbody tr").count(), won);
  assert.deepEqual(errors, []);
  await tab.close();
});

test("a page that is opened before the first game has ended shows the games when they come", async () => {
  const [page, later] = ["early.html", "later.html"].map((name) => path.join(folder, name));
  const engine = `${malecon} gtp --simulations 10 --memory 16`;
  const options = ["--side", "4", "--games", "2", "--quiet"];
  // One of the engines never answers, so no game begins.
  const engines = ["--engine", "a=sleep 60", "--engine", `b=${engine}`];
  const match = spawn(malecon, ["match", ...engines, ...options, "--html", page], { stdio: "ignore" });
  while (!existsSync(page)) await sleep(10);
  const tab = await browser.current.newPage();
  const errors = [];
  tab.on("pageerror", (error) => errors.push(error));
  await tab.clock.install();
  await tab.goto(pathToFileURL(page).href);
  await tab.getByText("0 of 2 games").waitFor();
  match.kill();
  await new Promise((resolve) => match.once("exit", resolve));

  const played = ["--engine", `a=${engine}`, "--engine", `b=${engine}`, ...options];
  execFileSync(malecon, ["match", ...played, "--html", later, "--out", path.join(folder, "whole")]);
  renameSync(later, page);
  await tab.clock.fastForward(10000);
  await tab.locator("#games tbody tr").nth(1).waitFor();
  assert.deepEqual(errors, []);
  await tab.close();
});
