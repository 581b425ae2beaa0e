/** What comes back to one request of a client over HTTP as a stream of events. */
import { type Check, same } from "./check.ts";
import { clocked, soon } from "./clock.ts";
import { answerOf, data, event, json, passing, RESULT, STREAM } from "./passing.ts";

export function exchangeStreamChecks(): readonly Check[] {
  return [
    { what: "events of a server", run: events },
    { what: "one answer of several", run: answers },
    { what: "events without a request", run: listening },
    { what: "the head of a stream", run: heads },
    { what: "readers that are full", run: full },
    { what: "streams that stay open", run: rest },
  ];
}

async function events(): Promise<void> {
  const stray = json({ id: 7, result: {} });
  const dropped = "server: an answer to nothing that is open was dropped";
  for (const [given, expected, faults] of [
    [data(json({ method: "a" })), event(json({ method: "a" })), []],
    [data(json({ id: 1, method: "ask" })), event(json({ id: 1, method: "ask" })), []],
    [data(json({ id: 1, method: "shut" })), event(json({ id: 1, method: "shut" })), []],
    [data(json({ method: "shut" })), "", []],
    [`id: 7\n${data(json({ method: "shut" }))}`, "", []],
    ["id: 7\nretry: 5\n\n", "id: 7\nretry: 5\n\n", []],
    ["id: 7\ndata:\n\n", "id: 7\ndata: \n\n", []],
    [`id: 7\n${data(json({ method: "a" }))}`, `event: message\nid: 7\ndata: ${json({ method: "a" })}\n\n`, []],
    ["event: endpoint\ndata: /x\n\n", "", ["server: an event of another kind was dropped"]],
    [data(stray), "", [dropped]],
    [data(json({ id: "1", result: {} })), "", [dropped]],
    [data(json({ error: { code: 1, message: "m" } })), "", [dropped]],
    [data("[]"), "", ["server: not a message: no message of JSON-RPC 2.0"]],
    [": comment\n", ":\n\n", []],
  ] as const) {
    const of = passing(answerOf(given, { ...STREAM, "mcp-session-id": "s", location: "/x" }, 201));
    await of.end;
    same(given, [of.reply.text, of.faults, of.reply.isEnded], [expected, faults, true]);
    same(
      "its head",
      [of.reply.status, of.reply.headers],
      [201, { "mcp-session-id": "s", "content-type": "text/event-stream", "x-accel-buffering": "no" }],
    );
    same("no success", of.said, [
      ["head", 201],
      ["done", false],
    ]);
  }
  // JSON is read to any depth, and not written to any.
  const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
  const note = passing(
    answerOf(data(`{"jsonrpc":"2.0","method":"a","params":{"deep":${deep}}}`) + data(RESULT), STREAM),
  );
  await note.end;
  const said = note.faults.map((line) => line.includes("call stack"));
  same("a note that cannot be written", [said, note.reply.text.includes('"ruled":true')], [[true], true]);
  const answered = passing(answerOf(data(`{"jsonrpc":"2.0","id":1,"result":{"deep":${deep}}}`), STREAM));
  await answered.end;
  same("an answer that cannot be written", answered.reply.text.includes('"error"'), true);
  for (const [type, isStream] of [
    ["text/event-stream; charset=utf-8", true],
    ["TEXT/EVENT-STREAM", true],
    ["text/event-streams", false],
    ["x text/event-stream", false],
  ] as const) {
    const of = passing(answerOf(data(RESULT), { "content-type": type }));
    await of.end;
    same(type, of.reply.status, isStream ? 200 : 502);
  }
  for (const status of [400, 500]) {
    const failing = passing(answerOf(data(RESULT), STREAM, status));
    await failing.end;
    same(
      "with a status of failure",
      [failing.reply.status, failing.reply.headers["content-type"]],
      [status, "text/plain; charset=utf-8"],
    );
  }
  const edge = passing(answerOf(data(RESULT), STREAM, 299));
  await edge.end;
  same("299", edge.reply.headers["content-type"], "text/event-stream");
  const tooLong = passing(answerOf(data(RESULT), STREAM), { limits: { messageBytes: RESULT.length } });
  await tooLong.end;
  same("too long", [tooLong.reply.status, tooLong.faults.length], [502, 1]);
}

async function answers(): Promise<void> {
  const ruled = JSON.stringify({ ...(JSON.parse(RESULT) as object), ruled: true });
  const second = json({ id: 1, result: { second: true } });
  for (const pieces of [[data(RESULT, second, json({ method: "a" }))], [data(RESULT), data(second), ":\n\n"]]) {
    const answer = answerOf(undefined, STREAM);
    const of = passing(answer);
    for (const piece of pieces) {
      answer.write(piece);
      await soon();
    }
    answer.end();
    await of.end;
    same("one", [of.reply.text, of.reply.headers["content-length"]], [event(ruled), event(ruled).length]);
    same("said once", of.faults, ["server: an answer to nothing that is open was dropped"]);
    same("in this order", of.said, [
      ["head", 200],
      ["done", true],
      "recorded",
      ["ruled", "tools/call"],
      ["done", false],
    ]);
    of.reply.emit("close");
    same("is not taken back", of.signal()?.aborted, false);
  }
  const after = passing(answerOf(data(json({ method: "a" }), RESULT), STREAM));
  await after.end;
  same(
    "after another",
    [after.reply.text, "content-length" in after.reply.headers],
    [`${event(json({ method: "a" }))}${event(ruled)}`, false],
  );
}

/** Without a request the stream does not end with an answer. */
async function listening(): Promise<void> {
  const texts = [RESULT, json({ id: 9, result: {} }), json({ error: { code: 1, message: "no" } })];
  const ruled = texts.map((text) => event(JSON.stringify({ ...(JSON.parse(text) as object), ruled: true })));
  const resumed = { "last-event-id": "1" };
  for (const [method, headers, passed] of [
    ["GET", resumed, ruled],
    ["GET", {}, ruled.slice(2)],
    ["POST", resumed, ruled.slice(2)],
  ] as const) {
    const of = passing(answerOf(data(...texts), STREAM), { message: undefined, http: { method, headers } });
    await of.end;
    same("all", [of.reply.text, of.reply.isEnded], [passed.join(""), true]);
    same("ruled", of.said, [["head", 200], ...passed.map(() => ["ruled", undefined])]);
    same("said", of.faults.length, texts.length - passed.length);
  }
}

function heads(): Promise<void> {
  return clocked(async (tick) => {
    const answer = answerOf(undefined, STREAM);
    const of = passing(answer);
    await tick(19);
    same("waits for an event", of.reply.status, 0);
    await tick(1);
    same("does not wait for ever", [of.reply.status, of.reply.flushed, of.reply.text], [200, 1, ""]);
    answer.end(data(RESULT));
    await of.end;
    same("ends", [of.reply.isEnded, "content-length" in of.reply.headers], [true, false]);
    const other = answerOf(undefined, STREAM);
    const silent = passing(other);
    other.write("event: other\ndata: x\n\n");
    await tick(1);
    same("what is dropped begins nothing", silent.reply.status, 0);
    other.end();
    await silent.end;
    const empty = passing(answerOf("", STREAM));
    await empty.end;
    await tick(60);
    same("no event", [empty.reply.status, empty.reply.flushed, empty.reply.isEnded], [200, 0, true]);
    const reset = answerOf(undefined, STREAM);
    const broken = passing(reset);
    await tick(1);
    reset.destroy(new Error("reset"));
    await broken.end;
    await tick(60);
    same("a stream that breaks first", [broken.reply.status, broken.reply.flushed], [502, 0]);
  });
}

async function full(): Promise<void> {
  for (const name of ["drain", "close"]) {
    const answer = answerOf(undefined, STREAM);
    const of = passing(answer, { message: undefined });
    of.reply.isFull = true;
    const [a, b] = ["a", "b"].map((method) => json({ method })) as [string, string];
    answer.write(data(a, b));
    await soon();
    same("waits", of.reply.text, event(a));
    of.reply.isFull = false;
    const listeners = of.reply.listenerCount("drain") + of.reply.listenerCount("close");
    of.reply.emit(name);
    await soon();
    same(`goes on after ${name}`, of.reply.text, `${event(a)}${event(b)}`);
    same("listens no more", of.reply.listenerCount("drain") + of.reply.listenerCount("close") < listeners, true);
    of.reply.destroyed = true;
    answer.write(data(a));
    await soon();
    same("nothing is written to a client that is gone", of.reply.text, `${event(a)}${event(b)}`);
    answer.end();
    await of.end;
  }
  const answer = answerOf(undefined, STREAM);
  const gone = passing(answer);
  gone.reply.destroyed = true;
  answer.end();
  await gone.end;
  same("no head either", gone.reply.status, 0);
}

/** A server's stream that stays open after the answer is given up after a second. */
function rest(): Promise<void> {
  return clocked(async (tick) => {
    const answer = answerOf(undefined, STREAM);
    answer.write(data(RESULT));
    const of = passing((signal) => {
      signal.addEventListener("abort", () => answer.destroy(new Error("aborted")));
      return Promise.resolve(answer);
    });
    await tick(999);
    same("its client has all", [of.reply.isEnded, of.signal()?.aborted], [true, false]);
    await tick(1);
    await of.end;
    same("is given up", [of.signal()?.aborted, of.faults, of.reply.text.includes("error")], [true, [], false]);
    const ending = answerOf(data(RESULT), STREAM);
    const over = passing(ending);
    await over.end;
    await tick(2_000);
    same("one that has ended is not", over.signal()?.aborted, false);
    const cut = answerOf(undefined, STREAM);
    cut.write(data(RESULT));
    const answered = passing(cut);
    await tick(1);
    cut.destroy(new Error("cut"));
    await answered.end;
    same(
      "one that breaks off behind it",
      [answered.reply.text.includes("error"), answered.faults],
      [false, ["server: cut"]],
    );
  });
}
