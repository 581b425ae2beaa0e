/** Real SDKs with a scripted model: a tool runs exactly when the policy says so, and the model is told why not. */

import type { Policy } from "@portcullis/runtime";
import { beforeAll, describe, expect, it } from "vitest";
import { versionOf } from "./folder.ts";
import { policy as newsroom, SCENARIOS } from "./newsroom.ts";
import { SDKS } from "./sdks.ts";

let policy: Policy;
beforeAll(async () => {
  policy = await newsroom();
});

for (const sdk of SDKS) {
  const isThere = versionOf(sdk) !== undefined;
  if (!isThere) process.stderr.write(`SKIPPED: ${sdk.name} is not installed; \`make agents\` installs it\n`);
  describe.runIf(isThere)(sdk.name, () => {
    it.each(SCENARIOS)("$name", async (scenario) => {
      const [found, expected] = await scenario.run(sdk, policy);
      expect(found).toEqual(expected);
    });
  });
}
