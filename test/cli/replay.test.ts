/** `portcullis replay` says exactly which decisions of a log another policy makes otherwise, of any log, in any number of threads. */

import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { eventText, load, type Policy } from "@portcullis/runtime";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SEED } from "../campaign.ts";
import { Random } from "../rego/plan/generate/random.ts";
import { portcullis, removeFolder, temporaryFolder, write } from "./terminal.ts";

const bin = fileURLToPath(new URL("../../compiler/bin/portcullis.js", import.meta.url));
const isBuilt = existsSync(fileURLToPath(new URL("../../compiler/dist/bin/replay-worker.js", import.meta.url)));

let folder = "";
const file = (name: string): string => join(folder, name);
afterAll(() => removeFolder(folder));

const ROLES = ["WRITER", "EDITOR", "NOBODY"];
const LANES = ["DRAFTING", "PUBLISHING"];
const TOOLS = ["draft", "publish", "unknown"];

/** A policy set: who may do what, by lane. */
function policySet(name: string, lanes: { readonly [lane: string]: { roles: string[]; tools: string[] } }): void {
  write(file(`${name}/roles.yaml`), "roles:\n  - role_id: WRITER\n  - role_id: EDITOR\n");
  const laneText = Object.entries(lanes).map(
    ([lane, { roles, tools }]) =>
      `  - lane_id: ${lane}\n    allowed_callers: { roles: [${roles}] }\n    allowed_actions: { tools: [${tools}] }\n`,
  );
  write(file(`${name}/lanes.yaml`), `lanes:\n${laneText.join("")}`);
  const toolText = ["draft", "publish"].map(
    (tool) => `  - tool_name: ${tool}\n    enabled: true\n    implementation_status: implemented\n`,
  );
  write(file(`${name}/tool_registry.yaml`), `tools:\n${toolText.join("")}`);
}

interface Asked {
  readonly role: string;
  readonly lane: string;
  readonly tool: string;
}

let lines: string[];
let asked: Asked[];
let after: Policy;
let before: Policy;

beforeAll(async () => {
  folder = temporaryFolder();
  policySet("before", {
    DRAFTING: { roles: ["WRITER", "EDITOR"], tools: ["draft"] },
    PUBLISHING: { roles: ["EDITOR"], tools: ["publish"] },
  });
  // EDITOR may draft no longer; WRITER may publish.
  policySet("after", {
    DRAFTING: { roles: ["WRITER"], tools: ["draft"] },
    PUBLISHING: { roles: ["EDITOR", "WRITER"], tools: ["publish"] },
  });
  for (const name of ["before", "after"])
    expect((await portcullis("build", file(name), "-o", file(`${name}-out`))).code).toBe(0);
  const events: string[] = [];
  const bundle = (name: string) => readFileSync(file(`${name}-out/bundle.tar.gz`));
  before = await load(bundle("before"), { onDecision: (event) => void events.push(eventText(event)) });
  after = await load(bundle("after"));
  const random = new Random(SEED);
  const one = <T>(list: readonly T[]): T => list[random.int(list.length)] as T;
  asked = Array.from({ length: 500 }, () => ({ role: one(ROLES), lane: one(LANES), tool: one(TOOLS) }));
  for (const request of asked) before.tool(request);
  before.events?.flush();
  lines = [...events];
  expect(lines).toHaveLength(500);
  write(file("log.jsonl"), `${lines.join("\n")}\n`);
});

const replay = (...argv: string[]) => portcullis("replay", ...argv);
const json = async (...argv: string[]) => JSON.parse((await replay(...argv, "--format", "json")).out);

/** Both policies, asked one by one. */
function expected(): { [kind: string]: { [key: string]: number } } {
  const counts: { [kind: string]: { [key: string]: number } } = {};
  for (const request of asked) {
    const [was, is] = [before.tool(request), after.tool(request)];
    const kind =
      was.allowed === is.allowed
        ? was.gate === is.gate && was.reason === is.reason
          ? "same"
          : "changed-reason"
        : is.allowed
          ? "newly-allowed"
          : "newly-denied";
    const ofKind = (counts[kind] ??= {});
    const key = `${request.role} ${request.lane} ${request.tool}`;
    ofKind[key] = (ofKind[key] ?? 0) + 1;
  }
  return counts;
}

const total = (counts: { [key: string]: number } = {}): number => Object.values(counts).reduce((sum, n) => sum + n, 0);

describe("replay", () => {
  it("counts what asking both policies gives, by who asked for what", async () => {
    const found = await json(file("log.jsonl"), "--policy", file("after"));
    const want = expected();
    expect(total(want["newly-allowed"])).toBeGreaterThan(0);
    expect(total(want["newly-denied"])).toBeGreaterThan(0);
    expect(found.events).toBe(500);
    expect(found.same).toBe(total(want["same"]));
    for (const kind of ["newly-allowed", "newly-denied", "changed-reason"]) {
      expect(found.counts[kind]).toBe(total(want[kind]));
      const groups = found.groups.filter((group: { kind: string }) => group.kind === kind);
      const byAsked = Object.fromEntries(
        groups.map(({ role, lane, tool, count }: Asked & { count: number }) => [`${role} ${lane} ${tool}`, count]),
      );
      expect(byAsked).toEqual(want[kind] ?? {});
    }
    expect(found.by["newly-allowed"].tool).toEqual({ publish: total(want["newly-allowed"]) });
    expect(found.unknown).toEqual([]);
  });

  it("names the first event of each group, at its line", async () => {
    const { groups } = await json(file("log.jsonl"), "--policy", file("after"));
    for (const { role, lane, tool, example } of groups) {
      const first = asked.findIndex((a) => a.role === role && a.lane === lane && a.tool === tool);
      expect(example).toMatchObject({ file: file("log.jsonl"), line: first + 1 });
      expect(JSON.parse(example.input)).toEqual(asked[first]);
    }
  });

  it.each([
    ["unknown", "after", 1],
    ["any", "after", 1],
    ["allow", "after", 1],
    ["deny", "after", 1],
    ["nothing", "after", 0],
    ["unknown", "before", 0],
  ])("with --fail-on %s and the policy %s exits %i", async (failOn, policy, code) => {
    const ran = await replay(file("log.jsonl"), "--policy", file(`${policy}-out/bundle.tar.gz`), "--fail-on", failOn);
    expect(ran).toMatchObject({ code, err: "" });
  });

  it("fails for an event that cannot be decided again, unless it is told to fail for less", async () => {
    const masked = JSON.stringify({ ...JSON.parse(lines[0] as string), input: undefined, erased: ["/input"] });
    write(file("masked.jsonl"), `${masked}\n${lines[1]}\n`);
    const ran = await replay(file("masked.jsonl"), "--policy", file("before"));
    expect(ran.code).toBe(1);
    expect(ran.out).toContain("1 its request was erased or masked (first: ");
    expect(ran.out).toContain("2 events: 1 decided alike, 1 unknown");
    expect(await replay(file("masked.jsonl"), "--policy", file("before"), "--fail-on", "any")).toMatchObject({
      code: 0,
    });
  });

  it("reads packed logs, lists of events, and a ledger's own lines", async () => {
    const list = `[${lines.join(",")}]`;
    const checkpoint = '{"checkpoint":{"closed":true},"ledger":{"previous":"0","sequence":1}}';
    write(file("packed.jsonl.gz"), gzipSync(`${list}\n\n${checkpoint}\r\n{"dropped":0,"refused":2}`));
    const found = await json(file("packed.jsonl.gz"), file("log.jsonl"), "--policy", file("after"));
    expect(found.events).toBe(1000);
    expect(found.counts["newly-allowed"]).toBe(2 * total(expected()["newly-allowed"]));
    expect(found.unknown).toEqual([]);
  });

  it("refuses logs of which nothing, or not all, can be decided again", async () => {
    write(file("empty.jsonl"), "\n");
    expect(await replay(file("empty.jsonl"), "--policy", file("after"))).toMatchObject({
      code: 2,
      err: expect.stringContaining("nothing was replayed"),
    });
    // Node's own reader ends at the zero, without an error.
    const packed = gzipSync(`${lines.join("\n")}\n`);
    write(file("cut.jsonl.gz"), Buffer.concat([packed, Buffer.from([0]), packed]));
    expect(await replay(file("cut.jsonl.gz"), "--policy", file("after"))).toMatchObject({
      code: 2,
      err: expect.stringContaining("goes on behind what is packed"),
    });
  });

  it("says which lines are no events", async () => {
    write(file("broken.jsonl"), `{"path":\n"text"\n${lines[0]}\n{"input":{}}\n`);
    const { unknown, same } = await json(file("broken.jsonl"), "--policy", file("before"));
    expect(same).toBe(1);
    expect(unknown.map(({ why, line }: { why: string; line: number }) => [line, why])).toEqual([
      [1, "is no JSON"],
      [2, "is no decision event"],
      [4, "names no entrypoint"],
    ]);
  });

  it("prints what a code scanner and a pull request show", async () => {
    const path = file("log.jsonl");
    const sarif = JSON.parse((await replay(path, "--policy", file("after"), "--format", "sarif")).out);
    const [result] = sarif.runs[0].results;
    expect(result.ruleId).toMatch(/^replay\//);
    expect(result.locations[0].physicalLocation.region.startLine).toBeGreaterThan(0);
    const github = await replay(path, "--policy", file("after"), "--format", "github");
    expect(github.out).toContain(`::warning file=${path},line=`);
  });

  it.each([
    [["missing.jsonl", "--policy", "generated/bundle.tar.gz"], /cannot read `missing.jsonl`/],
    [["-", "--policy", "generated/bundle.tar.gz", "--data", "-"], /standard input can be read once/],
    [["x.jsonl"], /required option '--policy/],
  ])("refuses %j", async (argv, message) => {
    const ran = await replay(...argv);
    expect(ran.code).toBe(2);
    expect(ran.err).toMatch(message);
  });

  it.skipIf(!isBuilt)("counts alike in threads", async () => {
    // More chunks than are decided before threads are started.
    const copies = Math.ceil((24 * 1024 * 1024) / lines.join("\n").length);
    writeFileSync(file("long.jsonl"), `${lines.join("\n")}\n`.repeat(copies));
    const argv = [bin, "replay", file("long.jsonl"), "--policy", file("after-out/bundle.tar.gz"), "--format", "json"];
    const { stdout, stderr, status } = spawnSync(process.execPath, argv, { encoding: "utf8", maxBuffer: 2 ** 26 });
    expect({ stderr, status }).toEqual({ stderr: "", status: 1 });
    const [few, many] = [await json(file("log.jsonl"), "--policy", file("after")), JSON.parse(stdout)];
    expect(many.events).toBe(500 * copies);
    for (const kind of Object.keys(few.counts)) expect(many.counts[kind]).toBe(few.counts[kind] * copies);
    const grouped = (tally: typeof few, times: number) =>
      tally.groups.map((group: { count: number; example: { line: number } }) => ({
        ...group,
        count: group.count * times,
        example: group.example.line,
      }));
    expect(grouped(many, 1)).toEqual(grouped(few, copies));
  });
});
