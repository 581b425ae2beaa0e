/** One request of a client over HTTP, and the one answer that comes back. */
import type { ServerResponse } from "node:http";
import { PassThrough, Readable } from "node:stream";
import { bytesOf, sendJson } from "../../../compiler/enforcement/gateway/exchange.ts";
import type { UpstreamAnswer } from "../../../compiler/enforcement/gateway/upstream.ts";
import { type Check, same } from "./check.ts";
import { clocked, soon } from "./clock.ts";
import { answerOf, data, event, failure, json, passing, REQUEST, RESULT, Reply, STREAM, told } from "./passing.ts";

export function exchangeChecks(): readonly Check[] {
  return [
    { what: "an answer as a whole", run: whole },
    { what: "answers that do not go on", run: refused },
    { what: "requests that a server has not begun", run: notTaken },
    { what: "answers that are too long", run: long },
    { what: "answers that are not messages", run: texts },
    { what: "whose answer it is", run: ids },
    { what: "what counts as a success over HTTP", run: successes },
    { what: "servers that break off", run: broken },
    { what: "answers that are late", run: late },
    { what: "clients that leave", run: left },
    { what: "whole bodies", run: bodies },
    { what: "answers of our own", run: own },
  ];
}

async function whole(): Promise<void> {
  const headers = { location: "/x", "mcp-session-id": "s", "content-type": "text/plain", "content-length": "1" };
  const of = passing(answerOf(RESULT, headers, 201));
  await of.end;
  same("sent", of.sent, ["POST", { a: "b" }, REQUEST]);
  same(
    "told",
    [of.reply.status, of.reply.headers],
    [201, { "mcp-session-id": "s", "content-type": "application/json" }],
  );
  same("its body", JSON.parse(of.reply.text), { jsonrpc: "2.0", id: 1, result: { a: 1 }, ruled: true });
  // A tool's success is recorded before its caller hears of it.
  same("in this order", of.said, [["head", 201], ["done", true], "recorded", ["ruled", "tools/call"], ["done", false]]);
  same("ended", [of.reply.isEnded, of.faults], [true, []]);
  of.reply.emit("close");
  same("is not taken back", of.signal()?.aborted, false);
  const unasked = { message: { jsonrpc: "2.0", method: "x" } } as const;
  const guessed = passing(answerOf(json({ id: 9, result: {} })), unasked);
  await guessed.end;
  const problem = "the server answers what it was not asked";
  same("of an id, for a notification", told(guessed.reply), [502, failure(-32_603, problem, {})]);
  const failing = passing(answerOf(json({ id: 9, error: { code: 1, message: "no" } }), {}, 400), unasked);
  await failing.end;
  same("of an id, with a failure", [failing.reply.status, failing.said.at(-1)], [400, ["ruled", undefined]]);
  const note = passing(answerOf(json({ error: { code: 1, message: "no" } })), unasked);
  await note.end;
  same(
    "for a notification",
    [note.reply.status, note.said],
    [
      200,
      [
        ["head", 200],
        ["ruled", undefined],
      ],
    ],
  );
}

async function refused(): Promise<void> {
  const elsewhere = "the server leads elsewhere";
  const packed = "the server's answer is packed";
  for (const [status, headers, words] of [
    [300, {}, elsewhere],
    [307, {}, elsewhere],
    [399, {}, elsewhere],
    [200, { "content-encoding": "gzip" }, packed],
    [400, { "content-encoding": "br" }, packed],
    [200, { ...STREAM, "content-encoding": "gzip" }, packed],
  ] as const) {
    const of = passing(answerOf(RESULT, headers, status));
    await of.end;
    same(`${status}`, told(of.reply), [502, failure(-32_603, words)]);
    same("a fault", [of.faults, of.said.at(-1), of.said.length], [[`server: ${words}`], ["done", false], 2]);
  }
  for (const [status, headers] of [
    [299, {}],
    [400, {}],
    [500, {}],
    [200, { "content-encoding": "identity" }],
  ] as const) {
    const of = passing(answerOf(RESULT, headers, status));
    await of.end;
    same(`passed: ${status}`, of.reply.status, status);
  }
  const question = passing(answerOf(json({ id: 1, method: "roots/list" })));
  await question.end;
  same("a question", told(question.reply), [502, failure(-32_603, "the server answers with a question")]);
  const none = passing(Object.assign(answerOf(RESULT), { statusCode: undefined }) as unknown as UpstreamAnswer);
  await none.end;
  same("without a status", none.reply.status, 502);
}

/** What follows a head that says so is not read: the id is free, and otherwise taken. */
async function notTaken(): Promise<void> {
  const statuses = [300, 400, 401, 402, 403, 404, 408, 429, 500, 503];
  const free: number[] = [];
  for (const status of statuses) {
    const of = passing(answerOf(RESULT, { "content-encoding": "br" }, status));
    await of.end;
    if (of.exchange.isAnswered) free.push(status);
  }
  same("nothing comes of it", free, [400, 401, 403, 404, 429]);
}

async function long(): Promise<void> {
  for (const [most, isTaken] of [
    [RESULT.length, true],
    [RESULT.length - 1, false],
  ] as const) {
    const answer = answerOf(RESULT);
    const of = passing(answer, { limits: { messageBytes: most } });
    await of.end;
    const words = `the server's answer is longer than ${most} bytes`;
    if (isTaken) same("taken", [of.reply.status, of.faults], [200, []]);
    else {
      same("too long", told(of.reply), [200, failure(-32_603, words)]);
      same("is not read", answer.destroyed, true);
      same("said", of.faults, [`server: a message over ${most} bytes was dropped`, `server: ${words}`]);
    }
  }
}

async function texts(): Promise<void> {
  for (const [text, status, expected] of [
    ["x", 200, 502],
    ["[]", 202, 502],
    [`[${RESULT}]`, 299, 502],
    ["x", 400, 400],
    ["", 200, 200],
    ["", 202, 202],
    ["", 404, 404],
  ] as const) {
    const of = passing(answerOf(text, { "www-authenticate": "w", "content-type": "text/html" }, status));
    await of.end;
    const { reply } = of;
    same(`${JSON.stringify(text)} with ${status}`, [reply.status, reply.isEnded], [expected, true]);
    if (expected === 502) same("words", told(reply), [502, failure(-32_603, "the server's answer is not a message")]);
    else {
      const type = text === "" ? {} : { "content-type": "text/plain; charset=utf-8" };
      same("head", reply.headers, { "www-authenticate": "w", ...type, "content-length": text.length });
      same("text", reply.text, text);
    }
    same("no success", of.said.at(-1), ["done", false]);
  }
}

async function ids(): Promise<void> {
  const error = { code: 1, message: "m" };
  for (const [answer, isTaken] of [
    [{ id: 1, result: {} }, true],
    [{ id: 1, error }, true],
    [{ error }, true],
    [{ id: 2, result: {} }, false],
    [{ id: "1", result: {} }, false],
    [{ id: 2, error }, false],
  ] as const) {
    const of = passing(answerOf(json(answer)));
    await of.end;
    same(JSON.stringify(answer), of.reply.status, isTaken ? 200 : 502);
    if (!isTaken) same("words", told(of.reply), [502, failure(-32_603, "the server answers another request")]);
  }
}

async function successes(): Promise<void> {
  for (const [result, status, expected] of [
    [{}, 200, true],
    [{}, 299, true],
    [{}, 400, false],
    [{}, 500, false],
    [{ isError: true }, 200, false],
    [{ resultType: "input_required" }, 200, false],
    [{ task: { taskId: "t" } }, 200, false],
  ] as const) {
    const of = passing(answerOf(json({ id: 1, result }), {}, status));
    await of.end;
    same(`${JSON.stringify(result)} with ${status}`, of.said[1], ["done", expected]);
  }
  const streamed = passing(answerOf(data(RESULT), STREAM));
  await streamed.end;
  same("of a stream", streamed.said[1], ["done", true]);
}

async function broken(): Promise<void> {
  const gone = passing(new Error("ECONNREFUSED"));
  await gone.end;
  same("not there", told(gone.reply), [502, failure(-32_603, "the server cannot be reached")]);
  same("said", [gone.faults, gone.said], [["server: ECONNREFUSED"], [["done", false]]]);
  const note = passing(new Error("no"), { message: { jsonrpc: "2.0", method: "x" } });
  await note.end;
  same("for a notification", told(note.reply), [502, failure(-32_603, "the server cannot be reached", {})]);
  const cut = answerOf(undefined);
  const half = passing(cut);
  cut.write("{");
  await soon();
  cut.destroy();
  await half.end;
  same("cut off", [half.reply.status, half.faults], [502, ["server: the connection was closed"]]);
  const streaming = answerOf(undefined, STREAM);
  const middle = passing(streaming);
  streaming.write(data(json({ method: "a" })));
  await soon();
  streaming.destroy(new Error("reset"));
  await middle.end;
  const error = JSON.stringify(failure(-32_603, "the server cannot be reached"));
  same("in the middle", middle.reply.text, `${event(json({ method: "a" }))}${event(error)}`);
  same("ended", middle.reply.isEnded, true);
}

async function late(): Promise<void> {
  const limits = { answerMs: 20 };
  const never = (signal: AbortSignal): Promise<never> =>
    new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("aborted"))));
  const stream = (signal: AbortSignal): Promise<UpstreamAnswer> => {
    const answer = answerOf(undefined, STREAM);
    signal.addEventListener("abort", () => answer.destroy(new Error("aborted")));
    answer.write(":\n\n");
    return Promise.resolve(answer);
  };
  const error = failure(-32_001, "the server did not answer in time");
  await clocked(async (tick) => {
    const of = passing(never, { limits });
    await tick(19);
    same("not yet", of.reply.status, 0);
    await tick(1);
    await of.end;
    same("late", told(of.reply), [504, error]);
    same("said", [of.faults, of.said], [["server: no answer in 20 ms"], [["done", false]]]);
    const streamed = passing(stream, { limits });
    await tick(20);
    await streamed.end;
    const text = `:\n\n${event(JSON.stringify(error))}`;
    same("in a stream", [streamed.reply.status, streamed.reply.text], [200, text]);
    const note = passing(stream, { limits, message: { jsonrpc: "2.0", method: "x" } });
    await tick(20);
    await note.end;
    same("for a notification", [note.reply.text, note.reply.isEnded], [":\n\n", true]);
    for (const message of [undefined, { ...REQUEST, method: "subscriptions/listen" }]) {
      const open = passing(stream, { limits, message });
      await tick(1_000);
      same("as long as it likes", [open.faults, open.reply.isEnded, open.signal()?.aborted], [[], false, false]);
      open.reply.emit("close");
      await open.end;
    }
    // An answer that was in time is not late when its stream stays open.
    const answered = answerOf(undefined, STREAM);
    answered.write(data(RESULT));
    const early = passing(answered, { limits });
    await tick(50);
    answered.end();
    await early.end;
    same("in time", [early.faults, early.reply.text.includes("error")], [[], false]);
    // What has been answered is not late afterwards.
    const whole = passing(answerOf(RESULT), { limits });
    await whole.end;
    await tick(50);
    same("is over", [whole.faults, whole.signal()?.aborted], [[], false]);
  });
}

async function left(): Promise<void> {
  const never = (signal: AbortSignal): Promise<never> =>
    new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("aborted"))));
  for (const destroyed of [true, false]) {
    const of = passing(never);
    await soon();
    of.reply.destroyed = destroyed;
    of.reply.emit("close");
    await of.end;
    same("taken back", [of.signal()?.aborted, of.reply.status, of.faults, of.said], [true, 0, [], [["done", false]]]);
  }
  const gone = passing(new Error("reset"));
  gone.reply.destroyed = true;
  await gone.end;
  same("is told nothing", [gone.reply.status, gone.faults], [0, []]);
  const answer = answerOf(undefined, STREAM);
  const streamed = passing(answer);
  streamed.reply.destroyed = true;
  answer.write(data(json({ method: "a" })));
  await soon();
  same("nothing is written", streamed.reply.status, 0);
  answer.end();
  await streamed.end;
}

async function bodies(): Promise<void> {
  const of = (chunks: readonly string[], most: number): Promise<string | undefined> =>
    bytesOf(
      Readable.from(
        chunks.map((one) => Buffer.from(one)),
        { objectMode: false },
      ),
      most,
    ).then((bytes) => bytes?.toString());
  same("one piece", await of(["abc"], 3), "abc");
  same("several", await of(["ab", "c", "d"], 4), "abcd");
  same("none", await of([], 0), "");
  same("too long", [await of(["ab", "c"], 2), await of(["abc"], 2)], [undefined, undefined]);
  const stream = new PassThrough();
  const cut = bytesOf(stream, 9).then(String, (error: Error) => error.message);
  stream.write("a");
  stream.destroy();
  same("cut off", await cut, "the connection was closed");
  const broken = new PassThrough();
  const failed = bytesOf(broken, 9).then(String, (error: Error) => error.message);
  broken.destroy(new Error("reset"));
  same("reset", await failed, "reset");
  const endless = new PassThrough();
  const long = bytesOf(endless, 2);
  endless.write("abc");
  same("is not read further", [await long, endless.isPaused()], [undefined, true]);
}

function own(): void {
  const reply = new Reply();
  sendJson(reply as unknown as ServerResponse, 418, { a: "\u00e9" }, { connection: "close" });
  const { status, headers, text, isEnded } = reply;
  same(
    "a head",
    [status, headers],
    [
      418,
      {
        "content-type": "application/json",
        "content-length": 10,
        "x-content-type-options": "nosniff",
        connection: "close",
      },
    ],
  );
  same("a body", [text, isEnded], ['{"a":"\u00e9"}', true]);
}
