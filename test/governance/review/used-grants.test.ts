/** Grants that a log has not used: all that no allowed decision names, and nothing that one names. */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { builtins } from "@portcullis/builtins";
import { eventText, load, type Policy } from "@portcullis/runtime";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Grants, listGrants, openBundle, UsedGrants } from "../../../compiler/governance/review/index.ts";
import { SEED } from "../../campaign.ts";
import { portcullis, removeFolder, temporaryFolder } from "../../cli/terminal.ts";
import { Random } from "../../rego/plan/generate/random.ts";

const bundle = "generated/bundle.tar.gz";
const folder = temporaryFolder();
afterAll(() => removeFolder(folder));

let grants: Grants;
let policy: Policy;
let events: string[] = [];
beforeAll(async () => {
  const bytes = readFileSync(bundle);
  const opened = await openBundle("generated", bytes, { builtins });
  const listed = opened.ok ? listGrants(opened.value) : opened;
  if (!listed.ok) throw new Error(listed.problem.message);
  grants = listed.value;
  policy = await load(bytes, { builtins, onDecision: (event) => void events.push(eventText(event)) });
});

/** The events of what is asked. */
function logged(ask: () => void): readonly string[] {
  events = [];
  ask();
  policy.events?.flush();
  return events;
}

/** Every grant as a row of ids. */
const rows = ({ lanes, spawns }: Pick<Grants, "lanes" | "spawns">): string[] =>
  [
    ...lanes.flatMap(({ role, lane, tools }) => tools.map(({ tool }) => `${role} ${lane} ${tool}`)),
    ...spawns.flatMap(({ parent, children }) => children.map((child) => `${parent} > ${child}`)),
  ].sort();

function unusedAfter(lines: readonly (string | undefined)[]): string[] {
  const used = new UsedGrants();
  for (const line of lines) used.line(line);
  return rows(used.unusedOf(grants));
}

describe("grants that a log did not use", () => {
  it("are all of them for a log of none, and for one of denials", () => {
    expect(unusedAfter([])).toEqual(rows(grants));
    const denials = logged(() => policy.tool({ role: "WRITER", lane: "DRAFTING", tool: "no.tool" } as never));
    expect(denials).toHaveLength(1);
    expect(unusedAfter(denials)).toEqual(rows(grants));
  });

  it("are those without an allowed decision, whichever were asked", () => {
    const random = new Random(SEED);
    const asked = new Set(rows(grants).filter(() => random.chance(0.4)));
    const allowed = new Set<string>();
    const lines = logged(() => {
      for (const row of asked) {
        const [role = "", lane = "", tool = ""] = row.split(" ");
        const decision = row.includes(" > ")
          ? policy.lineage({
              lineage: row.split(" > ").map((agent_type, i) => ({ agent_type, spawn_depth: i })),
            } as never)
          : policy.tool({ role, lane, tool } as never);
        if (decision.allowed) allowed.add(row);
      }
    });
    expect(allowed.size).toBeGreaterThan(3);
    expect(unusedAfter(lines)).toEqual(rows(grants).filter((row) => !allowed.has(row)));
  });

  it("has a lane whose tools were used, and not one whose lane was", () => {
    const [{ role, lane, tools }] = grants.lanes.filter((one) => one.tools.length > 0) as [Grants["lanes"][number]];
    const used = new UsedGrants();
    for (const line of logged(() => policy.lane({ role, lane } as never))) used.line(line);
    const left = used.unusedOf(grants).lanes.find((one) => one.role === role && one.lane === lane);
    expect(left?.tools.map(({ tool }) => tool)).toEqual(tools.map(({ tool }) => tool));
  });

  it("says what it does not know", () => {
    const used = new UsedGrants();
    used.line(undefined);
    used.line('{"path":"a/b","erased":["/input"],"result":true}');
    used.line('{"path":"a/b","input":{"user":"x"},"result":true}');
    used.line('{"path":"a/b","input":{"user":"x"},"result":false}');
    expect({ unnamed: used.unnamed, unreadable: used.unreadable }).toEqual({ unnamed: 1, unreadable: 2 });
  });

  it("are printed by `list --unused`", async () => {
    const log = join(folder, "log.jsonl");
    writeFileSync(
      log,
      `${logged(() => policy.tool({ role: "WRITER", lane: "DRAFTING", tool: "draft.create" } as never)).join("\n")}\n`,
    );
    const ran = await portcullis("list", bundle, "--unused", log, "--format", "json");
    const { unused } = JSON.parse(ran.out) as { unused: Pick<Grants, "lanes" | "spawns"> };
    expect(rows(unused)).toEqual(rows(grants).filter((row) => row !== "WRITER DRAFTING draft.create"));
    const human = await portcullis("list", bundle, "--unused", log, "--role", "WRITER");
    expect(human).toMatchObject({ code: 0, err: "" });
    expect(human.out).toContain("that the log did not use");
    expect(human.out).not.toContain("draft.create");
    expect(await portcullis("list", bundle, "--unused", join(folder, "none"))).toMatchObject({ code: 2 });
  });
});
