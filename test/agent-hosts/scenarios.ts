/** What a model does, and what the policy says of it. */

import { copyFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { write } from "../cli/terminal.ts";
import { edited, type Files, script } from "./configured.ts";
import type { Place } from "./hosts.ts";

export interface Scenario {
  readonly name: string;
  readonly made: boolean;
  /** Options of the hook; `tool` as the host calls it, `at` gives the paths of further files. */
  words(tool: string, at: (name: string) => string): readonly string[];
  /** What becomes of the hook once it is configured. */
  breaks?(files: Files, place: Place): void;
  /** The file is made by a sub-agent of this type. */
  readonly agent?: string;
  /** The sub-agent is not to start, so it calls nothing. */
  readonly isUnstarted?: true;
  /** Commands before the one that makes the file. */
  before?(place: Place): readonly string[];
  /** The hook is not there to be heard. */
  readonly isUnheard?: true;
  /** The command stands in a text that a person has it read, or in a skill that the model reads. */
  readonly text?: "typed" | "skill";
  /** The command is what a running shell reads. */
  readonly isFed?: true;
}

const asWriter = (tool: string, id: string): string[] => [
  ...["--role", "WRITER", "--lane", "DRAFTING", "--lineage", "news_desk", "--scope", "story_id=s-1"],
  ...["--scope", "run_id=r-1", "--map", `${tool}=${id}`],
];
/** May do it once a person has approved. */
const approvable = (tool: string): string[] => [
  ...["--role", "MANAGING_EDITOR", "--lane", "PUBLISHING", "--lineage", "publisher", "--scope", "story_id=s-1"],
  ...["--scope", "run_id=r-1", "--scope", "approval_ref=a-1", "--map", `${tool}=article.retract`],
];
const writing = (tool: string): string[] => asWriter(tool, "draft.create");
const GOVERNANCE = { contextSealed: true, pipelineRunApproved: true, approvalRef: "AP-1", approvedBy: "m.okafor" };
const governed =
  (id: string) =>
  (tool: string, at: (name: string) => string): string[] => {
    writeFileSync(at("governance.json"), JSON.stringify(GOVERNANCE));
    return [...asWriter(tool, id), "--governance", at("governance.json")];
  };
const paying = (tool: string): string[] => asWriter(tool, "payout.release");

/** After the agent has changed to another folder; the first call is not asked about. */
const elsewhere = ({ home }: Place): readonly string[] => [`cd ${home}`];
const passesFirst = ({ node, heard }: Files): void =>
  script(node, `[ -e '${heard}' ] && exec '${process.execPath}' "$@"`, `: > '${heard}'`);

/** Files of the project fill the host's environment: Node would load what they name, and that ends a hook with 0. */
function loads(_: Files, { home, project }: Place): void {
  const loaded = write(join(project, "loaded.cjs"), "if (process.argv.join().includes('portcullis')) process.exit(0);");
  const option = `--require=${loaded}`;
  for (const name of [".env", ".gemini/.env"]) write(join(project, name), `NODE_OPTIONS=${option}\n`);
  write(join(project, ".claude/settings.json"), { env: { NODE_OPTIONS: option } });
  write(join(home, ".gemini/trustedFolders.json"), { [project]: "TRUST_FOLDER" });
}

/** Stands in each text that is read. */
export const TEXT = "This text belongs to a scripted run.";

/** Instructions of the sub-agent, by which its questions are told from its parent's. */
export const MARK = "You are the sub-agent of a scripted run.";

export const SCENARIOS: readonly Scenario[] = [
  { name: "allow", made: true, words: writing },
  { name: "deny", made: false, words: paying },
  // The run has no person to ask.
  { name: "ask", made: false, words: (tool) => [...approvable(tool), "--ask"] },
  { name: "approval missing", made: false, words: approvable },
  { name: "broken bundle", made: false, words: writing, breaks: ({ bundle }) => writeFileSync(bundle, "no bundle") },
  {
    ...{ name: "relative path", made: false, words: writing },
    breaks({ bundle, configuration }, { project }) {
      copyFileSync(bundle, join(project, "bundle.tar.gz"));
      edited(configuration, [bundle, "bundle.tar.gz"]);
    },
  },
  {
    ...{ name: "unknown option", made: false, words: writing },
    breaks: ({ configuration }) =>
      edited(configuration, ["'--role'", "'--allow' '--role'"], ['"--role"', '"--allow","--role"']),
  },
  { name: "missing hook", made: false, words: writing, isUnheard: true, breaks: ({ node }) => rmSync(node) },
  {
    ...{ name: "crash", made: false, words: writing },
    breaks: ({ node, heard }) => script(node, `: > '${heard}'`, "kill -9 $$"),
  },
  {
    ...{ name: "slow hook", made: false, words: (tool) => [...writing(tool), "--deadline", "1"] },
    breaks: ({ node, heard }) => script(node, `: > '${heard}'`, "exec sleep 100"),
  },
  { name: "environment of the project", made: false, words: paying, breaks: loads },
  { name: "`cd`, allow", made: true, words: writing, before: elsewhere },
  { name: "`cd`, deny", made: false, words: paying, before: elsewhere, breaks: passesFirst },
  { name: "sub-agent, allow", made: true, words: governed("draft.revise"), agent: "copy_editor" },
  // The same tool: the sub-agent may not, and its parent may.
  { name: "sub-agent, deny", made: false, words: governed("draft.create"), agent: "copy_editor" },
  { name: "spawn of another", made: false, words: governed("draft.revise"), agent: "researcher", isUnstarted: true },
  {
    name: "spawn unapproved",
    made: false,
    words: (tool) => asWriter(tool, "draft.revise"),
    agent: "copy_editor",
    isUnstarted: true,
  },
  { name: "command in a text, allow", made: true, words: writing, text: "typed" },
  { name: "command in a text, deny", made: false, words: paying, text: "typed" },
  { name: "skill, allow", made: true, words: writing, text: "skill" },
  { name: "skill, deny", made: false, words: paying, text: "skill" },
  { name: "input of a command", made: false, words: writing, isFed: true },
];
