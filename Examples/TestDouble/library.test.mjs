// Examples of tests with waypost.mjs. They run with `node --test`; with Jest, remove the import of node:test.
import assert from "node:assert/strict";
import { after as afterAll, before as beforeAll, test } from "node:test";
import { start } from "./waypost.mjs";

let waypost;
beforeAll(async () => { waypost = await start(); });
afterAll(() => waypost.stop());

const titles = async (session) => (await session.get()).viewControllers.map(({ title }) => title);

test("begins where the golden session is", async () => {
  const session = await waypost.fork();
  await session.do("select-row", { row: 1 });
  assert.deepEqual(await titles(session), ["Authors", "Jules Verne", "From the Earth to the Moon"]);
});

test("does not see what another test did", async () => {
  assert.deepEqual(await titles(await waypost.fork()), ["Authors", "Jules Verne"]);
});

test("expires without waiting", async () => {
  const session = await waypost.fork();
  await waypost.advance(366 * 86_400);
  await assert.rejects(session.get(), { status: 404 });
  await waypost.reset();
  assert.deepEqual(await titles(await waypost.fork()), ["Authors", "Jules Verne"]);
});
