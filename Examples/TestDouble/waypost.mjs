/**
 * A Waypost service for tests with Jest, Vitest or node:test: one process for all tests, one session for each.
 *
 *   let waypost;
 *   beforeAll(async () => { waypost = await start(); });
 *   afterAll(() => waypost.stop());
 *
 * Copy this file and seed.yaml beside your tests. WAYPOST names the executable, if it is not in the PATH.
 */
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const GOLDEN = { id: `${"0".repeat(31)}1`, token: `wps_${"0".repeat(63)}1` };

/** Starts the service. */
export async function start() {
  const ready = join(mkdtempSync(join(tmpdir(), "waypost-")), "address");
  const seed = fileURLToPath(new URL("seed.yaml", import.meta.url));
  const process = spawn(globalThis.process.env.WAYPOST ?? "waypost", [
    "serve", "--profile", "test", "--test-clock", "--port", "0", "--ready-file", ready, "--seed", seed,
  ], { stdio: ["ignore", "ignore", "inherit"] });
  const ended = new Promise((resolve) => { process.once("exit", resolve); });
  while (!existsSync(ready)) {
    if (process.exitCode !== null) throw new Error("waypost does not start");
    await setTimeout(10);
  }
  const url = readFileSync(ready, "utf8").trim();
  const golden = new Session(url, GOLDEN);
  return {
    url,
    /** A new session in the state of the golden one. */
    fork: async () => {
      const { revision } = await golden.get();
      return new Session(url, await golden.send("POST", "/v1/sessions", { fork: { session: GOLDEN.id, revision } }));
    },
    /** Removes all sessions and accounts but those of the seed, and puts the clock back. */
    reset: () => golden.send("POST", "/test/reset"),
    /** Moves the clock of the service. */
    advance: (seconds) => golden.send("POST", "/test/clock", { advance: seconds }),
    stop: () => { process.kill("SIGTERM"); return ended; },
  };
}

/** A session. A refusal is an error with the members of the problem. */
class Session {
  constructor(url, { id, token }) { Object.assign(this, { url, id, token }); }

  get(part = "") { return this.send("GET", `/v1/sessions/${this.id}${part}`); }

  do(operation, body = {}) { return this.send("POST", `/v1/sessions/${this.id}/${operation}`, body); }

  async send(method, path, body) {
    const response = await fetch(this.url + path, {
      method, body: body && JSON.stringify(body),
      headers: { Authorization: `Bearer ${this.token}`, "Content-Type": "application/json" },
    });
    const text = await response.text();
    const json = text ? JSON.parse(text) : null;
    if (!response.ok) throw Object.assign(new Error(json?.detail), json);
    return json;
  }
}
