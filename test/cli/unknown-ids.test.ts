/** Names on a command line that the policy does not have: each ends the command with what was meant. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { unknownIds } from "../../compiler/cli/unknown-ids.ts";
import { mappedTo } from "../../compiler/enforcement/gateway/tool-map.ts";
import { openBundle } from "../../compiler/governance/review/index.ts";
import { portcullis, removeFolder, temporaryFolder, write } from "./terminal.ts";

let folder = "";
let bundle = "";
let request = "";
beforeAll(async () => {
  folder = temporaryFolder();
  request = write(join(folder, "request.json"), { role: "CLERK", lane: "DESK", tool: "note.write" });
  write(
    join(folder, "set/roles.yaml"),
    "roles:\n  - { role_id: CLERK, class: agent, privileges: { lanes: [DESK] } }\n",
  );
  write(
    join(folder, "set/lanes.yaml"),
    "lanes:\n  - lane_id: DESK\n    allowed_callers: { roles: [CLERK] }\n    allowed_actions: { tools: [note.write] }\n    scope: { requires: [case_id], prohibits: [bulk] }\n",
  );
  write(
    join(folder, "set/tool_registry.yaml"),
    "tools:\n  - { tool_name: note.write, enabled: true, implementation_status: implemented }\n",
  );
  bundle = join(folder, "out/bundle.tar.gz");
  expect(await portcullis("build", join(folder, "set"), "-o", join(folder, "out"))).toMatchObject({ code: 0 });
});
afterAll(() => removeFolder(folder));

const ENTRYPOINT = "portcullis/tool/decison";
const MEANT = "did you mean `portcullis/tool/decision`?";

describe("an entrypoint", () => {
  it.each([
    ["explain", () => ["explain", bundle, ENTRYPOINT, "-i", request], 2],
    ["eval", () => ["eval", bundle, ENTRYPOINT, "-i", request], 2],
    ["bench", () => ["bench", bundle, "-e", ENTRYPOINT, "-i", request, "--decisions", "10"], 2],
    ["serve", () => ["serve", bundle, "--addr", "127.0.0.1:0", "--authzen", ENTRYPOINT], 2],
    ["check", () => ["check", join(folder, "set"), "-e", ENTRYPOINT], 1],
    ["build", () => ["build", join(folder, "set"), "-o", join(folder, "never"), "-e", ENTRYPOINT], 1],
  ] as const)("of %s", async (_name, words, code) => {
    const result = await portcullis(...words());
    expect(result.err).toContain(MEANT);
    expect(result.code).toBe(code);
  });

  it("that is like no other: all of them are named", async () => {
    const { code, err } = await portcullis("eval", bundle, "x", "-i", request);
    expect(code).toBe(2);
    expect(err).toContain("it has `portcullis/");
  });
});

describe("an id", () => {
  it.each([
    ["a role of list", () => ["list", bundle, "--role", "CLRK"], "CLERK"],
    ["a tool of list", () => ["list", bundle, "--tool", "note.wrte"], "note.write"],
    ["a code", () => ["--explain", "model/undefined-rol"], "model/undefined-role"],
  ] as const)("%s", async (_name, words, meant) => {
    const { code, err } = await portcullis(...words());
    expect({ code, err }).toMatchObject({ code: 2, err: expect.stringContaining(`did you mean \`${meant}`) });
  });
});

describe("what a gateway is started with", () => {
  const problems = async (flags: object, tools = new Map()): Promise<string[]> => {
    const opened = await openBundle("set", readFileSync(bundle));
    if (!opened.ok) throw new Error(opened.problem.message);
    return unknownIds(opened.value, flags, tools);
  };

  it.each([
    ["a role", { role: "CLRK" }, "the policy has no role `CLRK`; did you mean `CLERK`?"],
    ["a lane", { lane: "DSK" }, "the policy has no lane `DSK`; did you mean `DESK`?"],
    // With another flag, what the policy prohibits would go through.
    ["a flag", { flag: ["bulk", "blk"] }, "the policy has no flag `blk`; did you mean `bulk`?"],
    ["a flag like no other", { flag: ["nme"] }, "the policy has no flag `nme`"],
    [
      "a key of the scope",
      { scope: ["case_id=1", "caseid=2"] },
      "the policy has no key of a scope `caseid`; did you mean `case_id`?",
    ],
    [
      "a flag that a key of the scope raises",
      { scope: ["bulkk=yes"] },
      "the policy has no key of a scope `bulkk`; did you mean `bulk`?",
    ],
  ] as const)("%s", async (_name, flags, problem) => expect(await problems(flags)).toEqual([problem]));

  it("tools of a map, with their flags and keys", async () => {
    const tool = { ...mappedTo("note.wrte"), flags: ["bulkk"], scope: new Map([["case_idd", "case"]]) };
    expect(await problems({}, new Map([["write", tool]]))).toHaveLength(3);
  });

  it("is not held to words of the authors' own rules, and of limits", async () => {
    const known = { role: "CLERK", lane: "DESK", flag: ["bulk"], scope: ["case_id=1", "trace=x"] };
    expect(await problems(known, new Map([["note.write", mappedTo("note.write")]]))).toEqual([]);
    write(
      join(folder, "set/call.rego"),
      'package portcullis.ext.call\n\nmust contains "CALM" if not "loud" in input.flags\n\nmust contains "CALM" if input.scope.calm_id == "c"\n',
    );
    await portcullis("build", join(folder, "set"), "-o", join(folder, "out"));
    expect(await problems({ flag: ["loud"], scope: ["calm_id=c"] })).toEqual([]);
    expect(await problems({ flag: ["lod"] })).toEqual(["the policy has no flag `lod`; did you mean `loud`?"]);
    // Without Rego in the bundle, what its rules ask for is not known.
    await portcullis("build", join(folder, "set"), "-o", join(folder, "out"), "--target", "wasm");
    expect(await problems({ flag: ["loud", "blk"] })).toEqual(["the policy has no flag `blk`; did you mean `bulk`?"]);
  });
});
