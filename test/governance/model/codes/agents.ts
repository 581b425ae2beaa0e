/** Findings in and between instruction files. */

import { DROP, type Fixtures, persona, TASK } from "./fixture.ts";

export const AGENTS: Fixtures = {
  "model/subagent-undefined": [
    { files: { "AGENT_P.md": persona("A, BB"), "AGENT_A.md": TASK }, at: ["AGENT_P.md:2:15"], marked: "BB" },
    {
      files: { "AGENT_P.md": persona("[WRITR]"), "AGENT_WRITER.md": TASK },
      at: ["AGENT_P.md:2:13"],
      help: "did you mean `WRITER`?",
    },
    { files: { "AGENT_P.md": persona("[a]"), "AGENT_A.md": TASK }, at: ["AGENT_P.md:2:13"] },
  ],
  "model/subagent-undefined-dropped": {
    files: { "portcullis.yaml": DROP, "AGENT_P.md": persona("[A, B]"), "AGENT_A.md": TASK },
    at: ["AGENT_P.md:2:16"],
  },
  "model/subagent-not-type-2": [
    {
      files: { "AGENT_P.md": persona("[A]"), "AGENT_A.md": "AGENT_TYPE: 1\n" },
      at: ["AGENT_P.md:2:13"],
      message: "persona `P` allowlists `A`, which is TYPE 1, not TYPE 2",
    },
    { files: { "AGENT_P.md": persona("[A]"), "AGENT_A.md": "# A\n" }, at: ["AGENT_P.md:2:13"] },
    { files: { "AGENT_P.md": persona("[P]") }, at: ["AGENT_P.md:2:13"] },
  ],
  "model/subagent-not-type-2-dropped": {
    files: { "portcullis.yaml": DROP, "AGENT_P.md": persona("[A]"), "AGENT_A.md": "AGENT_TYPE: 0\n" },
    at: ["AGENT_P.md:2:13"],
  },
  "model/allowlist-resolves-to-nothing": [
    { files: { "portcullis.yaml": DROP, "AGENT_P.md": persona("[A, B]") }, at: ["AGENT_P.md:2:13"], marked: "A, B" },
    { files: { "AGENT_P.md": persona("[]") }, at: [] },
  ],
  "model/allowlist-of-non-persona": [
    {
      files: { "AGENT_P.md": "---\nsubagents: [A]\n---\nAGENT_TYPE: 0\n", "AGENT_A.md": TASK },
      at: ["AGENT_P.md:2:13"],
    },
    { files: { "AGENT_P.md": "---\nsubagents: [A]\n---\n", "AGENT_A.md": TASK }, at: ["AGENT_P.md:2:13"] },
  ],
  "model/agent-without-type": { files: { "AGENT_A.md": "# A\n" }, at: ["AGENT_A.md:1:1"], marked: "# A" },
  "model/unreadable-agent-type": {
    files: { "AGENT_A.md": "# A\nAGENT_TYPE: 3\n" },
    at: ["AGENT_A.md:2:1"],
    message: "`AGENT_TYPE: 3` declares no agent type",
  },
  "model/repeated-agent-type": { files: { "AGENT_A.md": "AGENT_TYPE: 2\n\nAGENT_TYPE: 1\n" }, at: ["AGENT_A.md:3:1"] },
  "model/agent-class-contradiction": {
    files: { "AGENT_A.md": "AGENT_TYPE: 2\nAGENT_CLASS: PERSONA\n| **AGENT_CLASS** | TASK |\n" },
    at: ["AGENT_A.md:2:1"],
  },
  "model/class-not-task": [
    {
      files: { "AGENT_A.md": "AGENT_TYPE: 2\nAGENT_CLASS: PERSONA\n" },
      at: ["AGENT_A.md:2:1"],
      message: "`A` is TYPE 2, but its AGENT_CLASS is PERSONA, not TASK",
    },
    { files: { "AGENT_A.md": "AGENT_TYPE: 2\n" }, at: ["AGENT_A.md:1:1"] },
    { files: { "AGENT_A.md": "AGENT_TYPE: 2\nAGENT_CLASS: TASK-SHORT\n" }, at: [] },
    { files: { "AGENT_A.md": "AGENT_TYPE: 1\nAGENT_CLASS: PERSONA\n" }, at: [] },
  ],
  "model/agent-in-no-allowlist": [
    { files: { "AGENT_P.md": persona("[A]"), "AGENT_A.md": TASK, "AGENT_B.md": TASK }, at: ["AGENT_B.md:1:1"] },
    { files: { "AGENT_P.md": persona("[A-B]"), "AGENT_A_B.md": TASK }, at: [] },
  ],
  "model/misspelt-front-matter-key": [
    { files: { "AGENT_P.md": "---\nsubagent: [A]\n---\n" }, at: ["AGENT_P.md:2:1"], marked: "subagent" },
    { files: { "AGENT_P.md": "---\ntools: [x]\ndescription: p\n---\n" }, at: [] },
  ],
  "model/rights-in-front-matter": [
    {
      files: { "AGENT_P.md": "---\ndescription: p\ntools: Read, Bash\n---\n" },
      at: ["AGENT_P.md:3:1"],
      marked: "tools",
    },
    {
      files: { "AGENT_P.md": "---\ndisallowedTools: [Bash]\npermissionMode: plan\nsubagents: []\n---\n" },
      at: ["AGENT_P.md:2:1", "AGENT_P.md:3:1"],
    },
    { files: { "AGENT_P.md": "---\nmodel: x\nTools: y\n---\ntools: z\n" }, at: [] },
  ],
};
