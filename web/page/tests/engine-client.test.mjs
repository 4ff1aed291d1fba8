import assert from "node:assert/strict";
import test from "node:test";
import { EngineClient, QueryError } from "../js/engine/engine-client.js";

/** A door whose engine the test plays itself. `opened` lists its transports, each with what was sent. */
function fakeDoor(name, { fails = 0 } = {}) {
  const door = { name, opened: [] };
  door.open = async (handlers) => {
    if (fails-- > 0) throw new Error("closed");
    const transport = {
      sent: [],
      handlers,
      send: (text) => transport.sent.push(JSON.parse(text)),
      close() {},
      about: { longest: 10 },
    };
    transport.say = (message) => handlers.onText(JSON.stringify(message));
    door.opened.push(transport);
    return transport;
  };
  return door;
}

test("a door that does not open is tried again, and the reason is known until it opens", async () => {
  const client = new EngineClient(fakeDoor("worker", { fails: 1 }));
  assert.equal(await client.connect(), false);
  assert.deepEqual([client.door, client.engine, client.state], ["worker", null, "failed"]);
  assert.equal(client.failure.message, "closed");
  assert.equal(await client.connect(), true);
  assert.deepEqual([client.engine, client.state, client.failure], ["worker", "ready", null]);
});

test("who connects again while it is connecting waits for the same engine", async () => {
  const door = fakeDoor("server");
  const client = new EngineClient(door);
  assert.deepEqual(await Promise.all([client.connect(), client.connect()]), [true, true]);
  assert.equal(door.opened.length, 1);
});

test("answers reach the question with their id", async () => {
  const door = fakeDoor("server");
  const client = new EngineClient(door);
  await client.connect();
  const [first, second] = [client.ask({ side: 4 }), client.ask({ side: 5 })];
  const [transport] = door.opened;
  const [a, b] = transport.sent;
  transport.say({ id: b.id, win_rate: 0.2 });
  transport.say({ id: a.id, win_rate: 0.1 });
  transport.say({ id: "unknown", win_rate: 0.3 });
  assert.equal((await first.answer).win_rate, 0.1);
  assert.equal((await second.answer).win_rate, 0.2);
});

test("a question that is too large for the transport is refused, and others go on", async () => {
  const door = fakeDoor("server");
  const client = new EngineClient(door);
  await client.connect();
  const [transport] = door.opened;
  transport.largest = 1000;
  const other = client.ask({ side: 4 });
  const { answer } = client.ask({ text: "é".repeat(500) });
  await assert.rejects(answer, (error) => error instanceof QueryError && error.field !== null);
  // In bytes, not in characters.
  client.ask({ text: "e".repeat(500) });
  assert.equal(transport.sent.length, 2);
  transport.say({ id: transport.sent[0].id, win_rate: 0.1 });
  assert.equal((await other.answer).win_rate, 0.1);
  transport.handlers.onClose();
  await client.connect();
  assert.equal(door.opened[1].sent.length, 1);
});

test("questions that are asked before the engine is there wait for it", async () => {
  const door = fakeDoor("worker");
  const client = new EngineClient(door);
  const { answer } = client.ask({ action: "version" });
  await client.connect();
  const [
    {
      sent: [query],
      say,
    },
  ] = door.opened;
  assert.equal(query.action, "version");
  say({ id: query.id, version: "1" });
  assert.equal((await answer).version, "1");
});

test("partial answers come before the final one, and none after cancelling", async () => {
  const door = fakeDoor("server");
  const client = new EngineClient(door);
  await client.connect();
  const [transport] = door.opened;
  const seen = [];
  const { cancel } = client.ask({ side: 4 }, { onPartial: ({ simulations }) => seen.push(simulations) });
  const [{ id }] = transport.sent;
  transport.say({ id, partial: true, simulations: 1 });
  transport.say({ id, partial: true, simulations: 2 });
  cancel();
  transport.say({ id, simulations: 3, cancelled: true });
  assert.deepEqual(seen, [1, 2]);
  assert.deepEqual({ ...transport.sent[1], id: null }, { id: null, action: "cancel", of: id });
});

test("no more time is asked for than the engine allows", async () => {
  const door = fakeDoor("server");
  const client = new EngineClient(door);
  client.ask({ seconds: 600 });
  client.ask({ seconds: 2 });
  await client.connect();
  assert.deepEqual(
    door.opened[0].sent.map(({ seconds }) => seconds),
    [10, 2],
  );
});

test("an error rejects the question with its field", async () => {
  const door = fakeDoor("server");
  const client = new EngineClient(door);
  await client.connect();
  const { answer } = client.ask({ side: 99 });
  const [transport] = door.opened;
  transport.say({ id: transport.sent[0].id, error: "side: expected 3..13, got 99", field: "side" });
  await assert.rejects(answer, (error) => error instanceof QueryError && error.field === "side");
});

test("a warning is not an answer", async (t) => {
  t.mock.method(console, "warn", () => {});
  const door = fakeDoor("server");
  const client = new EngineClient(door);
  await client.connect();
  const { answer } = client.ask({ sidde: 4 });
  const [transport] = door.opened;
  const [{ id }] = transport.sent;
  transport.say({ id, warning: "unknown field 'sidde'", field: "sidde" });
  transport.say({ id, win_rate: 0.5 });
  assert.equal((await answer).win_rate, 0.5);
});

test("after a loss of the connection, what has no answer yet is asked again", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const door = fakeDoor("server");
  const client = new EngineClient(door);
  const states = [];
  client.on("state", (state) => states.push(state));
  await client.connect();
  const [answered, open, cancelled] = [4, 5, 6].map((side) => client.ask({ side }));
  const [first] = door.opened;
  first.say({ id: first.sent[0].id, win_rate: 0.5 });
  await answered.answer;
  cancelled.cancel();
  first.handlers.onClose();
  assert.equal(client.state, "lost");
  const isBack = new Promise((resolve) => client.on("state", (state) => state === "ready" && resolve()));
  t.mock.timers.tick(500);
  await isBack;
  const [, second] = door.opened;
  assert.deepEqual(second.sent, [{ id: first.sent[1].id, side: 5 }]);
  second.say({ id: second.sent[0].id, win_rate: 0.7 });
  assert.equal((await open.answer).win_rate, 0.7);
  assert.deepEqual(states, ["ready", "lost", "connecting", "ready"]);
});

test("a query that is a function is made anew each time it is sent", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const door = fakeDoor("server");
  const client = new EngineClient(door);
  await client.connect();
  let seconds = 5;
  client.ask(() => ({ seconds: seconds-- }));
  const isBack = new Promise((resolve) => client.on("state", (state) => state === "ready" && resolve()));
  door.opened[0].handlers.onClose();
  t.mock.timers.tick(500);
  await isBack;
  assert.deepEqual(
    door.opened.map(({ sent }) => sent[0].seconds),
    [5, 4],
  );
});
