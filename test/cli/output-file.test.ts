/** Files that a command writes where `-o` or `--out` says: what the same command wrote is replaced, and nothing of anybody else's. */

import { generateKeyPairSync } from "node:crypto";
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { COMMANDS } from "../../compiler/cli/commands.ts";
import { portcullis, type Ran, removeFolder, temporaryFolder, write } from "./terminal.ts";

const folder = temporaryFolder();
const at = (...names: string[]): string => join(folder, ...names);
const read = (path: string): string => readFileSync(path, "utf8");
const set = at("set");
const key = at("key.pem");
const bundle = at("out/bundle.tar.gz");
const ROLES = "roles: [{ role_id: R }]\n";

/** Each command that writes a file by an option, and the files that it writes into an output. */
const WRITING: Readonly<Record<string, (output: string) => readonly string[]>> = {
  types: (output) => ["types", set, "-o", output],
  explore: (output) => ["explore", set, "-o", output],
  sign: (output) => ["sign", bundle, "--signing-key", key, "-o", output],
  harness: (output) => ["harness", "--request", at("request.json"), "--policy", bundle, "--out", output],
  schema: (output) => ["schema", "-o", output],
};
const INTO_A_FOLDER: Readonly<Record<string, readonly string[]>> = {
  harness: ["run_record.json", "audit_ledger.json"],
  schema: ["roles.json", "settings.json"],
};
/** Tested elsewhere: in approve.test.ts, output-folder.test.ts and import.test.ts. */
const ELSEWHERE = ["approve", "build", "import"];

beforeAll(async () => {
  write(at("set/app.rego"), "package app\n\n# METADATA\n# entrypoint: true\nallow if input.x == 1\n");
  write(at("set/roles.yaml"), ROLES);
  write(at("request.json"), { agent_role: "R", lane_id: "L", tool_name: "t", scope: { case_id: "c" } });
  const pem = { type: "pkcs8", format: "pem" } as const;
  write(key, String(generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey.export(pem)));
  expect((await portcullis("build", set, "-o", at("out"))).code).toBe(0);
});
afterAll(() => removeFolder(folder));

let count = 0;
let fresh = "";
beforeEach(() => {
  fresh = at(`fresh-${count++}`);
  mkdirSync(fresh);
});

/** Runs, is refused, and leaves the file as it was. */
async function refused(file: string, ...argv: readonly string[]): Promise<Ran> {
  const before = readFileSync(file);
  const ran = await portcullis(...argv);
  expect({ code: ran.code, out: ran.out }).toEqual({ code: 2, out: "" });
  expect(readFileSync(file).equals(before)).toBe(true);
  return ran;
}

/** The word that names the output, and the file that is in its way. */
const placed = (command: string): readonly (readonly [output: string, file: string])[] => {
  const names = INTO_A_FOLDER[command];
  return names === undefined ? [[join(fresh, "f"), join(fresh, "f")]] : names.map((name) => [fresh, join(fresh, name)]);
};

it("no other command writes one", async () => {
  const found: string[] = [];
  const walk = (command: Command): void => {
    const { options } = command;
    if (options.some(({ long }) => long === "--output" || long === "--out")) found.push(command.name());
    command.commands.forEach(walk);
  };
  for (const { load } of COMMANDS) {
    const root = new Command();
    (await load())(root, {} as never);
    walk(root);
  }
  expect(found.sort()).toEqual([...Object.keys(WRITING), ...ELSEWHERE].sort());
});

describe.each(Object.entries(WRITING))("%s", (command, argv) => {
  it.each([
    ["text", "mine\n"],
    ["JSON", '{"mine": true}\n'],
    ["a list", "[1]\n"],
    ["bytes", Buffer.from([0x1f, 0x8b, 0xff])],
  ])("replaces no file that it did not write: %s", async (_, content) => {
    for (const [output, file] of placed(command)) {
      write(file, content);
      const { err } = await refused(file, ...argv(output));
      expect(err).toContain(
        `error: \`${file}\` is not what \`portcullis ${command}\` wrote, and is not replaced\nhelp: `,
      );
      expect(err).toMatch(/help: name another (?:file|folder) with `(?:-o|--out)`, or move this file away\n/);
      expect(readdirSync(fresh)).toHaveLength(1);
      removeFolder(file);
    }
  });

  it("replaces what it wrote", async () => {
    const [[output, file] = ["", ""]] = placed(command);
    expect(await portcullis(...argv(output))).toMatchObject({ code: 0 });
    const first = readdirSync(fresh);
    expect(await portcullis(...argv(output))).toMatchObject({ code: 0, err: "" });
    expect(readdirSync(fresh)).toEqual(first);
    expect(lstatSync(file).size).toBeGreaterThan(0);
  });

  it("replaces an empty file, as `mktemp` makes it", async () => {
    const [[output, file] = ["", ""]] = placed(command);
    write(file, "");
    expect(await portcullis(...argv(output))).toMatchObject({ code: 0 });
    expect(lstatSync(file).size).toBeGreaterThan(0);
  });

  it("replaces no link, be it to what it wrote, to another file, to itself or to nothing", async () => {
    const own = at(`own-${command}`);
    expect(await portcullis(...argv(own))).toMatchObject({ code: 0 });
    for (const [output, file] of placed(command)) {
      const written = output === fresh ? join(own, file.slice(fresh.length)) : own;
      for (const target of [written, key, file, at("gone")]) {
        symlinkSync(target, file);
        expect(await portcullis(...argv(output))).toMatchObject({ code: 2, out: "" });
        expect(lstatSync(file).isSymbolicLink()).toBe(true);
        removeFolder(file);
      }
    }
  });
});

describe("a source, a key or a bundle", () => {
  it("is not replaced, by whatever path it is named", async () => {
    symlinkSync(set, join(fresh, "linked"));
    mkdirSync(at("set/deep"), { recursive: true });
    for (const path of [
      at("set/roles.yaml"),
      `${set}/./roles.yaml`,
      `${set}/deep/../roles.yaml`,
      `${set}/missing/../roles.yaml`,
      `${fresh}/linked/roles.yaml`,
      `${fresh}/linked/deep/../roles.yaml`,
    ])
      for (const command of ["types", "explore", "sign"]) {
        const { err } = await refused(at("set/roles.yaml"), ...(WRITING[command]?.(path) ?? []));
        expect(err).toContain("roles.yaml");
      }
    for (const file of [key, bundle])
      for (const command of ["types", "explore"]) await refused(file, ...(WRITING[command]?.(file) ?? []));
    await refused(key, "sign", bundle, "--signing-key", key, "-o", key);
  });

  it("is no hindrance to what writes nothing", async () => {
    const roles = at("set/roles.yaml");
    const ran = await portcullis("types", set, "-o", roles, "--check");
    expect(ran).toMatchObject({ code: 1, err: expect.stringContaining("is not current") });
    expect(read(roles)).toBe(ROLES);
  });
});

describe("sign", () => {
  it("signs a bundle in its place, named or not, and replaces no other that is not signed", async () => {
    const copy = write(join(fresh, "bundle.tar.gz"), readFileSync(bundle));
    const other = write(join(fresh, "other.tar.gz"), readFileSync(bundle));
    write(at("more/more.rego"), "package more\n\n# METADATA\n# entrypoint: true\nx := 1\n");
    expect((await portcullis("build", at("more"), "-o", join(fresh, "more"))).code).toBe(0);
    await refused(other, "sign", join(fresh, "more/bundle.tar.gz"), "--signing-key", key, "-o", other);
    expect(await portcullis("sign", copy, "--signing-key", key, "-o", copy)).toMatchObject({ code: 0 });
    expect(await portcullis("sign", other, "--signing-key", key)).toMatchObject({ code: 0 });
  });

  it("puts no file in the place of a link that is named as the bundle, and leaves what it leads to", async () => {
    const behind = write(join(fresh, "1.0.tar.gz"), readFileSync(bundle));
    const link = join(fresh, "stable.tar.gz");
    symlinkSync("1.0.tar.gz", link);
    const { err } = await refused(behind, "sign", link, "--signing-key", key);
    expect(err).toContain(`error: \`${link}\` is a link and is left as it is: sign the file behind it`);
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(await portcullis("sign", link, "--signing-key", key, "-o", join(fresh, "s"))).toMatchObject({ code: 0 });
    expect(await portcullis("sign", behind, "--signing-key", key)).toMatchObject({ code: 0 });
  });
});

describe.skipIf(!existsSync("/dev/null"))("a device", () => {
  it("takes the output", async () => {
    expect(await portcullis("types", set, "-o", "/dev/null")).toMatchObject({ code: 0, err: "" });
  });
});
