/** `portcullis harness` and `harness verify` as they are typed: files, exit codes, and values that are not requests. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { portcullis, type Ran, removeFolder, temporaryFolder, write } from "./terminal.ts";

let folder = "";
let count = 0;
beforeAll(async () => {
  folder = temporaryFolder();
  write(`${folder}/set/roles.yaml`, "version: r7\nroles: [{ role_id: R }]\n");
  write(
    `${folder}/set/lanes.yaml`,
    "version: l7\nlanes: [{ lane_id: L, allowed_callers: { roles: [R] }, allowed_actions: { tools: [t] } }]\n",
  );
  write(
    `${folder}/set/tool_registry.yaml`,
    "tools: [{ tool_name: t, enabled: true, implementation_status: implemented }]\n",
  );
  expect((await portcullis("build", `${folder}/set`, "-o", `${folder}/out`)).code).toBe(0);
});
afterAll(() => removeFolder(folder));

const good = { agent_role: "R", lane_id: "L", tool_name: "t", scope: { case_id: "c" } };
const NOW = "2026-03-02T09:00:00Z";

const policy = (): string => `${folder}/out/bundle.tar.gz`;

/** Runs a request and says where its files are. */
async function record(request: unknown, ...more: string[]): Promise<Ran & { record: string; ledger: string }> {
  const out = `${folder}/run-${count++}`;
  const path = write(`${out}.json`, typeof request === "string" ? request : JSON.stringify(request));
  const ran = await portcullis(
    "harness",
    "--request",
    path,
    "--policy",
    policy(),
    "--out",
    out,
    "--now_utc",
    NOW,
    ...more,
  );
  return { ...ran, record: `${out}/run_record.json`, ledger: `${out}/audit_ledger.json` };
}

const verify = (ran: { record: string; ledger: string }, ...more: string[]): Promise<Ran> =>
  portcullis("harness", "verify", ran.record, ran.ledger, "--policy", policy(), ...more);

describe("portcullis harness", () => {
  it.each([
    ["an allow", good, "failed"],
    ["a denial", { ...good, tool_name: "other" }, "completed"],
    ["nothing but a scope", { scope: { case_id: "c" } }, "completed"],
  ])("records %s, and verifies it", async (_, request, status) => {
    const ran = await record(request);
    expect(ran).toMatchObject({ code: 0, err: "" });
    expect(ran.out).toMatch(/run_id=RUN_[0-9a-f]{12} request_hash_sha256=[0-9a-f]{64}\n$/);
    const written = JSON.parse(readFileSync(ran.record, "utf8"));
    expect(written).toMatchObject({ status, policy_versions_lanes: "l7", policy_versions_roles: "r7" });
    expect(await verify(ran)).toMatchObject({ code: 0, err: "" });
    expect(await verify(ran, "--format", "json")).toMatchObject({ code: 0 });
  });

  it("writes the same bytes again, in either format", async () => {
    for (const format of ["--pretty", "--canonical"]) {
      const [one, other] = [await record(good, format), await record(good, format)];
      expect(readFileSync(one.record)).toEqual(readFileSync(other.record));
      expect(readFileSync(one.ledger)).toEqual(readFileSync(other.ledger));
      expect((await verify(one)).code).toBe(0);
    }
  });

  it("tells a record or a ledger that was changed", async () => {
    const changes: readonly (readonly ["record" | "ledger", string, string])[] = [
      ["record", '"failed"', '"completed"'],
      ["record", '"role_id": "R"', '"role_id": "S"'],
      ["ledger", '"tool_executed"', '"tool_denied"'],
      ["ledger", "EVT_RUN", "EVT_FUN"],
    ];
    for (const [file, from, to] of changes) {
      const ran = await record(good);
      const text = readFileSync(ran[file], "utf8");
      expect(text).toContain(from);
      writeFileSync(
        ran[file],
        text.replace(from, () => to),
      );
      const verified = await verify(ran);
      expect(verified.code, `${from} to ${to}`).toBe(1);
      expect(verified.out).not.toBe("");
    }
  });

  it("compares the request as well, when it is given", async () => {
    const ran = await record(good);
    const other = write(`${folder}/other.json`, { ...good, scope: { case_id: "d" } });
    const same = write(`${folder}/same.json`, good);
    expect((await verify(ran, "--request", same)).code).toBe(0);
    expect((await verify(ran, "--request", other)).code).toBe(1);
  });

  it.each([
    ["no JSON", "{"],
    ["a list", "[]"],
    ["a key twice", '{"agent_role":"R","agent_role":"S","scope":{}}'],
    ["a key twice, deep", '{"scope":{"a":{"b":1,"b":2}}}'],
    ["a scope of words", '{"scope":"all"}'],
    ["a role of numbers", '{"agent_role":1,"scope":{}}'],
    ["a lane of nothing", '{"lane_id":[],"scope":{}}'],
    ["NaN", '{"scope":{},"x":NaN}'],
    ["half a character", '{"scope":{},"x":"\\ud800"}'],
    ["half a character for a key", '{"scope":{},"\\udc00":1}'],
    ["something behind it", '{"scope":{}} {}'],
    ["great depth", `{"scope":{},"x":${"[".repeat(100_000)}}`],
  ])("refuses a request with %s, and writes nothing", async (_, text) => {
    const ran = await record(text);
    expect(ran.code).toBe(1);
    expect(ran.err).not.toContain("internal error");
    expect(existsSync(ran.record) || existsSync(ran.ledger)).toBe(false);
  });

  it("takes ids that objects have for ids like any other", async () => {
    for (const id of ["__proto__", "constructor", "toString"]) {
      const ran = await record(
        `{"agent_role":"${id}","lane_id":"${id}","tool_name":"${id}","scope":{"__proto__":{"case_id":"x"}}}`,
      );
      expect(ran.code).toBe(0);
      const ledger = readFileSync(ran.ledger, "utf8");
      expect(ledger).toContain("TOOL_DENIED");
      expect(JSON.parse(readFileSync(ran.record, "utf8")).case_id).toBeNull();
      expect((await verify(ran)).code).toBe(0);
    }
  });

  it("says what is missing", async () => {
    expect(await portcullis("harness", "--policy", policy())).toMatchObject({ code: 2 });
    expect(await portcullis("harness", "verify", "a", "b")).toMatchObject({ code: 2 });
    expect((await portcullis("harness", "verify", "a", "b")).err).toContain("--policy");
  });
});
