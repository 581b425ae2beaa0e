/** Names on a command line that the policy does not have: each ends the command with what was meant. */

import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
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
