/** Which contracts are opened, with which baseline, root and times, and what is said of those that are not. */
import { join } from "node:path";
import { openContract } from "../../../compiler/enforcement/execution/open-contract.ts";
import { type Asked, type Check, same } from "./check.ts";
import { MODE, NOW } from "./contracts.ts";

export function openedChecks(asked: Asked): readonly Check[] {
  return [
    { what: "contracts that are opened", run: () => opened(asked) },
    { what: "contracts that are not opened", run: () => refused(asked) },
    { what: "how long contracts are open", run: () => lasting(asked) },
  ];
}

const DECLARED = { id: "c-1", mode: MODE, targets: ["a"], operations: ["WRITE"], expires: "30m" };

/** The contract, or what is said of it: the message and the help. */
function open({ fixtures: { files, signed }, policy }: Asked, more: object, file = join(files, "c.json")): unknown {
  const result = openContract(file, { ...DECLARED, root: signed.root, ...more }, { policy, now: NOW });
  return result.ok ? result.value : [result.problem.message, result.problem.help];
}

function opened(asked: Asked): void {
  const { root, head } = asked.fixtures.signed;
  const contract = {
    ...{ contract_id: "c-1", created_at: "2026-03-02T09:30:00Z", status: "open", expires_at: "2026-03-02T10:00:00Z" },
    ...{ mode: MODE, declared_targets: ["a"], declared_operations: ["WRITE"], baseline_sha: head },
    contract_root: root,
  };
  same("a contract", open(asked, {}), contract);
  same("beside the repository", open(asked, {}, `${root}.json`), contract);
  same("below the top", open(asked, { root: `${root}/docs/../docs` }), { ...contract, contract_root: `${root}/docs` });
}

function refused(asked: Asked): void {
  const { files, signed } = asked.fixtures;
  const { root } = signed;
  const help = "keep contracts where agents cannot write";
  for (const file of [join(root, "c.json"), join(root, "docs/c.json"), join(files, "lost/x")])
    for (const from of [root, `${root}/docs`])
      same(file, open(asked, { root: from }, file), [`\`${file}\` lies in the repository`, help]);
  const none = join(files, "none");
  same("no folder", open(asked, { root: none }), [`there is no folder \`${none}\``, undefined]);
  const [said] = open(asked, { root: join(files, "folder") }) as readonly string[];
  same("no repository", said?.startsWith("the repository cannot be read: "), true);
  const problem = "`nowhere` is no mode of the policy";
  const file = join(files, "c.json");
  same("an unknown mode", open(asked, { mode: "nowhere" }), [`\`${file}\` cannot be met: ${problem}`, undefined]);
}

function lasting(asked: Asked): void {
  const expiry = (expires: string): unknown =>
    (open(asked, { expires }) as { readonly expires_at?: string }).expires_at ?? "refused";
  for (const [expires, at] of [
    ["1m", "2026-03-02T09:31:00Z"],
    ["8h", "2026-03-02T17:30:00Z"],
    ["2d", "2026-03-04T09:30:00Z"],
    ["2026-03-03T00:00:00+01:00", "2026-03-02T23:00:00Z"],
    ...["0m", "030m", "100000m", "1w", "m", "5", "soon", "", "2026-03-02T09:30:00Z"].map((odd) => [odd, "refused"]),
  ] as const)
    same(`open for ${expires}`, expiry(expires as string), at);
}
