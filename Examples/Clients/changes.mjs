// Follows the changes of a Waypost session (docs/live.md). For Node 20 and browsers; needs no package.

/**
 * Yields the messages of a session as `{type, id, data}` until the message `end`, over all lost connections.
 * - `url`: `BASE/v1/sessions/ID/changes`. `token`: a token of the session.
 * - `cursor`: the `id` of the last message that the app has handled, from an earlier run.
 * - `silence`: the milliseconds without a byte after which a connection counts as lost: three heartbeats.
 * - `signal`: an AbortSignal that ends the loop with its reason.
 * Throws if the service refuses the request for good, as with 401 and 404.
 */
export async function* changes(url, token, { cursor, silence = 45_000, longest = 60_000, signal } = {}) {
  let retry = 2000 + 1000 * Math.random(), failures = 0, revision;
  for (;;) {
    signal?.throwIfAborted();
    const connection = new AbortController();
    const stop = () => connection.abort();
    signal?.addEventListener("abort", stop);
    const inTime = (promise) => {
      const timer = setTimeout(stop, silence);
      return promise.finally(() => clearTimeout(timer));
    };
    let refusal, wait;
    try {
      const headers = { Authorization: `Bearer ${token}`, Accept: "text/event-stream" };
      if (cursor) headers["Last-Event-ID"] = cursor;
      const response = await inTime(fetch(url, { headers, cache: "no-store", signal: connection.signal }));
      const isFinal = response.status < 500 && ![200, 408, 429].includes(response.status);
      if (isFinal) throw refusal = new Error(`${response.status}: ${await inTime(response.text())}`);
      wait = Number(response.headers.get("Retry-After")) * 1000 || undefined;
      const reader = response.status === 200 && response.body.pipeThrough(new TextDecoderStream()).getReader();
      for (let text = "", part; reader && !(part = await inTime(reader.read())).done;) {
        failures = 0;
        const blocks = (text + part.value).split("\n\n");
        text = blocks.pop();
        for (const block of blocks) {
          // A comment is a field without a name.
          const message = Object.fromEntries(block.split("\n").map((line) => /^([^:]*):? ?(.*)$/s.exec(line).slice(1)));
          if (message.retry) retry = Number(message.retry);
          if (!message.data) continue;
          const data = JSON.parse(message.data);
          // A change that does not continue the last message: begin again with a snapshot.
          if (message.event === "change" && revision !== undefined && data.from !== revision) {
            cursor = revision = undefined;
            throw new Error("a change is missing");
          }
          [cursor, revision] = [message.id ?? cursor, data.revision];
          yield { type: message.event, id: message.id, data };
          if (message.event === "end") return;
        }
      }
    } catch {
      // A lost connection, unless it is a refusal: the next one continues at the cursor.
    } finally {
      signal?.removeEventListener("abort", stop);
      connection.abort();
    }
    if (refusal) throw refusal;
    await new Promise((resolve) => {
      const timer = setTimeout(end, wait ?? Math.min(retry * 2 ** failures, longest));
      signal?.addEventListener("abort", end);
      function end() {
        clearTimeout(timer);
        signal?.removeEventListener("abort", end);
        resolve();
      }
    });
    failures += 1;
  }
}
