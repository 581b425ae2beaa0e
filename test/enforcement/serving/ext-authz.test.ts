/** The body of a request that Envoy holds back is read where everybody behind Envoy reads the same in it, and not otherwise. */

import { request as httpRequest } from "node:http";
import { connect } from "node:net";
import { expect, it } from "vitest";
import { servedExample } from "./served.ts";

const { served } = servedExample();

/** The reason for which the example denies a payout with this body, whose type stands in these headers. */
async function reasonOf(types: readonly string[], body: string, more: readonly string[] = []): Promise<string> {
  const { url } = await served();
  const headers = [
    "x-saltmarsh-role",
    "WRITER",
    "x-saltmarsh-run",
    "r-7",
    "content-length",
    `${Buffer.byteLength(body)}`,
  ];
  const told = [...headers, ...more, "host", "a", ...types.flatMap((type) => ["content-type", type])];
  const path = "/ext-authz/contributors/c-9/payouts";
  return new Promise((resolve, reject) => {
    const asked = httpRequest(`${url}${path}`, { method: "POST", headers: told }, (answer) => {
      let text = "";
      answer.on("data", (chunk: Buffer) => (text += chunk.toString()));
      answer.on("end", () => resolve((JSON.parse(text) as { reason: string }).reason));
    });
    asked.on("error", reject);
    asked.end(body);
  });
}

const body = '{"amount_cents":500,"note":"+AC0-"}';

it.each([
  ...["application/json", "application/json; charset=utf-8", 'APPLICATION/JSON;charset="UTF-8"'],
  ...["application/json; odata.metadata=minimal", "application/json ;version=1; charset=utf-8"],
])("is read as JSON: %s", async (type) => {
  expect(await reasonOf([type], body)).toBe("lineage_missing");
});

it.each<readonly string[]>([
  ["application/json; charset=utf-7"],
  ["application/json; charset=iso-8859-1"],
  ["application/json; charset=utf-8; charset=utf-7"],
  ["application/json; a=b", "application/x-www-form-urlencoded"],
  ["application/json", "application/json; charset=utf-16"],
])("is not read where its type leads to another reading: %s %s", async (...types) => {
  expect(await reasonOf(types.filter(Boolean), body)).toBe("body_not_understood");
});

it("is not read with a byte order mark", async () => {
  expect(await reasonOf(["application/json"], `\uFEFF${body}`)).toBe("body_not_understood");
});

it("is not read where it may be a part of one, whatever a client says besides", async () => {
  for (const partial of ["true", "TRUE", "false, true", ""])
    expect(await reasonOf(["application/json"], body, ["x-envoy-auth-partial-body", partial])).toBe(
      "body_not_understood",
    );
  const whole = ["x-envoy-auth-partial-body", "false"];
  expect(await reasonOf(["application/json"], body, whole)).toBe("lineage_missing");
});

it("has all of its headers, however many come before one that stands twice", async () => {
  const { url } = await served();
  const told = ["GET /ext-authz/stories/s-1/archive?year=2001 HTTP/1.1", "Host: a", "Connection: close"];
  const who = ["RESEARCHER", "WRITER"].map((role) => `x-saltmarsh-role: ${role}`);
  const lineage = 'x-saltmarsh-lineage: [{"agent_type":"publisher","spawn_depth":0}]';
  const asked = [...told, lineage, "x-saltmarsh-run: r-7", who[0]];
  const answer = async (...headers: readonly string[]): Promise<string> => {
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    socket.write([...asked, ...headers, "", ""].join("\r\n"));
    return (await socket.setEncoding("utf8").toArray()).join("");
  };
  const more = Array.from({ length: 3000 }, () => "a:");
  expect(await answer(...more)).toMatch(/^HTTP\/1\.1 200 /);
  expect(await answer(...more, who[1] ?? "")).toContain("identity_missing");
});

it.each([
  [["r-7", "r-8"], "identity_malformed"],
  [["r-7,r-8"], "identity_malformed"],
  [["r-7"], "call_allowed"],
])("is asked for with a scope from one header alone: %j is %s", async (runs, reason) => {
  const { url } = await served();
  const lines = [
    "POST /ext-authz/stories/s-1/drafts HTTP/1.1",
    "Host: a",
    "Connection: close",
    "x-saltmarsh-role: WRITER",
  ];
  const told = runs.map((run) => `x-saltmarsh-run: ${run}`);
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  socket.write(
    [...lines, 'x-saltmarsh-lineage: [{"agent_type":"news_desk","spawn_depth":0}]', ...told, "", ""].join("\r\n"),
  );
  const text = (await socket.setEncoding("utf8").toArray()).join("");
  expect(text).toContain(reason === "call_allowed" ? "HTTP/1.1 200 " : `"reason":"${reason}"`);
});
