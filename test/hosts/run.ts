/**
 * `make hosts`: the same questions on every host that can be had here, each with the answers that the statements expect, and
 * the table of hosts in runtime/HOSTS.md. Exit 1 where a host answers otherwise; what is absent is said aloud.
 *
 *   npx tsx test/hosts/run.ts [--write] [HOST…]
 */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readBundle } from "@portcullis/runtime";
import { writePrograms } from "./entries.ts";
import { HOSTS } from "./hosts.ts";
import { Absent } from "./installed.ts";
import { makeMaterial } from "./material.ts";

const args = process.argv.slice(2);
const isWriting = args.includes("--write");
const wanted = args.filter((arg) => arg !== "--write");
const chosen = HOSTS.filter(({ name }) => wanted.length === 0 || wanted.includes(name));
if (chosen.length === 0) throw new Error(`no such host; there are ${HOSTS.map(({ name }) => name).join(", ")}`);

const folder = mkdtempSync(join(tmpdir(), "portcullis-hosts-"));
const rows: string[] = [];
let failed = 0;
let skipped = 0;
try {
  const material = await makeMaterial();
  const bytes = (base64: string): Uint8Array => Buffer.from(base64, "base64");
  const files = await readBundle(bytes(material.bundle));
  writeFileSync(join(folder, "material.json"), JSON.stringify(material));
  writeFileSync(join(folder, "library.wasm"), bytes(material.library));
  writeFileSync(join(folder, "policy.wasm"), files.get("policy.wasm") as Uint8Array);
  await writePrograms(folder);
  for (const { name, how, run } of chosen) {
    try {
      const { version, report } = await run(folder);
      const { asked, wrongCount, wrong, broken } =
        "error" in report ? { asked: 0, wrongCount: 0, wrong: [], broken: [report.error] } : report;
      const isRight = asked === material.questions.length && wrongCount === 0 && broken.length === 0;
      console.log(`${isRight ? "ok" : "FAILED"}  ${name} ${version}: ${asked - wrongCount} of ${asked} answers`);
      for (const fault of [...broken, ...wrong.map((one) => JSON.stringify(one))]) console.log(`        ${fault}`);
      if (!isRight) failed++;
      rows.push(`| ${name} | ${version} | ${asked - wrongCount} of ${asked} | ${isRight ? "yes" : "NO"} | ${how} |`);
    } catch (error) {
      if (error instanceof Absent) {
        skipped++;
        console.log(`SKIPPED: ${name}: ${error.message}`);
      } else {
        failed++;
        console.log(`FAILED  ${name}: ${(error as Error).message}`);
      }
    }
  }
} finally {
  rmSync(folder, { recursive: true });
}
if (isWriting && failed + skipped === 0 && chosen.length === HOSTS.length) {
  const text = `# Hosts

<!-- Written by \`make hosts\`; do not edit. -->

The same questions on every host: the cases of the specification, and requests to every decision with one value spoiled. Answers are compared with statements of the gates made by hand, by \`evaluate\` and by the typed calls. A signed bundle is read and verified, and refused with a changed bit, a cut end and another key; in a Worker, which compiles no bytes, the module alone has its revision. The page runs under \`default-src 'none'; script-src 'self' 'wasm-unsafe-eval'\` with trusted types.

| host | version | answers | bundles | how |
| --- | --- | --- | --- | --- |
${rows.join("\n")}
`;
  writeFileSync(new URL("../../runtime/HOSTS.md", import.meta.url), text);
}
process.exitCode = failed > 0 ? 1 : 0;
