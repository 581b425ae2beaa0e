/** The committed validators are those of the schemas, and the schemas are valid. */

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
// @ts-expect-error a script without types
import { embedSchemas } from "../../.ci/embed-schemas.mjs";

it("schema.embedded.ts is current: `node .ci/embed-schemas.mjs` writes it", () => {
  const file = fileURLToPath(new URL("../../compiler/sources/schema.embedded.ts", import.meta.url));
  expect(readFileSync(file, "utf8")).toBe(embedSchemas());
});
