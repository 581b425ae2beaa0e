/**
 * The compiler's type declarations, one file for each entry point and nothing in it that an entry point does not name:
 * dist/lib/*.d.ts for `import`, dist/cjs/*.d.cts for `require`. Run before packing (`npm pack`); the build needs none.
 */
import { copyFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { extractApis, publicEntries } from "./api.mjs";

const dist = fileURLToPath(new URL("../dist/", import.meta.url));

const entries = publicEntries().filter((entry) => entry.package === "compiler");
extractApis(entries, (entry) => ({
  dtsRollup: { enabled: true, untrimmedFilePath: `${dist}lib/${entry.name}.d.ts` },
}));
for (const { name } of entries) copyFileSync(`${dist}lib/${name}.d.ts`, `${dist}cjs/${name}.d.cts`);
