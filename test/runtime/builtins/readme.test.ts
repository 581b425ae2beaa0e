/** The page of the package says what is there, and its programs run. */

import { readFileSync } from "node:fs";
import * as families from "@portcullis/builtins";
import { load, type Policy } from "@portcullis/runtime";
import { suppliers } from "@portcullis/runtime/host";
import { describe, expect, it } from "vitest";
import { SourceFile } from "../../../compiler/rego/diagnostics/source-file.ts";
import { compileModules } from "../../../compiler/rego/pipeline/compile-modules.ts";

const named = new Map<string, unknown>(Object.entries(families));
const page = readFileSync(new URL("../../../runtime/builtins/README.md", import.meta.url), "utf8");
const programs = [...page.matchAll(/```ts\n([\s\S]*?)```/g)].map((match) => match[1] as string);

async function compiled(body: string, allowBuiltins: readonly string[] = []): Promise<Uint8Array> {
  const { compiled: found, diagnostics } = await compileModules({
    modules: [new SourceFile("t.rego", `package t\n\np := ${body}\n`)],
    entrypoints: ["t/p"],
    allowBuiltins,
  });
  expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  return found?.wasm as Uint8Array;
}

/** Runs a program of the page, whose imports are what they say, over a policy; the policy that it loads. */
async function run(program: string, bundle: Uint8Array): Promise<Policy> {
  const readFile = 'import { readFile } from "node:fs/promises";';
  const names = [...program.matchAll(/^import \{ (.*) \} from "@portcullis\/(.*)";$/gm)];
  expect(program).toContain(readFile);
  expect(names.length + 1).toBe([...program.matchAll(/^import /gm)].length);
  const imported: Record<string, unknown> = { load, readFile: async () => bundle };
  for (const [, name = "", from = ""] of names) {
    if (from === "runtime") expect(name).toBe("load");
    else {
      expect(["builtins", `builtins/${name}`]).toContain(from);
      imported[name] = named.get(name);
      expect(imported[name], name).toBeDefined();
    }
  }
  const body = program.replace(/^import .*$/gm, "");
  const start = new Function(...Object.keys(imported), `return (async () => { ${body}; return policy; })()`);
  return (await start(...Object.values(imported))) as Policy;
}

const verifying = 'io.jwt.decode_verify(input.token, {"secret": "secret"})[0]';
const token = async (): Promise<unknown> => {
  const key = '{"kty": "oct", "k": "c2VjcmV0"}';
  const bytes = await compiled(`io.jwt.encode_sign({"alg": "HS256"}, {"exp": 4102444800}, ${key})`);
  return (await load(bytes, { builtins: [families.jwt] })).evaluate("t/p", undefined);
};

describe("the page of the builtins", () => {
  it("has a row for each family, with what it supplies and needs", () => {
    const rows = [...page.matchAll(/^\| `(\w+)` from `(.*)` \| (.*) \| (\d+) \|$/gm)];
    const expected = Object.keys(families)
      .filter((name) => name !== "builtins")
      .map((name) => {
        const supplied = [...suppliers]
          .filter(([, { family }]) => family === name)
          .sort(([a], [b]) => (a < b ? -1 : 1));
        const cells = supplied.map(([builtin, { source }]) =>
          source === undefined ? `\`${builtin}\`` : `\`${builtin}\` (needs \`sources.${source}\`)`,
        );
        return [name, `@portcullis/builtins/${name}`, cells.join(", ")];
      });
    expect(rows.map(([, name, from, builtins]) => [name, from, builtins])).toEqual(expected);
  });

  it("verifies a token with one family, and with all", async () => {
    const bytes = await compiled(verifying);
    expect((await run(programs[0] as string, bytes)).evaluate("t/p", { token: await token() })).toBe(true);
    const all = await run(programs[1] as string, bytes);
    expect(all.evaluate("t/p", { token: await token() })).toBeUndefined();
  });

  it("shows the message of a policy that is refused", async () => {
    const shown = /```text\n(.*)\n```/.exec(page)?.[1];
    await expect(load(await compiled(verifying))).rejects.toMatchObject({ message: shown });
  });

  it("hands over a clock, chance and a description", async () => {
    const bytes = await compiled("[time.now_ns() > 0, rand.intn(`x`, 5) < 5, opa.runtime().env]", [
      "time.now_ns",
      "rand.intn",
      "opa.runtime",
    ]);
    expect((await run(programs[2] as string, bytes)).evaluate("t/p", undefined)).toEqual([true, true, {}]);
  });

  it("adds a builtin of one's own", async () => {
    const bytes = await compiled("net.lookup_ip_addr(input.host)", ["net.lookup_ip_addr"]);
    const policy = await run(programs[3] as string, bytes);
    expect(policy.evaluate("t/p", { host: "printer.example" })).toEqual(["192.0.2.7"]);
    expect(programs).toHaveLength(4);
  });
});
