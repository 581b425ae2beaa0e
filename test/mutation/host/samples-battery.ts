/** What `check` finds in samples of handoffs. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { sampleFindings } from "../../../compiler/cli/policy/sample-findings.ts";
import { nodeHost } from "../../../compiler/documents/node.ts";
import { compileSet } from "../../../compiler/governance/pipeline.ts";
import { type Check, same } from "./check.ts";

export function checks(): readonly Check[] {
  return [{ what: "findings in samples", run: findings }];
}

const RECORD = {
  ...{ handoff_id: "H", task_id: "T", from_agent: "SUB", to_agent: "MASTER", input_scope: "docs" },
  ...{ actions_taken: ["wrote it"], artifacts: [{ path: "a.md", kind: "report" }], result: "PASS" },
  ...{ next_action: { owner: "MASTER", action: "read it", input: "a.md" }, rulebook_update: { applied: false } },
};

/** What each finding points at, and what it says. */
async function found(files: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), "portcullis-mutant-"));
  try {
    for (const [name, text] of Object.entries({ "handoff-samples/root/a.md": "evidence", ...files })) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
    const { planned, diagnostics } = await compileSet({ host: nodeHost, dirs: [folder], checkOnly: true });
    if (planned === undefined) throw new Error(diagnostics.map((one) => one.message).join("; "));
    return sampleFindings(planned).map(
      ({ message, span }) => `${span?.file.text.slice(span.start, span.end)}: ${message}`,
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const text = (more: object = {}): string => JSON.stringify({ ...RECORD, ...more });

async function findings(): Promise<void> {
  const policy = { "handoff.yaml": "required_fields: []\n" };
  const good = { "handoff-samples/positive/a.json": text() };
  const bad = { "handoff-samples/negative/result_invalid.json": text({ result: "DONE" }) };
  same("good and bad samples", await found({ ...policy, ...good, ...bad }), []);
  const accepted = { "handoff-samples/negative/result_invalid.json": text() };
  const artifact = { path: "none.md", kind: "report" };
  const artifacts = [RECORD.artifacts[0], artifact];
  const wrong = [
    [{ result: "DONE" }, '"DONE"', "result_invalid"],
    [{ artifacts }, '"none.md"', "artifact_path_not_found"],
    // As far as the record has what is missing.
    [{ artifacts: [{ path: "a.md" }] }, '{"path":"a.md"}', "artifact_kind_missing"],
    [{ result: "DONE", artifacts }, '"DONE"', "result_invalid, artifact_path_not_found"],
  ] as const;
  const samples = wrong.map(([more], i) => [`handoff-samples/positive/${i}.json`, text(more)] as const);
  const told = [
    `${text()}: a negative sample was accepted`,
    ...wrong.map(([, at, reason]) => `${at}: a positive sample was refused: ${reason}`),
  ];
  same("wrong samples", await found({ ...policy, ...good, ...accepted, ...Object.fromEntries(samples) }), told);
  const clock = {
    "extension.rego":
      'package portcullis.ext.handoff\n\ndeny contains {"gate": "CLOCK", "reason": "late"} if time.now_ns() < 0\n',
    "portcullis.yaml": "rego: { allow_builtins: [time.now_ns] }\n",
  };
  same("what only a host can decide", await found({ ...policy, ...clock, ...good, ...accepted }), []);
  same("no handoffs", await found({ "x.rego": "package x\n\nallow := true\n", ...accepted }), []);
}
