/** The body of a request that Envoy holds back is read where everybody behind Envoy reads the same in it, and not otherwise. */

import { request as httpRequest } from "node:http";
import { expect, it } from "vitest";
import { servedExample } from "./served.ts";

const { served } = servedExample();

/** The reason for which the example denies a payout with this body, whose type stands in these headers. */
async function reasonOf(types: readonly string[], body: string): Promise<string> {
  const { url } = await served();
  const headers = [
    "x-saltmarsh-role",
    "WRITER",
    "x-saltmarsh-run",
    "r-7",
    "content-length",
    `${Buffer.byteLength(body)}`,
  ];
  const told = [...headers, "host", "a", ...types.flatMap((type) => ["content-type", type])];
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
