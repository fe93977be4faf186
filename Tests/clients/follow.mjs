// Prints each message of a stream as a line of JSON.   follow.mjs URL TOKEN SILENCE LONGEST
import { changes } from "../../Examples/Clients/changes.mjs";

const [url, token, silence, longest] = process.argv.slice(2);
const { signal } = new AbortController();
const options = { silence: silence * 1000, longest: longest * 1000, signal };
for await (const { type, id, data } of changes(url, token, options)) {
  console.log(JSON.stringify([type, id ?? null, data]));
}
