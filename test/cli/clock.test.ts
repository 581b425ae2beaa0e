/** A rule that reads the clock decides wherever the command line decides, and its time stands in the log. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { portcullis, removeFolder, temporaryFolder, write } from "./terminal.ts";

let folder = "";
let bundle = "";
const REQUEST = { role: "A", lane: "L" };

beforeAll(async () => {
  folder = temporaryFolder();
  write(join(folder, "p/roles.yaml"), "roles:\n  - role_id: A\n");
  write(
    join(folder, "p/lanes.yaml"),
    "lanes:\n  - lane_id: L\n    allowed_callers: { roles: [A] }\n    allowed_actions: { tools: [t] }\n",
  );
  write(
    join(folder, "p/tool_registry.yaml"),
    "tools:\n  - tool_name: t\n    enabled: true\n    implementation_status: implemented\n",
  );
  write(join(folder, "p/portcullis.yaml"), "rego:\n  allow_builtins: [time.now_ns]\n");
  write(
    join(folder, "p/hours.rego"),
    `package portcullis.ext.lane

deny contains {"gate": "CLOSED", "reason": "after_2020"} if {
	[year, _, _] := time.date([time.now_ns(), "Europe/Berlin"])
	year > 2020
}
`,
  );
  write(join(folder, "request.json"), REQUEST);
  expect(await portcullis("build", join(folder, "p"), "-o", join(folder, "out"))).toMatchObject({ code: 0 });
  bundle = join(folder, "out/bundle.tar.gz");
});
afterAll(() => removeFolder(folder));

const CLOSED = { allowed: false, gate: "CLOSED", reason: "after_2020" };

describe("a rule with a clock", () => {
  it.each(["eval", "explain"])("decides in `%s`", async (command) => {
    const input = ["-i", join(folder, "request.json"), "--format", "json"];
    const { code, out } = await portcullis(command, bundle, "portcullis/lane/decision", ...input);
    expect(code).toBe(0);
    expect(out).toContain(CLOSED.reason);
  });

  it("stands beside what would allow in `explain`", async () => {
    const set = join(folder, "remedies");
    for (const name of ["roles.yaml", "lanes.yaml", "tool_registry.yaml", "portcullis.yaml"])
      write(join(set, name), readFileSync(join(folder, "p", name), "utf8"));
    write(
      join(set, "opened.rego"),
      `package portcullis.ext.call

must contains "OPENED" if {
	[year, _, _] := time.date([time.now_ns(), "Europe/Berlin"])
	year > 2020
	time.parse_rfc3339_ns("2020-01-01T00:00:00Z") < time.now_ns()
}

must contains "WARD" if input.args.ward in {"A", "B"}
`,
    );
    const asked = write(join(set, "asked.json"), { ...REQUEST, tool: "t", args: { ward: "C" } });
    const { out } = await portcullis("explain", set, "call", "-i", asked);
    expect(out).toContain("denied by WARD");
    expect(out).toContain('- set `args.ward` of the request to "A"');
  });

  it("decides in `prove`, whose properties hold at any time", async () => {
    expect(await portcullis("prove", bundle)).toMatchObject({ code: 0 });
  });

  it("is decided again by `audit verify` at the time that stands in the log", async () => {
    const event = (ns: string): string =>
      JSON.stringify({
        bundles: { portcullis: { revision: JSON.parse(readFileSync(join(folder, "out/.manifest"), "utf8")).revision } },
        path: "portcullis/lane/decision",
        input: REQUEST,
        result: CLOSED,
        nd_builtin_cache: { "time.now_ns": { "[]": "NS" } },
      }).replace('"NS"', ns);
    const verified = async (ns: string) => {
      const log = write(join(folder, "log.jsonl"), `${event(ns)}\n`);
      return portcullis("audit", "verify", log, "--unchained", "--policy", bundle);
    };
    expect(await verified("1795604400123456789")).toMatchObject({ code: 0 });
    const before = await verified("1262304000000000000");
    expect(before).toMatchObject({ code: 1, err: expect.stringContaining("is decided otherwise") });
  });

  it("is asked at the time of the event by `replay`, where the log has no answer of the clock", async () => {
    const event = (timestamp: string): string =>
      JSON.stringify({ path: "portcullis/lane/decision", input: REQUEST, result: CLOSED, timestamp });
    const log = write(
      join(folder, "old.jsonl"),
      `${event("2019-06-01T12:00:00.5Z")}\n${event("2026-06-01T12:00:00Z")}\n`,
    );
    const ran = await portcullis("replay", log, "--policy", bundle, "--format", "json");
    const { same, groups } = JSON.parse(ran.out);
    expect({ same, groups }).toMatchObject({ same: 1, groups: [{ kind: "newly-allowed", example: { line: 1 } }] });
  });
});
