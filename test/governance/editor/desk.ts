/** One policy set in four languages, and an editor that has its folder open for as long as a test lasts. */

import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect } from "vitest";
import { Editor } from "./client.ts";

export const FILES: { readonly [path: string]: string } = {
  "portcullis.yaml": "lineage: { roots: [desk], require: true }\n",
  "roles.yaml": "roles:\n  - role_id: WRITER\n    privileges: { lanes: [DRAFTING] }\n  - role_id: EDITOR\n",
  "lanes.yaml":
    "lanes:\n  - lane_id: DRAFTING\n    purpose: Write stories.\n    allowed_callers:\n      roles: [WRITER, 'EDITOR']\n    allowed_actions:\n      tools: [draft.create, story.publish]\n      writes: [{ table: drafts, mode: append }]\n",
  "tool_registry.yaml":
    "tools:\n  - tool_name: draft.create\n    enabled: true\n    implementation_status: implemented\n    description: Open a draft.\n    allowed_lanes: [DRAFTING]\n  - tool_name: story.publish\n    enabled: true\n    implementation_status: implemented\n    allowed_lanes: [DRAFTING]\n    write_targets: [drafts]\n",
  "agents/AGENT_DESK.md": "---\nsubagents: CHECK-ER\n---\n# Desk\n\nAGENT_TYPE: 1\n",
  "agents/AGENT_CHECK_ER.md": "# Checker\n\nAGENT_TYPE: 2\nAGENT_CLASS: TASK\n",
  "manifests/desk.toml":
    'can_spawn = ["checker"]\nmax_spawn_depth = 1\nallowed_tools = ["draft.create", "story.publish"]\n',
  "manifests/checker.yaml": "allowed_tools: [draft.create]\n",
  "extensions/tool.rego":
    'package portcullis.ext.tool\n\nimport data.desk.rules\n\ndeny contains {"gate": "QUIET_HOURS", "reason": "too_late"} if {\n\tinput.tool == "story.publish"\n\tinput.role in {"WRITER"}\n\trules.is_late\n}\n',
  "extensions/must.rego":
    'package portcullis.ext.tool\n\n# METADATA\n# description: What is published is open to all.\n# custom: { reason: not_open }\nmust contains "OPEN" if input.tool != "story.publish"\n\nmust contains "OPEN" if input.role == "EDITOR"\n',
  "extensions/rules.rego":
    'package desk.rules\n\n# METADATA\n# description: No story is published at night.\nis_late if to_number(input.scope.hour) > data.desk.latest\n\nmoney := {"story.publish": 3}\n\ncosts := money[input.tool]\n\nlate_in(hour) := upper(hour)\n',
  "exec.yaml": "modes: [newsroom]\nstaging_root: /srv/queue\n",
  "desk/data.yaml": "latest: 22\n",
  "tests/tool.yaml":
    "decision: tool\ncases:\n  - name: late\n    input: { role: WRITER, lane: DRAFTING, tool: story.publish, scope: { hour: 23 } }\n    expect: { allowed: false, gate: QUIET_HOURS }\nmatrices:\n  - name: m\n    axes: { role: { every: roles, also: [NOBODY] }, lane: { every: lanes }, tool: { every: tools } }\n    allow:\n      - { role: [WRITER, EDITOR], lane: DRAFTING, tool: [draft.create, story.publish] }\n",
  "claims.yaml": "claims:\n  - always: { decision: tool, role: WRITER, lane: DRAFTING, tool: story.publish }\n",
};

export const languageOf = (path: string): string =>
  path.endsWith(".rego") ? "rego" : path.endsWith(".md") ? "markdown" : "yaml";

/** Writes files below a folder, which is made. */
export function writeAll(folder: string, files: { readonly [path: string]: string }): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

/** What the running test has: the folder with FILES, and an editor in it. */
interface Desk {
  readonly folder: string;
  readonly editor: Editor;
  /** Opens one of FILES as it is written there. */
  open(path: string): Promise<void>;
}

/** INVARIANT: called once in a `describe`, since it says what comes before and after each test. The server must end without a word. */
export function desk(): () => Desk {
  let folder = "";
  let editor: Editor;
  beforeEach(async () => {
    folder = realpathSync.native(mkdtempSync(join(tmpdir(), "portcullis-editor-")));
    writeAll(folder, FILES);
    editor = await Editor.start([folder]);
  });
  afterEach(async () => {
    expect(await editor.stop()).toEqual({ code: 0, errors: "" });
    rmSync(folder, { recursive: true, force: true });
  });
  return () => ({ folder, editor, open: (path) => editor.open(path, FILES[path] as string, languageOf(path)) });
}
