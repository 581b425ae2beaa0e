/** `diff` names exactly the decisions that a change of policy changes, and `prove` holds for what is right and fails for what is not. */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { load, readBundle } from "@portcullis/runtime";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { questions, spacesOf } from "../../compiler/governance/review/decision-space.ts";
import { policyIds, policyTables } from "../../compiler/governance/review/policy-ids.ts";
import { isListed } from "../../compiler/governance/review/prove/grants.ts";
import { packBundle } from "../../compiler/rego/bundle/tar.ts";
import { isWhole } from "../campaign.ts";
import { unbind } from "../rego/bundle/unbound.ts";
import { portcullis, removeFolder, temporaryFolder, write } from "./terminal.ts";

let folder = "";
const file = (name: string): string => join(folder, name);

function edit(dir: string, path: string, from: string, to: string): void {
  const target = join(file(dir), path);
  const text = readFileSync(target, "utf8");
  expect(text).toContain(from);
  writeFileSync(target, text.replace(from, to));
}

beforeAll(async () => {
  folder = temporaryFolder();
  for (const dir of ["before", "after"]) expect((await portcullis("init", file(dir))).code).toBe(0);
  edit("after", "lanes.yaml", "tools: [files.read, web.search]", "tools: [files.read]");
  edit("after", "lanes.yaml", "roles: [MAINTAINER]", "roles: [MAINTAINER, ASSISTANT]");
  edit("after", "manifests/reader.yaml", "max_spawn_depth: 0", "max_spawn_depth: 1");
  edit("after", "extensions/rules.rego", "ordinary_path if {", "ordinary_path if {\n\tinput.scope.path != null");
  for (const dir of ["before", "after"])
    expect((await portcullis("build", file(dir), "-o", file(`${dir}-out`))).code).toBe(0);
});
afterAll(() => removeFolder(folder));

const bundles = (): [string, string] => [file("before-out/bundle.tar.gz"), file("after-out/bundle.tar.gz")];

describe("diff", () => {
  it("lists every decision that changed, and nothing else", async () => {
    const { code, out } = await portcullis("diff", ...bundles(), "--format", "json", "--fail-on", "nothing");
    expect(code).toBe(0);
    const { asked, counts, changes, found, contents, unseen } = JSON.parse(out);
    expect(asked).toEqual({ lane: 4, tool: 12, subagent: 2, spawn: 4 });
    const shown = (kind: string) =>
      changes
        .filter((c: { kind: string }) => c.kind === kind)
        .map((c: { space: string; request: object }) => [c.space, ...Object.values(c.request)].join(" "));
    // files.write asks for a path, which no question has, so the extension still denies it.
    expect(shown("newly-allowed")).toEqual(["lane ASSISTANT CHANGE", "tool ASSISTANT CHANGE files.read"]);
    expect(shown("newly-denied")).toEqual([
      "tool ASSISTANT RESEARCH web.search",
      "tool MAINTAINER RESEARCH web.search",
    ]);
    expect(shown("changed-reason")).toContain("spawn reader reader");
    expect(counts["newly-allowed"]).toBe(2 + found.filter((c: { kind: string }) => c.kind === "newly-allowed").length);
    expect(contents).toContainEqual({
      part: "data",
      kind: "removed",
      path: 'data.portcullis.policy.lanes.RESEARCH.tools["web.search"]',
      before: "true",
      places: { before: { file: "lanes.yaml", line: 9, column: 7 } },
    });
    expect(contents).toContainEqual({ part: "rego", kind: "changed", path: "extensions/rules.rego" });
    expect(unseen).toContainEqual(
      expect.objectContaining({ part: "rego", path: expect.stringContaining("ordinary_path") }),
    );
  });

  it("names a path alike wherever it lists it, and the file of a version", async () => {
    for (const [dir, program, version] of [
      ["older", "/usr/bin/python3", "1"],
      ["newer", "/opt/python3", "2"],
    ] as const) {
      expect((await portcullis("init", file(dir))).code).toBe(0);
      write(file(`${dir}/exec.yaml`), `staging_root: /srv/q\ninterpreters: { .py: [${program}] }\n`);
      write(file(`${dir}/lanes.yaml`), `version: "${version}"\n${readFileSync(file(`${dir}/lanes.yaml`), "utf8")}`);
    }
    const { out } = await portcullis("diff", file("older"), file("newer"), "--format", "json");
    const { contents, unseen } = JSON.parse(out);
    const named = 'data.portcullis.policy.exec.interpreters[".py"]';
    expect(unseen.map(({ path }: { path: string }) => path)).toContain(named);
    const listed = new Map<string, { places?: object }>(contents.map((c: { path: string }) => [c.path, c]));
    expect(listed.has(named)).toBe(true);
    expect(listed.get("data.portcullis.policy.settings.versions.lanes")).not.toHaveProperty("places");
  });

  it.each([
    ["allow", 1],
    ["deny", 1],
    ["reason", 1],
    ["any", 1],
  ])("--fail-on %s exits %i", async (what, code) => {
    expect((await portcullis("diff", ...bundles(), "--fail-on", what)).code).toBe(code);
    const [before] = bundles();
    const same = await portcullis("diff", before, before, "--fail-on", what);
    expect(same).toMatchObject({ code: 0, out: expect.stringContaining("0 newly allowed, 0 newly denied, 0 changed") });
  });

  it("fails by default over what no question shows, unless that is accepted", async () => {
    const target = file("unseen");
    expect((await portcullis("init", target)).code).toBe(0);
    write(join(target, "portcullis.yaml"), "rego: { host_data: [desk] }\n");
    write(
      join(target, "more.rego"),
      'package portcullis.ext.lane\n\ndeny contains {"gate": "G", "reason": "r"} if data.desk.odd\n',
    );
    expect((await portcullis("build", target, "-o", file("unseen-out"))).code).toBe(0);
    write(join(target, "more.rego"), "package desk.nothing\n\nodd := 1\n");
    const asked = ["diff", file("unseen-out/bundle.tar.gz"), target];
    const failed = await portcullis(...asked);
    expect(failed).toMatchObject({
      code: 1,
      out: expect.stringContaining("data.portcullis.ext.lane.deny: a rule was removed"),
    });
    expect((await portcullis(...asked, "--fail-on", "allow")).code).toBe(1);
    expect((await portcullis(...asked, "--fail-on", "allow", "--accept-unknown")).code).toBe(0);
    expect((await portcullis(...asked, "--fail-on", "nothing")).code).toBe(0);
  });

  it.each([
    ["a further gate", 'must contains "LATER" if input.scope.odd == true', 0],
    ["a further way to meet a gate", 'must contains "PROTECTED_PATH" if input.scope.odd == true', 1],
  ])("%s of the authors' is harmless, or is told (%#)", async (_name, rule, told) => {
    const target = file(`must-${told}`);
    expect((await portcullis("init", target)).code).toBe(0);
    write(join(target, "more.rego"), `package portcullis.ext.tool\n\n${rule}\n`);
    const { out } = await portcullis("diff", bundles()[0], target, "--format", "json", "--fail-on", "nothing");
    const { unseen, contents } = JSON.parse(out);
    const changes = unseen.filter(({ path }: { path: string }) => path === "data.portcullis.ext.tool.must");
    expect(changes.length).toBe(told);
    const gate = contents.find(({ path }: { path: string }) => path.startsWith("data.portcullis.policy.gates"));
    expect(gate?.path).toBe(told === 1 ? undefined : "data.portcullis.policy.gates.tool.LATER");
  });

  it("tells the removal of an author's requirement", async () => {
    const target = file("must-gone");
    expect((await portcullis("init", target)).code).toBe(0);
    write(join(target, "extensions/tool.rego"), "package desk.nothing\n\nodd := 1\n");
    const { code, out } = await portcullis("diff", bundles()[0], target, "--format", "json");
    expect(code).toBe(1);
    // Every question about it says nothing of a path.
    const { changes } = JSON.parse(out);
    const allowed = changes.filter((c: { kind: string }) => c.kind === "newly-allowed");
    expect(allowed.map((c: { request: { tool: string } }) => c.request.tool)).toEqual(["files.write"]);
  });

  it("counts an id that is gone as denied", async () => {
    const [before] = bundles();
    write(file("none/roles.yaml"), "roles: []\n");
    const { out } = await portcullis("diff", before, file("none"), "--format", "json");
    const kinds = JSON.parse(out).changes.map((c: { kind: string }) => c.kind);
    expect(kinds).not.toContain("newly-allowed");
    expect(kinds.filter((kind: string) => kind === "newly-denied")).toHaveLength(3 + 5 + 1 + 1);
  });

  it("counts in its totals what it finds beyond the compared decisions", async () => {
    const sums = [20_000, 200_000].map((sum) => {
      const target = file(`sum-${sum}`);
      write(
        join(target, "tool_registry.yaml"),
        "tools: [{ tool_name: pay, enabled: true, implementation_status: implemented, arguments: { amount: { type: integer } } }]\n",
      );
      write(join(target, "roles.yaml"), "roles: [{ role_id: CLERK }]\n");
      write(
        join(target, "lanes.yaml"),
        "lanes: [{ lane_id: DESK, allowed_callers: { roles: [CLERK] }, allowed_actions: { tools: [pay] } }]\n",
      );
      write(
        join(target, "limits.yaml"),
        `limits: [{ limit_id: DAY, calls: { tools: [pay] }, per: [role], max_sum: { of: args.amount, at_most: ${sum} }, within: 1d }]\n`,
      );
      return target;
    }) as [string, string];
    const { code, out } = await portcullis("diff", ...sums, "--format", "json", "--fail-on", "allow");
    expect(code).toBe(1);
    const { counts, changes, found } = JSON.parse(out);
    expect(changes).toEqual([]);
    expect(found.map((c: { kind: string }) => c.kind)).toEqual(["newly-allowed"]);
    expect(counts).toEqual({ "newly-allowed": 1, "newly-denied": 0, "changed-reason": 0 });
    for (const format of ["human", "github"]) {
      const last = (await portcullis("diff", ...sums, "--format", format)).out.trimEnd().split("\n").at(-1);
      expect(last).toMatch(
        /^\d+ decisions compared, and 1 found beyond them: 1 newly allowed, 0 newly denied, 0 changed reason; /,
      );
    }
  });

  it("speaks GitHub", async () => {
    const { out } = await portcullis("diff", ...bundles(), "--format", "github");
    expect(out).toContain("::warning title=newly-allowed::lane role=ASSISTANT lane=CHANGE: ");
    expect(out).toMatch(/^::warning title=unknown::.*ordinary_path/m);
    expect(out).not.toContain("\\u003a");
  });

  it("refuses what it cannot ask in full, bare modules, and what is not there", async () => {
    const [before, after] = bundles();
    const refused = await portcullis("diff", before, after, "--limit", "10");
    expect(refused).toMatchObject({ code: 2, err: expect.stringContaining("22 questions") });
    expect(await portcullis("diff", before, after, "--limit", "many")).toMatchObject({ code: 2 });
    expect(await portcullis("diff", before, file("after-out/policy.wasm"))).toMatchObject({ code: 2 });
    expect(await portcullis("diff", before, file("missing"))).toMatchObject({ code: 2 });
    mkdirSync(file("empty"));
    writeFileSync(file("cut.tar.gz"), readFileSync(before).subarray(0, 1000));
    for (const side of ["empty", "cut.tar.gz", "missing"]) {
      expect(await portcullis("diff", file(side), after, "--fail-on", "allow")).toMatchObject({ code: 2, out: "" });
      expect(await portcullis("diff", before, file(side), "--fail-on", "nothing")).toMatchObject({ code: 2, out: "" });
    }
  });
});

/** Claims are what these tests are about: in `make test` one grant is taken away, and not each. */
const REMOVALS = isWhole ? [] : ["--removals", "1"];

describe("prove", () => {
  it("holds for sources and bundles", async () => {
    const { code, out } = await portcullis("prove", bundles()[0], "--format", "json");
    const report = JSON.parse(out);
    expect(report).toMatchObject({ ok: true, enumerated: { lane: 4, tool: 12, subagent: 2, spawn: 4, call: 24 } });
    expect(report.properties.at(-1)).toMatchObject({ name: expect.stringContaining("23 grants"), asked: 23 * 46 });
    expect(code).toBe(0);
  });

  it("says when grants were sampled", async () => {
    const { out } = await portcullis("prove", bundles()[0], "--removals", "100");
    expect(out).toContain("sampled: 2 of 23 grants");
  });

  it("finds a module that is not its Rego, a grant that grants nothing, and a removal that allows", async () => {
    // The library with a hole: a role that is not kept out by name may use every tool.
    const files = await readBundle(readFileSync(bundles()[0]));
    const lane = new TextDecoder().decode(files.get("portcullis/lane.rego"));
    const holed = lane.replace(
      "not role_allowed\n",
      "data.portcullis.policy.lanes[input.lane].roles.MAINTAINER\n\tnot role_allowed\n",
    );
    expect(holed).not.toBe(lane);
    await unbind(files);
    files.set("portcullis/lane.rego", Buffer.from(holed));
    writeFileSync(file("holed.tar.gz"), await packBundle([...files].map(([path, bytes]) => ({ path, bytes }))));
    const { code, out } = await portcullis("prove", file("holed.tar.gz"), "--format", "json");
    expect(code).toBe(1);
    const failed = JSON.parse(out).properties.filter((p: { holds: boolean }) => !p.holds);
    const removal = failed.find((p: { name: string }) => p.name.startsWith("taking away"));
    expect(removal.counterexamples).toContainEqual(
      expect.objectContaining({
        request: { role: "ASSISTANT", lane: "CHANGE" },
        why: "denied, but allowed without lanes.CHANGE.roles.MAINTAINER",
      }),
    );
  });

  it("checks claims, with counter-examples", async () => {
    const claims = write(
      file("claims.yaml"),
      `claims:
  - never: { decision: tool, role: ASSISTANT, tool: [files.write] }
  - never: { decision: lane, role: MAINTAINER }
  - always: { decision: spawn, parent: assistant }
  - always: { decision: subagent, persona: ASSISTANT, subagent: READER }
    because: it reads
  - never: { decision: exec, input: { mode: maintenance, kind: inline } }
  - always: { entrypoint: portcullis/lane/decision, input: { role: ASSISTANT, lane: CHANGE } }
`,
    );
    const { code, out } = await portcullis("prove", bundles()[0], "--claims", claims, ...REMOVALS, "--format", "json");
    expect(code).toBe(1);
    const own = JSON.parse(out).properties.slice(-6);
    expect(own.map((p: { holds: boolean }) => p.holds)).toEqual([true, false, false, true, true, false]);
    expect(own[1].counterexamples[0]).toMatchObject({ request: { role: "MAINTAINER", lane: "CHANGE" } });
    expect(own[2].counterexamples).toHaveLength(1);
  });

  it.each([
    ["claims: []\n", "`claims` is empty"],
    ["claims: 1\n", "needs a list `claims`"],
    ["claims:\n  - { because: of it }\n", "claims.yaml:2:5: a claim is"],
    ["claims:\n  - { decision: lane }\n", "claims.yaml:2:7: unknown key `decision`"],
    ["claims:\n  - never: { decision: lane, role: ASSISTENT }\n", "no role `ASSISTENT`"],
    ["claims:\n  - never: { decision: handoff }\n", "`decision` is one of"],
    ["claims:\n  - never: { decision: lane, tool: x }\n", "unknown key `tool`"],
    ["claims:\n  - never: { decision: nothing, input: 1 }\n", "no entrypoint `portcullis/nothing/decision`"],
    ["claims: [\n", "claims.yaml:"],
  ])("reads %j strictly", async (text, problem) => {
    const result = await portcullis("prove", bundles()[0], "--claims", write(file("claims.yaml"), text), ...REMOVALS);
    expect(result.code).toBe(2);
    expect(result.err).toContain(problem);
  });

  it("knows grants as the example's own bundle lists them", async () => {
    const bundle = readFileSync(new URL("../../generated/bundle.tar.gz", import.meta.url));
    const data = JSON.parse(new TextDecoder().decode((await readBundle(bundle)).get("data.json")));
    const tables = policyTables(data) ?? {};
    const policy = await load(bundle);
    for (const space of spacesOf(policyIds(tables)).filter((s) => s.name === "lane")) {
      for (const [role = "", lane = ""] of questions(space)) {
        expect(policy.lane({ role, lane }).allowed).toBe(isListed(tables, "lane", [role, lane]));
      }
    }
  });
});
