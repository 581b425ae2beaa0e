/** One module, two runtimes: OPA's own SDK must decide as ours does, for every role, lane and tool, known and unknown. */

import { loadPolicy } from "@open-policy-agent/opa-wasm";
import { load } from "@portcullis/runtime";
import { describe, expect, it } from "vitest";
import { compiledSet, policySets } from "./policy-sets.ts";

interface Tables {
  readonly portcullis: { readonly policy: Record<"roles" | "lanes" | "tools", Record<string, unknown>> };
}

const STRANGE = ["", "NOBODY", "__proto__", "constructor", "hasOwnProperty", null, 1, true, ["x"], { a: 1 }];

describe.each(policySets)("%s in OPA's SDK and in ours", (_name, dir) => {
  it("decides lanes and tools alike", async () => {
    const compiled = await compiledSet(dir);
    const ours = await load(compiled.bundle);
    const stock = await loadPolicy(compiled.wasm as Uint8Array<ArrayBuffer>);
    const data = compiled.files.find((f) => f.path === "data.json");
    const tables = (JSON.parse(new TextDecoder().decode(data?.bytes)) as Tables).portcullis.policy;
    const roles = [...Object.keys(tables.roles), ...STRANGE];
    const lanes = [...Object.keys(tables.lanes), ...STRANGE];
    const tools = [...Object.keys(tables.tools), ...STRANGE];
    let compared = 0;
    const compare = (entrypoint: string, input: object): void => {
      const [answer] = stock.evaluate(input, entrypoint) as { result: unknown }[];
      const mine = ours.evaluate(entrypoint, input);
      compared++;
      if (JSON.stringify(sorted(mine)) !== JSON.stringify(sorted(answer?.result))) {
        expect(mine, `${entrypoint} ${JSON.stringify(input)}`).toEqual(answer?.result);
      }
    };
    for (const role of roles) {
      for (const lane of lanes) {
        compare("portcullis/lane/decision", { role, lane });
        for (const tool of tools) compare("portcullis/tool/decision", { role, lane, tool });
      }
    }
    expect(compared).toBe(roles.length * lanes.length * (tools.length + 1));
  });

  it("gives the typed answer that evaluate gives", async () => {
    const policy = await load((await compiledSet(dir)).bundle);
    for (const role of STRANGE) {
      const request = { role, lane: role, tool: role } as never;
      expect(policy.lane(request)).toEqual(policy.evaluate("portcullis/lane/decision", request));
      expect(policy.tool(request)).toEqual(policy.evaluate("portcullis/tool/decision", request));
    }
  });
});

function sorted(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
