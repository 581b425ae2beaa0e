/** A bundle with another module than its Rego and data make: commands that a reviewer asks say so before the module answers. */

import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { NOT_OWN, openBundle } from "../../compiler/governance/review/index.ts";
import { packBundle } from "../../compiler/rego/bundle/index.ts";
import { addSection } from "../../compiler/rego/wasm/sections.ts";
import { portcullis, removeFolder, temporaryFolder, write } from "./terminal.ts";

let folder = "";
let honest = "";
let forged = "";

/** The bundle of a house whose rule denies one word. */
async function built(word: string): Promise<string> {
  const set = join(folder, word);
  write(join(set, "roles.yaml"), "roles: [{ role_id: WRITER }]\n");
  write(
    join(set, "lanes.yaml"),
    "lanes: [{ lane_id: DESK, allowed_callers: { roles: [WRITER] }, allowed_actions: { tools: [draft] } }]\n",
  );
  write(
    join(set, "tool_registry.yaml"),
    "tools: [{ tool_name: draft, enabled: true, implementation_status: implemented }]\n",
  );
  write(
    join(set, "ext/tool.rego"),
    `package portcullis.ext.tool\n\ndeny contains {"gate": "HOUSE", "reason": "word"} if input.scope.word == "${word}"\n`,
  );
  expect(await portcullis("build", set, "-o", join(set, "out"))).toMatchObject({ code: 0 });
  return join(set, "out/bundle.tar.gz");
}

async function filesOf(bundle: string): Promise<ReadonlyMap<string, Uint8Array>> {
  const result = await openBundle(bundle, readFileSync(bundle));
  if (!result.ok) throw new Error(result.problem.message);
  return result.value.files;
}

const textOf = (bytes: Uint8Array | undefined): string => Buffer.from(bytes ?? []).toString("latin1");
const bytesOf = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, "latin1"));
const hashOf = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

/** The Rego and data of one bundle with the module of another, which says that it is made of them, in the manifest, too. */
async function forge(honest: string, other: string): Promise<Uint8Array> {
  const [files, { "policy.wasm": module }] = [await filesOf(honest), Object.fromEntries(await filesOf(other))];
  const claimed = /(?<=portcullis\.bundle)\{.*?"sources":.*?\}/;
  const [claim] = claimed.exec(textOf(files.get("policy.wasm"))) as RegExpExecArray;
  const sealed = await addSection(bytesOf(textOf(module).replace(claimed, claim)), "packer", new Uint8Array());
  const named = textOf(files.get(".manifest")).replace(hashOf(files.get("policy.wasm") as Uint8Array), hashOf(sealed));
  const all = new Map([...files, ["policy.wasm", sealed], [".manifest", bytesOf(named)]] as const);
  return packBundle([...all].map(([path, bytes]) => ({ path, bytes })));
}

beforeAll(async () => {
  folder = temporaryFolder();
  honest = await built("secret");
  forged = join(folder, "forged.tar.gz");
  writeFileSync(forged, await forge(honest, await built("other")));
});
afterAll(() => removeFolder(folder));

it("`list` lists what the module grants, and warns", async () => {
  expect(await portcullis("list", forged)).toMatchObject({
    code: 0,
    out: expect.stringContaining("draft"),
    err: `warning: \`${forged}\`: policy.wasm: ${NOT_OWN}\n`,
  });
  expect(await portcullis("list", honest)).toMatchObject({ code: 0, err: "" });
});

const page = async (...words: string[]): Promise<string> => {
  const file = join(folder, "page.html");
  expect(await portcullis("explore", ...words, "-o", file)).toMatchObject({ code: 0, err: "" });
  return readFileSync(file, "utf8");
};

it.each<[string, () => string[], string[]]>([
  ["the policy", () => [forged, "--against", honest], ["The policy's"]],
  ["the other policy", () => [honest, "--against", forged], ["The other policy's"]],
  ["none", () => [honest, "--against", honest], []],
])("`explore` says on top of its page whose module it is: %s", async (_, words, whose) => {
  const said = [...(await page(...words())).matchAll(/<p role="alert"[^>]*>([^<]*)<\/p>/g)].map(([, text]) => text);
  expect(said).toEqual(whose.map((one) => `${one} policy.wasm: ${NOT_OWN}`));
});
