/** The same sources give the same bytes, in whatever order the host lists them. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Host } from "../../../compiler/documents/host.ts";
import { nodeHost } from "../../../compiler/documents/node.ts";
import { compile } from "../../../compiler/governance/pipeline.ts";
import { campaign } from "../../campaign.ts";
import { compiledSet, policySets } from "./policy-sets.ts";

describe.each(policySets)("%s", (_name, dir) => {
  it("is the same bundle from shuffled sources", async () => {
    const { bundle } = await compiledSet(dir);
    const files = [...nodeHost.listFiles(dir)];
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray(files, { minLength: files.length }), async (order) => {
        const host: Host = { ...nodeHost, listFiles: () => order };
        const { compiled } = await compile({ host, dirs: [dir] });
        expect(Buffer.compare(compiled?.bundle ?? new Uint8Array(), bundle)).toBe(0);
      }),
      campaign(3),
    );
  });
});
