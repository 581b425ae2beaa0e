/** `check --fix`: shows names that were meant, writes them when it is told to, and leaves everything around them as it was. */

import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { writeAllAtomic } from "../../compiler/cli/write.ts";
import { sampled } from "../campaign.ts";
import { HOSPITAL } from "../governance/checks/author.ts";
import { hasPseudoTerminal, onTerminal } from "./pseudo-terminal.ts";
import { portcullis, removeFolder, temporaryFolder } from "./terminal.ts";

let folder = "";
beforeEach(() => {
  folder = temporaryFolder();
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(join(folder, path, ".."), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
});
afterEach(() => removeFolder(folder));

/** A misspelt name in each language, among comments, quotes and line ends that must stay. */
const FILES: Readonly<Record<string, string>> = {
  "roles.yaml": String(HOSPITAL["roles.yaml"]),
  "tool_registry.yaml": String(HOSPITAL["tool_registry.yaml"]),
  "lanes.yaml": String(HOSPITAL["lanes.yaml"])
    .replace("roles: [PHYSICIAN, NURSE]", "roles: [ PHYSICAN ,   'NURSE' ]")
    .replaceAll("\n", "\r\n"),
  "AGENT_WARD.md": "---\nsubagents: [TRIAG]   # one\n---\n# AGENT_TYPE: 1\n\nAGENT_TYPE: 1\n",
  "AGENT_TRIAGE.md": "AGENT_TYPE: 2\n",
  "manifests/ward.toml": "agent_type = 'ward'\ncan_spawn = [ 'lob' ]   # only there\nmax_spawn_depth = 2\n",
  "manifests/lab.toml": "agent_type = 'lab'\nmax_spawn_depth = 1\n",
  "rules.rego": `package portcullis.ext.tool

# A dose is released by a physician.
deny contains {"gate": "PHYSICIAN", "reason": "physician_releases"} if {
	input.tol == \`dose.release\` # the tool
	input.role != "PHYSICIAN"
}
`,
};
const read = (path: string): string => readFileSync(join(folder, path), "utf8");
const all = (): Record<string, string> => Object.fromEntries(Object.keys(FILES).map((path) => [path, read(path)]));

describe("check --fix", () => {
  it("shows a difference, and writes nothing where no person can be asked", async () => {
    for (const flag of [[], ["--dry-run"]]) {
      const { code, out, err } = await portcullis("check", folder, "--fix", ...flag);
      expect(code).toBe(1);
      expect(out).toContain("-     allowed_callers: { roles: [ PHYSICAN ,   'NURSE' ] }");
      expect(out).toContain("+     allowed_callers: { roles: [ PHYSICIAN ,   'NURSE' ] }");
      expect(out).toContain("- \tinput.tol == `dose.release` # the tool\n+ \tinput.tool == `dose.release` # the tool");
      expect(err.includes("nothing was written: `--yes` writes without asking")).toBe(flag.length === 0);
      expect(all()).toEqual(FILES);
    }
  });

  it("writes the names with --yes, keeps all around them, and leaves nothing to fix", async () => {
    const { err } = await portcullis("check", folder, "--fix", "--yes");
    expect(err).toContain("4 names written in 4 files");
    expect(all()).toEqual({
      ...FILES,
      "lanes.yaml": FILES["lanes.yaml"]?.replace("PHYSICAN", "PHYSICIAN"),
      "AGENT_WARD.md": FILES["AGENT_WARD.md"]?.replace("TRIAG]", "TRIAGE]"),
      "manifests/ward.toml": FILES["manifests/ward.toml"]?.replace("'lob'", '"lab"'),
      "rules.rego": FILES["rules.rego"]?.replace("tol", "tool"),
    });
    expect(readdirSync(folder).filter((name) => name.endsWith(".tmp"))).toEqual([]);
    expect((await portcullis("check", folder, "--fix", "--yes")).err).toContain("nothing to fix");
  });

  it("writes nothing that would bring an error", async () => {
    // The key that is meant makes a second role of one id.
    writeFileSync(
      join(folder, "roles.yaml"),
      "roles:\n  - { role_id: PHYSICIAN }\n  - { role_id: NURSE }\n  - { role_idd: NURSE }\n",
    );
    const before = all();
    const { out, err } = await portcullis("check", folder, "--fix", "--yes");
    expect(out).toContain("role_id: NURSE");
    expect(err).toContain("not written: it would bring");
    expect(all()).toEqual(before);
  });

  it("writes a silent denial again as what has to be true, and an order with its test", async () => {
    const rules = `package portcullis.ext.call

# Not everywhere.
deny contains {"gate": "PREFIX", "reason": "not_plain"} if {
	input.tool == "dose.release"
	not startswith(input.args.ward, "A")
}

deny contains {"gate": "DOSE", "reason": "too much"} if {
	input.role in {"NURSE"}
	input.args.dose > 5
}

deny contains {"gate": "ALL", "reason": "other_ward"} if input.args.ward != "A"

must contains "WEIGHT" if input.args.weight < 100

must contains "AGE" if {
	input.tool == "dose.release"
	input.args.age >= 18
}
`;
    writeFileSync(join(folder, "call.rego"), rules);
    const before = await portcullis("check", folder);
    expect(before.out + before.err).toContain("pipeline/silent-denial");
    const { out, err } = await portcullis("check", folder, "--fix", "--yes");
    expect(out).toContain('- \tnot startswith(input.args.ward, "A")\n');
    expect(out).toContain('+ must contains "PREFIX" if startswith(input.args.ward, "A")\n');
    expect(err).toContain("changes written in");
    expect(read("call.rego")).toBe(`package portcullis.ext.call

# Not everywhere.
# METADATA
# custom: { reason: not_plain }
must contains "PREFIX" if input.tool != "dose.release"

must contains "PREFIX" if startswith(input.args.ward, "A")

# METADATA
# custom: { reason: "too much" }
must contains "DOSE" if not input.role in {"NURSE"}

must contains "DOSE" if {
	is_number(input.args.dose)
	input.args.dose <= 5
}

deny contains {"gate": "ALL", "reason": "other_ward"} if input.args.ward != "A"

must contains "WEIGHT" if {
	is_number(input.args.weight)
	input.args.weight < 100
}

must contains "AGE" if {
	input.tool == "dose.release"
	is_number(input.args.age)
	input.args.age >= 18
}
`);
    // What would hold for every call is left to its author.
    const after = await portcullis("check", folder, "--fix", "--yes");
    expect(after.err).toContain("nothing to fix");
    expect(after.err + after.out).toMatch(/call\.rego:\d+:\d+: error\[pipeline\/silent-denial\]/);
  });

  it.each([
    ["a gate that two rules name", 'deny contains {"gate": "A", "reason": "r"} if input.scope.x == 1\n\n'],
    [
      "a name that only an evaluation tells",
      'deny contains {"gate": input.args.name, "reason": "r"} if input.scope.x == 1\n\n',
    ],
    ["METADATA of its own", "# METADATA\n# title: Wards\n"],
  ])("leaves a denial as it is with %s", async (_name, more) => {
    const rule =
      'deny contains {"gate": "A", "reason": "r"} if {\n\tinput.tool == "dose.release"\n\tinput.args.ward != "A"\n}\n';
    const text = `package portcullis.ext.tool\n\n${more}${rule}`;
    writeFileSync(join(folder, "rules.rego"), text);
    await portcullis("check", folder, "--fix", "--yes");
    expect(read("rules.rego")).toBe(text);
  });

  it("leaves a denial as it is that has a comment in it", async () => {
    const text =
      'package portcullis.ext.tool\n\ndeny contains {"gate": "A", "reason": "r"} if {\n\tinput.tool == "dose.release" # here\n\tinput.args.ward != "A"\n}\n';
    writeFileSync(join(folder, "rules.rego"), text);
    await portcullis("check", folder, "--fix", "--yes");
    expect(read("rules.rego")).toBe(text);
  });

  it("belongs to no watching, and its options to nothing else", async () => {
    expect((await portcullis("check", folder, "--yes")).code).toBe(2);
    expect((await portcullis("check", folder, "--fix", "--watch")).code).toBe(2);
  });

  it("keeps a mark at the start, the mode of a file, and several names in one line", async () => {
    const text = "\ufefflanes:\r\n  - lane_id: WARD\r\n    allowed_callers: { roles: [PHYSICAN, NURS] }\r\n";
    writeFileSync(join(folder, "lanes.yaml"), text);
    chmodSync(join(folder, "lanes.yaml"), 0o640);
    const { err } = await portcullis("check", folder, "--fix", "--yes");
    expect(err).toMatch(/\d names written in [2-9] files/);
    expect(read("lanes.yaml")).toBe(text.replaceAll("PHYSICAN", "PHYSICIAN").replace("NURS]", "NURSE]"));
    expect(statSync(join(folder, "lanes.yaml")).mode & 0o777).toBe(0o640);
  });

  it("leaves a link, and what lies behind it, as it is", async () => {
    writeFileSync(join(folder, "shared.txt"), FILES["lanes.yaml"] as string);
    unlinkSync(join(folder, "lanes.yaml"));
    symlinkSync("shared.txt", join(folder, "lanes.yaml"));
    const { err } = await portcullis("check", folder, "--fix", "--yes");
    expect(err).toContain("lanes.yaml` is a link and is left as it is");
    expect(err).toContain("3 names written in 3 files");
    expect(lstatSync(join(folder, "lanes.yaml")).isSymbolicLink()).toBe(true);
    expect(readFileSync(join(folder, "shared.txt"), "utf8")).toBe(FILES["lanes.yaml"]);
  });

  it("writes all files or none", () => {
    const files = [
      { path: join(folder, "roles.yaml"), content: "new" },
      { path: join(folder, "roles.yaml/below.yaml"), content: "new" },
    ];
    expect(() => writeAllAtomic(files)).toThrow("below.yaml");
    expect(all()).toEqual(FILES);
    expect(readdirSync(folder).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });
});

const bin = fileURLToPath(new URL("../../compiler/bin/portcullis.js", import.meta.url));
const built = existsSync(fileURLToPath(new URL("../../compiler/dist/bin/start.js", import.meta.url)));
if (!hasPseudoTerminal || !built)
  console.warn("SKIPPED: the question of --fix, which needs the build and `script` of util-linux");

describe.skipIf(!hasPseudoTerminal || !built)("the question of check --fix", () => {
  const fixed = { ...FILES, "AGENT_WARD.md": FILES["AGENT_WARD.md"]?.replace("TRIAG]", "TRIAGE]") };
  const answers: [name: string, keys: string, writes: boolean, code: number][] = [
    ["y", "y\n", true, 0],
    ["yes, in capitals", "YES\n", true, 0],
    ["no", "n\n", false, 1],
    ["nothing", "\n", false, 1],
    ["another word", "yesterday\n", false, 1],
    ["Ctrl-D", "\x04", false, 1],
    ["Ctrl-C", "\x03", false, 130],
  ];
  // Each is a process: a third in `make test`.
  it.each(sampled(answers, 1 / 3))("answered with %s", async (_, keys, writes, code) => {
    const terminal = onTerminal(`"${process.execPath}" "${bin}" check "${folder}" --fix`);
    await terminal.until("write these changes? [y/N] ");
    expect(all()).toEqual(FILES);
    terminal.press(keys);
    expect(await terminal.ended()).toBe(code);
    expect(read("AGENT_WARD.md")).toBe((writes ? fixed : FILES)["AGENT_WARD.md"]);
    if (!writes) expect(all()).toEqual(FILES);
    expect(readdirSync(folder).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });

  it("is asked where the answer comes from, also when the output goes elsewhere", async () => {
    const terminal = onTerminal(
      `"${process.execPath}" "${bin}" check "${folder}" --fix > "${join(folder, "out.txt")}"`,
    );
    await terminal.until("write these changes? [y/N] ");
    terminal.press("n\n");
    await terminal.ended();
    expect(all()).toEqual(FILES);
  });
});
