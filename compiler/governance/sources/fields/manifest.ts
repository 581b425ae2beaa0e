/** A spawn manifest: one agent type a file. */

import { names, text, whole } from "./field.ts";

export const MANIFEST = {
  agent_type: text("Decides: the type that lineages name; default: the file's name without extension."),
  description: text("Informs: for readers."),
  can_spawn: names("Decides: agent types that it may spawn, exact names; default none.", {
    data: "can_spawn",
    otherwise: [],
    nullable: true,
  }),
  max_spawn_depth: whole(
    { minimum: 0, maximum: 4294967295 },
    "Decides: the deepest `spawn_depth` a child may have; default 0.",
    { data: "max_spawn_depth", otherwise: 0 },
  ),
  allowed_tools: names("Decides: tools that the agent and its descendants may call; without it, any.", {
    data: "tools",
    nullable: true,
  }),
  path_allowlist: names(
    "Checked: folders; a child's must lie within its parent's. No gate reads them: the agent's runner holds it to them.",
    { model: "paths", nullable: true },
  ),
  network_egress: names(
    "Checked: hosts; a child's must lie within its parent's. No gate reads them: the agent's runner holds it to them.",
    { model: "egress", nullable: true },
  ),
};
