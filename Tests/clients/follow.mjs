// Prints each message of a stream as a line of JSON.   follow.mjs URL TOKEN SILENCE
import { changes } from "../../Examples/Clients/changes.mjs";

const [url, token, silence] = process.argv.slice(2);
for await (const { type, id, data } of changes(url, token, { silence: silence * 1000 })) {
  console.log(JSON.stringify([type, id ?? null, data]));
}
