/** What an author gets wrong: each a located finding and exit 1; what a caller gets wrong: exit 2. Never a stack trace. */

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DECISION_KINDS } from "../../runtime/index.ts";
import { portcullis, removeFolder, temporaryFolder } from "./terminal.ts";

let folder = "";
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => removeFolder(folder));

function write(files: Record<string, string | Uint8Array>): void {
  for (const [path, content] of Object.entries(files)) {
    const target = join(folder, path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, content);
  }
}

const roles = "roles:\n  - role_id: A\n";
const lane = (extra: string) =>
  `lanes:\n  - lane_id: L\n    allowed_callers: { roles: [A] }\n    allowed_actions: { tools: [t] }\n${extra}`;
const tools = "tools:\n  - tool_name: t\n    enabled: true\n    implementation_status: implemented\n";

/** Name, files, and where the finding must be: file:line:column. */
const findings: readonly (readonly [name: string, files: Record<string, string | Uint8Array>, place: string])[] = [
  ["a broken YAML", { "roles.yaml": "roles: [\n  - x" }, "roles.yaml:"],
  ["a duplicate key", { "roles.yaml": "roles:\n  - role_id: A\n    role_id: B\n" }, "roles.yaml:3:5"],
  ["an unknown key", { "roles.yaml": "roles:\n  - role_id: A\n    clas: agent\n" }, "roles.yaml:3:5"],
  [
    "a dangling reference",
    { "roles.yaml": "roles: []\n", "lanes.yaml": lane(""), "tool_registry.yaml": tools },
    "lanes.yaml:3:32",
  ],
  ["two ids alike", { "roles.yaml": "roles:\n  - role_id: A\n  - role_id: A\n" }, "roles.yaml:3:14"],
  ["invalid UTF-8", { "roles.yaml": new Uint8Array([0x72, 0x3a, 0x20, 0xff]) }, "roles.yaml:1:4"],
  ["a Rego syntax error", { "a.rego": "package a\n\np := {\n" }, "a.rego:"],
  ["an unsafe variable", { "a.rego": "package a\n\np if x > 1\n" }, "a.rego:3:6"],
  [
    "a rule in the library's package",
    { "roles.yaml": roles, "a.rego": "package portcullis.lane\n\nrole_allowed := true\n" },
    "a.rego:3:1",
  ],
  [
    "an extension that is not a denial",
    { "roles.yaml": roles, "a.rego": "package portcullis.ext.lane\n\nallow := true\n" },
    "a.rego:3:1",
  ],
];

describe("bad sources", () => {
  it.each(findings)("%s", async (_name, files, place) => {
    write(files);
    const result = await portcullis("build", folder, "-o", join(folder, "out"), "-e", "a/p");
    expect(result.code).toBe(1);
    expect(result.err).toContain(`${folder}/${place}`);
    expect(result.err).toMatch(/error\[[a-z-]+\/[a-z0-9-]+\]: /);
    expect(result.err).not.toMatch(/\n\s+at /);
  });

  it.each([
    [
      "pipeline/reserved-package",
      { "roles.yaml": roles, "a.rego": "package portcullis.lane\n\nrole_allowed := true\n" },
    ],
    [
      "pipeline/extension-not-deny",
      { "roles.yaml": roles, "a.rego": "package portcullis.ext.lane\n\nallow := true\n" },
    ],
  ])("%s", async (code, files) => {
    write(files);
    const { code: exit, err } = await portcullis("check", folder);
    expect(exit).toBe(1);
    expect(err).toContain(`error[${code}]`);
    expect((await portcullis("--explain", code)).out).toContain(code);
  });

  it("pipeline/no-entrypoint, which a library that is checked needs none of", async () => {
    write({ "a.rego": "package a\n\np := true\n" });
    const built = await portcullis("build", folder, "-o", join(folder, "out"));
    expect(built).toMatchObject({ code: 1, err: expect.stringContaining("error[pipeline/no-entrypoint]") });
    expect((await portcullis("check", folder)).code).toBe(0);
  });

  it("an empty directory", async () => {
    const result = await portcullis("build", folder, "-o", join(folder, "out"));
    expect(result).toMatchObject({ code: 1, err: expect.stringContaining("sources/empty-folder") });
  });

  it("a folder that is not there", async () => {
    const result = await portcullis("check", join(folder, "missing"));
    expect(result.code).toBe(1);
    expect(result.err).toContain("missing");
  });

  it("reports everything at once, as JSON too", async () => {
    write({ "roles.yaml": "roles:\n  - role_id: A\n  - role_id: A\n", "a.rego": "package a\n\np if x > 1\n" });
    const { code, out } = await portcullis("check", folder, "--format", "json");
    const { diagnostics } = JSON.parse(out) as { diagnostics: { code: string; file?: string }[] };
    expect(code).toBe(1);
    expect(new Set(diagnostics.map((d) => d.code.split("/")[0]))).toEqual(new Set(["model", "analyze"]));
  });
});

describe("wrong usage", () => {
  it.each([
    [["build"]],
    [["nonsense"]],
    [["eval", "missing.tar.gz", "a/b"]],
    [["build", ".", "--format", "xml", "-o", "x"]],
    [["--explain", "no/such-code"]],
  ])("%j exits 2 and says what to do", async (argv) => {
    const result = await portcullis(...argv);
    expect(result.code).toBe(2);
    expect(result.err).toContain("error");
    expect(result.err).not.toMatch(/\n\s+at /);
  });

  it.each([[["eval", "1", "--explain", "full"]], [["check", ".", "--explain", "full"]]])(
    "%j: an option of `portcullis` alone says nothing to a command",
    async (argv) => {
      expect(await portcullis(...argv)).toMatchObject({ code: 2, err: expect.stringContaining("'--explain'") });
    },
  );

  it.each([
    [["inspect", "a.tar.gz", "b"]],
    [["verify", "a.tar.gz", "b", "--verification-key", "key.pem"]],
    [["explain", "a.tar.gz", "p/r", "input.json"]],
    [["eval", "a.tar.gz", "p/r", "input.json"]],
    [["serve", "a.tar.gz", "b"]],
    [["audit", "verify", "log.jsonl", "a.tar.gz"]],
    [["prove", "a.tar.gz", "b"]],
    [["schema", "roles", "b"]],
    [["init", "a", "b"]],
  ])("%j: an argument that nothing reads was meant for something", async (argv) => {
    expect(await portcullis(...argv)).toMatchObject({ code: 2, err: expect.stringContaining("too many arguments") });
  });

  it.each([
    [["audit", "verify"], "audit verify"],
    [["audit", "verify", "log.jsonl", "--unchaind"], "audit verify"],
    [["exec", "check", "--mode"], "exec check"],
    [["exec", "chek"], "exec"],
    [["diff", "a"], "diff"],
  ])("%j: the help that is named is the command's own", async (argv, command) => {
    expect(await portcullis(...argv)).toMatchObject({
      code: 2,
      err: expect.stringContaining(`\`portcullis ${command} --help\``),
    });
  });

  it("refuses garbage for a bundle, and says what it is", async () => {
    write({ "bundle.tar.gz": "garbage" });
    const result = await portcullis("eval", join(folder, "bundle.tar.gz"), "a/b");
    expect(result).toMatchObject({
      code: 2,
      err: expect.stringContaining("neither a bundle (gzip) nor a WebAssembly module"),
    });
  });
});

describe("help", () => {
  it.each(["eval", "bench", "explain"])("%s names every decision by its short name", async (command) => {
    const { out } = await portcullis(command, "--help");
    const words = /by its short\s+name:\s+((?:\w+,\s+)*\w+)/.exec(out)?.[1]?.split(/,\s+/);
    expect(words).toEqual([...DECISION_KINDS]);
  });

  it.each(["build", "check", "eval", "inspect", "fmt", "test", "harness", "handoff", "exec"])(
    "%s --help has examples",
    async (command) => {
      const result = await portcullis(command, "--help");
      expect(result.code).toBe(0);
      expect(result.out).toMatch(/Examples?:|Commands:/);
    },
  );
});

it.each([
  ["inspect", []],
  ["serve", []],
  ["sign", ["--signing-key", "key"]],
  ["verify", ["--verification-key", "key"]],
])("%s tells what makes a bundle of a folder", async (command, flags) => {
  write({ "roles.yaml": roles, key: "s".repeat(32) });
  const alg = flags.length === 0 ? [] : [flags[0] as string, join(folder, "key"), "--signing-alg", "HS256"];
  const { code, err } = await portcullis(command, folder, ...alg);
  expect([code, err]).toEqual([2, expect.stringMatching(/is a folder\nhelp: .*`portcullis build DIR -o out`\n$/)]);
});
