/** `explain` on the command line: the gates it names, what it reads, and the rule that decided. */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readBundle } from "@portcullis/runtime";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Explanation } from "../../compiler/governance/review/index.ts";
import { packBundle } from "../../compiler/rego/bundle/tar.ts";
import { unbind } from "../rego/bundle/unbound.ts";
import { portcullis, removeFolder, temporaryFolder, write } from "./terminal.ts";

const generated = fileURLToPath(new URL("../../generated/bundle.tar.gz", import.meta.url));
let folder = "";
const file = (name: string): string => join(folder, name);
beforeAll(() => {
  folder = temporaryFolder();
});
afterAll(() => removeFolder(folder));

interface Shown {
  readonly gate: string;
  readonly status: string;
  readonly location: string;
  readonly reads: readonly { readonly path: string; readonly value?: unknown; readonly is_default?: true }[];
}

interface Report {
  readonly decision: unknown;
  readonly decided_by: Explanation["decidedBy"];
  readonly gates: readonly Shown[];
  readonly branches: readonly Shown[];
  readonly what_would_allow: Explanation["remedies"];
}

/** The line, from 1, on which the example's registry names a tool. */
function authoredLine(tool: string): number {
  const lines = readFileSync(new URL("../../policies/tool_registry.yaml", import.meta.url), "utf8").split("\n");
  return lines.findIndex((l) => l.includes(`tool_name: ${tool}`)) + 1;
}

async function explain(path: string, entrypoint: string, input: unknown, ...flags: string[]) {
  const request = write(file("input.json"), input);
  const { code, out, err } = await portcullis("explain", path, entrypoint, "-i", request, "--format", "json", ...flags);
  expect(err).toBe("");
  return { code, ...(JSON.parse(out) as Report) };
}

describe("explain", () => {
  it("tells the gates in order, what they read, and where the deciding rule stands", async () => {
    const input = { role: "RESEARCHER", lane: "RESEARCH", tool: "interview.transcribe" };
    const { decided_by, gates } = await explain(generated, "portcullis/tool/decision", input);
    const shown = gates;
    expect(shown.map((g) => [g.gate, g.status])).toEqual([
      ["ROLE", "held"],
      ["LANE", "held"],
      ["LANE_ROLE", "held"],
      ["LANE_AUTHORIZATION", "held"],
      ["TOOL", "held"],
      ["LANE_TOOL", "held"],
      ["TOOL_ENABLED", "held"],
      ["TOOL_IMPLEMENTED", "failed"],
      ["TOOL_ENABLED", "not reached"],
      ["PAYOUT_LIMIT", "not reached"],
    ]);
    const at = (needle: string): number => {
      const rego = readFileSync(new URL("../../compiler/governance/library/tool.rego", import.meta.url), "utf8");
      return rego.slice(0, rego.indexOf(needle)).split("\n").length;
    };
    const place = `portcullis/tool.rego:${at('"tool_not_implemented"')}`;
    expect(decided_by).toEqual({ rule: "data.portcullis.tool.verdict", location: place });
    expect(shown[7]).toMatchObject({
      location: place,
      reads: expect.arrayContaining([
        {
          path: 'data.portcullis.policy.tools["interview.transcribe"].implementation_status',
          value: "not_implemented",
          place: { file: "tool_registry.yaml", line: authoredLine("interview.transcribe") + 2, column: 5 },
        },
        { path: "input.tool", value: "interview.transcribe" },
      ]),
    });
    expect(shown[8]?.reads).toEqual([]);
  });

  it("tells the author's field at its place, and what would allow", async () => {
    const request = write(file("allow.json"), { role: "WRITER", lane: "PUBLISHING", tool: "article.publish" });
    const { out } = await portcullis("explain", generated, "tool", "-i", request, "--all");
    const lanes = readFileSync(new URL("../../policies/lanes.yaml", import.meta.url), "utf8").split("\n");
    const publishing = lanes.findIndex((l) => l.includes("lane_id: PUBLISHING"));
    const roles = lanes.findIndex((l, i) => i > publishing && l.trim().startsWith("roles:"));
    const place = `lanes.yaml:${roles + 1}:${(lanes[roles] as string).indexOf("roles") + 1}`;
    expect(out).toContain(`${place}  \`allowed_callers.roles\` of lane PUBLISHING lacks WRITER: it is MANAGING_EDITOR`);
    expect(out).toContain(`- add WRITER to \`allowed_callers.roles\` of lane PUBLISHING  ${place}`);
    expect(out).toContain('set `role` of the request to "MANAGING_EDITOR"');
    const known = write(file("near.json"), { role: "WRITER", lane: "DRAFTING", tool: "draft.creat" });
    const near = await explain(generated, "portcullis/tool/decision", JSON.parse(readFileSync(known, "utf8")));
    expect(near.what_would_allow.request[0]?.changes).toEqual([
      { path: ["input", "tool"], from: "draft.creat", to: "draft.create", text: expect.any(String) },
    ]);
    expect(near.what_would_allow.policy[0]?.changes.map((c) => c.text)).toEqual([
      "define tool draft.creat",
      "add draft.creat to `allowed_actions.tools` of lane DRAFTING",
    ]);
  });

  it("tells the members of a handoff's record that a gate reads, and of a long record no more than its members' names", async () => {
    const sample = "../../policies/handoff-samples/positive/research-done.json";
    const record = JSON.parse(readFileSync(new URL(sample, import.meta.url), "utf8"));
    const input = { record: { ...record, result: "DONE", "odd name": 1 } };
    const { gates } = await explain(generated, "portcullis/handoff/decision", input);
    expect(gates.find((g) => g.gate === "RESULT")?.reads).toEqual([{ path: "input.record.result", value: "DONE" }]);
    const boundary = gates.filter((g) => g.gate === "AGENTS")[1]?.reads;
    expect(boundary).toContainEqual({ path: "input.record.to_agent", value: record.to_agent });
    const { out } = await portcullis("explain", generated, "handoff", "-i", file("input.json"), "--all");
    expect(out).toContain('  input.record.result = "DONE"\n');
    const [first, second] = Object.keys(record);
    expect(out).toMatch(new RegExp(`  input\\.record has ${first}, ${second}, .* and \\d+ more\\n`));
    expect(out).not.toContain("input.record = {");
    const small = write(file("small.json"), { record: { "odd name": "x".repeat(100), result: "PASS" } });
    const told = await portcullis("explain", generated, "handoff", "-i", small, "--all");
    expect(told.out).toContain('  input.record has "odd name", result\n');
  });

  it("names the author's requirement that decided, and shows each way to meet it", async () => {
    const example = fileURLToPath(new URL("../../policies", import.meta.url));
    const input = { role: "MANAGING_EDITOR", lane: "RIGHTS_AND_PAYOUTS", tool: "payout.release" };
    const { decided_by, gates, what_would_allow } = await explain(example, "portcullis/tool/decision", input, "--fail");
    expect(decided_by).toMatchObject({
      rule: "data.portcullis.ext.tool.must",
      location: expect.stringMatching(/^extensions\/tool.rego:/),
    });
    const last = { gate: "PAYOUT_LIMIT", reason: "payout_above_limit", status: "failed" };
    expect(gates.slice(-2)).toEqual([
      expect.objectContaining({ ...last, reads: expect.arrayContaining([{ path: "input.tool", value: input.tool }]) }),
      expect.objectContaining({ ...last, reads: expect.arrayContaining([{ path: "input.scope.amount_cents" }]) }),
    ]);
    expect(what_would_allow.request[0]?.changes.map((c) => c.text)).toEqual([
      expect.stringContaining("`scope.amount_cents`"),
    ]);
    const held = { ...input, scope: { amount_cents: 5 } };
    const told = await explain(example, "portcullis/tool/decision", held);
    expect(told.gates.filter((g) => g.gate === "PAYOUT_LIMIT")).toEqual([
      expect.objectContaining({ ...last, status: "held" }),
    ]);
    const before = await explain(example, "portcullis/tool/decision", { ...input, lane: "NOWHERE" });
    expect(before.gates.at(-1)).toMatchObject({ gate: "PAYOUT_LIMIT", status: "not reached" });
  });

  it("names the author's denial that decided", async () => {
    const set = file("denied");
    expect((await portcullis("init", set)).code).toBe(0);
    const rule = 'deny contains {"gate": "G", "reason": "r"} if input.scope.odd == true';
    write(join(set, "more.rego"), `package portcullis.ext.tool\n\n${rule}\n`);
    const input = { role: "ASSISTANT", lane: "RESEARCH", tool: "web.search", scope: { odd: true } };
    const { decided_by, gates } = await explain(set, "portcullis/tool/decision", input);
    expect(decided_by).toEqual({ rule: "data.portcullis.ext.tool.deny", location: "more.rego:3" });
    expect(gates.filter((g) => g.gate === "PROTECTED_PATH").map((g) => g.status)).toEqual(["held"]);
    expect(gates.at(-1)).toMatchObject({ gate: "G", reason: "r", status: "failed" });
  });

  it.each([
    ["no file", undefined, "`lineage.max_chain` is 64 by default: portcullis.yaml does not set it"],
    [
      "another section",
      "call: { lineage: optional }\n",
      "portcullis.yaml:1:1  `lineage.max_chain` is 64 by default: portcullis.yaml does not set it",
    ],
    [
      "a part of the section",
      "version: v1\nlineage:\n  require: true\n",
      "portcullis.yaml:2:1  `lineage.max_chain` is 64 by default: portcullis.yaml does not set it",
    ],
    [
      "the very number",
      "lineage: { max_chain: 64 }\n",
      "portcullis.yaml:1:12  `lineage.max_chain` of portcullis.yaml is 64",
    ],
  ])("says what is a default, and not written: %s", async (_, settings, said) => {
    const set = file(`defaults-${settings?.length ?? 0}`);
    write(join(set, "roles.yaml"), "roles: [{ role_id: R }]\n");
    if (settings !== undefined) write(join(set, "portcullis.yaml"), settings);
    expect((await portcullis("build", set, "-o", `${set}-out`)).code).toBe(0);
    const bundle = join(`${set}-out`, "bundle.tar.gz");
    const { code, out } = await portcullis("explain", bundle, "lineage", "--all");
    expect(code).toBe(0);
    expect(out.split("\n").map((line) => line.trim())).toContain(said);
    const { branches } = await explain(bundle, "lineage", null);
    const reads = branches.flatMap((branch) => branch.reads).filter(({ path }) => path.endsWith("lineage.max_chain"));
    const known = said.includes("by default") ? { is_default: true } : {};
    expect(reads.length).toBeGreaterThan(0);
    for (const { value, is_default } of reads) expect({ value, is_default }).toEqual({ value: 64, ...known });
  });

  it("says so of the members of a list, too", async () => {
    const set = file("modes");
    write(join(set, "exec.yaml"), "modes: [m, n]\nstaging_root: /srv/queue\n");
    expect((await portcullis("build", set, "-o", `${set}-out`)).code).toBe(0);
    const request = write(file("inline.json"), { mode: "m", inline: true });
    const { out } = await portcullis("explain", join(`${set}-out`, "bundle.tar.gz"), "exec", "-i", request, "--all");
    expect(out).toContain(
      "`inline_modes` lacks m: it is break-glass, mode-init by default: exec.yaml does not set it\n",
    );
    expect(out).toContain("`modes` of exec.yaml has m\n");
    const { gates } = await explain(join(`${set}-out`, "bundle.tar.gz"), "exec", { mode: "m", inline: true });
    const told = gates.flatMap((gate) => gate.reads).filter(({ path }) => /\.(?:inline_)?modes\b/.test(path));
    expect(new Set(told.map(({ path, is_default }) => `${path} ${is_default}`))).toEqual(
      new Set(["data.portcullis.policy.exec.inline_modes.m true", "data.portcullis.policy.exec.modes.m undefined"]),
    );
  });

  it("exits 1 for a denial with --fail, and tells people the same", async () => {
    const request = write(file("request.json"), { role: "NOBODY", lane: "RESEARCH" });
    const { code, out } = await portcullis("explain", generated, "portcullis/lane/decision", "-i", request, "--fail");
    expect(code).toBe(1);
    const lines = out.split("\n");
    expect(lines[0]).toMatch(/^denied by ROLE role_not_defined {2}portcullis\/lane\.rego:\d+$/);
    expect(out).toContain("  no file defines role NOBODY\n");
    expect(out).toContain('\n  found     input.role = "NOBODY"\n');
    // The smallest change of each kind, and the rest by request.
    expect(lines.filter((line) => line.startsWith("  - "))).toHaveLength(2);
    expect(lines.at(-2)).toMatch(/^0 gates held, \d+ were not reached: `--all` shows each/);
    const all = await portcullis("explain", generated, "lane", "-i", request, "--all");
    expect(all.out.split("\n")[0]).toBe(lines[0]);
    expect(all.out).toContain("FAILED       ROLE role_not_defined");
    expect(all.out).toContain("not reached  LANE (lane_not_defined)");
  });

  it("names no denial of the house that was not asked, and the house's where it decided", async () => {
    const set = file("off");
    const modes = (inline: string): string => `modes: [m, n]\ninline_modes: [${inline}]\nstaging_root: /srv/queue\n`;
    const off = { gate: "MODE_OFF", reason: "off" };
    write(
      join(set, "house.rego"),
      ["package portcullis.ext.exec\n", `deny contains ${JSON.stringify(off)} if input.mode == "m"\n`].join("\n"),
    );
    const request = write(file("off.json"), { mode: "m", kind: "inline" });
    const denied = async (inline: string): Promise<string[]> => {
      write(join(set, "exec.yaml"), modes(inline));
      const { out } = await portcullis("explain", set, "exec", "-i", request);
      return out.split("\n").filter((line) => /^denied by|=/.test(line));
    };
    expect((await denied("n"))[0]).toMatch(/^denied by INLINE inline_execution_forbidden/);
    expect((await denied("n")).join("\n")).not.toContain("MODE_OFF");
    const lines = await denied("m");
    expect(lines[0]).toMatch(/^denied by MODE_OFF off {2}house\.rego:3$/);
    // What a rule gave was found, and is not what was expected.
    expect(lines).toContain("  found     data.portcullis.exec.verdict.allowed = true");
    const { out } = await portcullis("explain", set, "exec", "-i", request, "--format", "json");
    expect(JSON.parse(out).decided_by).toEqual({ rule: "data.portcullis.ext.exec.deny", location: "house.rego:3" });
  });

  it("begins with the answer of an allow, and with what a rule of the house expected", async () => {
    const example = fileURLToPath(new URL("../../policies", import.meta.url));
    const ask = async (more: object): Promise<string[]> => {
      const request = write(file("house.json"), {
        ...{ role: "MANAGING_EDITOR", lane: "RIGHTS_AND_PAYOUTS", tool: "payout.release" },
        ...more,
      });
      return (await portcullis("explain", example, "tool", "-i", request)).out.split("\n");
    };
    const allowed = await ask({ scope: { amount_cents: 1 } });
    expect(allowed[0]).toMatch(/^allowed by ALLOW tool_allowed {2}portcullis\/\w+\.rego:\d+$/);
    const lines = await ask({ scope: { amount_cents: 100_000_000 } });
    expect(lines[0]).toMatch(/^denied by PAYOUT_LIMIT payout_above_limit {2}extensions\/tool\.rego:\d+$/);
    expect(lines).toContainEqual(expect.stringMatching(/^ {2}expected {2}/));
  });

  it("explains rules of an author's own, condition by condition, with host data", async () => {
    write(
      file("rules/a.rego"),
      `package app.authz

import input.user as u

default allow := false

allow if u.admin

allow if {
	some role in u.roles
	data.grants[role][input.action]
	limit > 0
	limit = data.host.limit
	not blocked(u)
}

blocked(x) if x.name in data.blocked
`,
    );
    write(file("rules/data.json"), { grants: { editor: { write: true } }, blocked: ["eve"] });
    const host = write(file("host.json"), { host: { limit: 3 } });
    const user = (name: string) => ({ user: { name, roles: ["editor"] }, action: "write" });
    const eve = await explain(file("rules"), "app/authz/allow", user("eve"), "--data", host);
    expect(eve).toMatchObject({
      decision: false,
      decided_by: { rule: "data.app.authz.allow", location: "a.rego:5", isDefault: true },
      branches: [
        { location: "a.rego:7", status: "failed", conditions: [{ text: "u.admin", status: "failed" }] },
        {
          location: "a.rego:9",
          status: "failed",
          conditions: [
            { text: "some role in u.roles", status: "held" },
            { text: "data.grants[role][input.action]", status: "held" },
            { text: "limit > 0", status: "held" },
            { text: "limit = data.host.limit", status: "held" },
            { text: "not blocked(u)", status: "failed" },
          ],
          reads: expect.arrayContaining([
            { path: "data.host.limit", value: 3 },
            { path: "data.blocked", value: ["eve"] },
          ]),
        },
      ],
    });
    const ann = await explain(file("rules"), "app/authz/allow", user("ann"), "--data", host);
    expect(ann).toMatchObject({ decision: true, decided_by: { location: "a.rego:9" } });
  });

  it("refuses a bundle whose module does not answer as its Rego", async () => {
    const files = await readBundle(readFileSync(generated));
    const lane = new TextDecoder().decode(files.get("portcullis/lane.rego"));
    await unbind(files);
    files.set("portcullis/lane.rego", Buffer.from(lane.replace("role_not_defined", "who_are_you")));
    writeFileSync(file("changed.tar.gz"), await packBundle([...files].map(([path, bytes]) => ({ path, bytes }))));
    const result = await portcullis("explain", file("changed.tar.gz"), "portcullis/lane/decision");
    expect(result).toMatchObject({ code: 2, err: expect.stringContaining("does not answer as the Rego") });
  });

  it.each([
    [["missing.tar.gz", "a/b"], "no such file"],
    [[generated, "a/b"], "no entrypoint `a/b`"],
    [[generated.replace("bundle.tar.gz", "policy.wasm"), "portcullis/lane/decision"], "is a bare module"],
    [[generated, "portcullis/lane/decision", "-i", generated], "is not valid UTF-8"],
  ])("%j exits 2 and says what to do", async (argv, problem) => {
    expect(await portcullis("explain", ...argv)).toMatchObject({ code: 2, err: expect.stringContaining(problem) });
  });
});

it.each(["explain", "eval"])("`%s` takes a decision by its short name", async (command) => {
  const request = write(file("short.json"), { role: "WRITER", lane: "DRAFTING" });
  const asked = (entrypoint: string) => portcullis(command, generated, entrypoint, "-i", request, "--format", "json");
  const whole = await asked("portcullis/lane/decision");
  expect(whole).toMatchObject({ code: 0, err: "" });
  // What an evaluation took is a number of its own each time.
  const untimed = ({ code, out }: typeof whole) => ({ code, out: out.replace(/"microseconds": .*/, "") });
  expect(untimed(await asked("lane"))).toEqual(untimed(whole));
  expect(await asked("lanes")).toMatchObject({ code: 2 });
});
