/** tool_registry.yaml: every tool, and what its calls must be like. */

import { ARGUMENTS } from "./arguments.ts";
import { choice, FILE_FIELDS, id, names, rows, section, text, truth, whole } from "./field.ts";

/** What is commonly said of a tool's state. Every other word denies, as all but the first of these do. */
export const IMPLEMENTATION_STATUSES = [
  "implemented",
  "not_implemented",
  "unimplemented",
  "partial",
  "planned",
] as const;

export const TOOL = {
  tool_name: id("Decides: the name that decisions take as `tool`.", { model: "id" }),
  enabled: truth("Decides: anything but `true` is denied, absence too.", { data: "enabled" }),
  implementation_status: text("Decides: anything but `implemented` is denied, absence too.", {
    data: "implementation_status",
  }),
  description: text("Informs: for readers.", { model: "description" }),
  status: text("Informs: for readers."),
  idempotent: truth("Informs: for readers."),
  timeout_default_ms: whole({ minimum: 0 }, "Informs: for readers."),
  allowed_lanes: names("Decides: lanes in which calls may use the tool; without it, any lane that lists the tool.", {
    data: "lanes",
    nullable: true,
  }),
  required_scope_keys: names("Decides: keys that a call's scope must have, besides those of the lane.", {
    data: "scope_keys",
    otherwise: [],
    nullable: true,
    restricts: true,
  }),
  prohibited_flags: names("Decides: flags that a call must not raise, besides those of the lane.", {
    data: "prohibited_flags",
    otherwise: [],
    nullable: true,
    restricts: true,
  }),
  write_targets: names("Decides: tables that calls of the tool may write; an empty list: none.", {
    data: "write_targets",
    nullable: true,
  }),
  approval: choice(
    ["required", "bound", "none"],
    "Decides: whether a person has to approve each call: `required`, a call names one; `bound`, an approver of approvers.yaml has signed this very call; default `none`.",
    { data: "approval", otherwise: "none" },
  ),
  arguments: ARGUMENTS,
  other_arguments: choice(
    ["deny", "allow"],
    "Decides: whether a call may have arguments that `arguments` does not name; default `deny`, where there is `arguments`.",
    { data: "other_arguments", byHand: true },
  ),
  returns_job_handle: truth("Informs: for readers."),
  consumes_job_handle: truth("Informs: for readers."),
  audit: section("For readers; no gate reads it.", {
    required: truth("Informs: for readers."),
    level: text("Informs: for readers."),
  }),
};

export const TOOL_REGISTRY = {
  ...FILE_FIELDS,
  tools: rows("Every tool that an agent can be given.", TOOL, { required: true, nullable: true }),
};
