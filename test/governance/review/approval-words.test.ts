/** Who may approve which calls, as people are told it: from the policy's data, by list and explore. */

import { beforeAll, expect, it } from "vitest";
import { compile } from "../../../compiler/governance/pipeline.ts";
import { exploreFacts, listGrants, type OpenedPolicy, openBundle } from "../../../compiler/governance/review/index.ts";
import { virtualHost } from "../sources/virtual-host.ts";
import { FILES } from "./mutated-rules.ts";

async function openedWith(files: Readonly<Record<string, string>>): Promise<OpenedPolicy> {
  const { compiled } = await compile({ host: virtualHost({ p: files }), dirs: ["p"] });
  const result = await openBundle("p", compiled?.bundle as Uint8Array);
  if (!result.ok) throw new Error(result.problem.message);
  return result.value;
}

let opened: OpenedPolicy;
beforeAll(async () => {
  opened = await openedWith(FILES);
});

const BOUND = "an approval of the very call, which ann or bob may give";
const OF_BOB = "an approval of the very call, which bob may give";

it("list tells whose calls need an approval, and who may give it", () => {
  const all = listGrants(opened);
  if (!all.ok) throw new Error(all.problem.message);
  expect(all.value.approvals).toEqual([
    { tool: "get", says: `some arguments need ${OF_BOB}` },
    { tool: "mail", says: `some arguments need ${BOUND}` },
    { tool: "pay", says: `every call needs ${BOUND}` },
    { tool: "publish", says: "every call needs the approval of a person" },
    { tool: "refund", says: `every call needs ${OF_BOB}` },
    { tool: "shell", says: "some arguments need the approval of a person" },
  ]);
  expect(all.value.approvers).toEqual([
    { approver: "ann", says: "may approve calls of mail, pay, until 2026-12-31" },
    { approver: "bob", says: "may approve calls of every tool" },
  ]);
});

it.each([
  ["refund", ["bob"]],
  ["pay", ["ann", "bob"]],
  ["publish", []],
])("of %s list tells its own approvers alone", (tool, approvers) => {
  const found = listGrants(opened, { tool });
  expect(found).toMatchObject({ value: { approvers: approvers.map((approver) => ({ approver })) } });
});

it("explore tells it by tool, and what another policy said, opened or may have opened", async () => {
  const before = await openedWith({
    ...FILES,
    "limits.yaml": (FILES["limits.yaml"] as string).replace("within: 1h", "within: 2h"),
    "approvers.yaml": (FILES["approvers.yaml"] as string).replace("2026-12-31", "2026-12-30"),
  });
  const { conditions, tools, changes } = await exploreFacts(opened, before, {});
  const approvals = (tool: string): string[] => {
    const places = conditions.now.tools[tools.findIndex(([name]) => name === tool)] ?? [];
    return places
      .flatMap((place) => conditions.texts[place] ?? [])
      .flatMap((_, i, all) => (all[i] === "approvals" ? [String(all[i + 1])] : []));
  };
  expect(approvals("refund")).toEqual([`every call needs ${OF_BOB}`, "`bob` may approve calls of every tool"]);
  expect(approvals("fetch")).toEqual([]);
  expect(changes?.rules.shown.map(({ rule }) => rule)).toEqual(["approver ann", "limit PAY"]);
  expect(changes?.found.shown.some(({ kind }) => kind === "newly-allowed")).toBe(true);
  expect(changes?.unseen.shown.map(({ path }) => path)).toEqual([
    "data.portcullis.policy.approvers.ann.until_ms",
    "data.portcullis.policy.limits.PAY.within_ms",
  ]);
  expect(changes?.tooMany).toBe(false);
  expect((await exploreFacts(opened, undefined, {})).changes).toBeUndefined();
});
