/** lanes.yaml: kinds of work. */

import { FILE_FIELDS, id, names, rows, section, text, truth } from "./field.ts";

export const LANE = {
  lane_id: id("Decides: the id that decisions take as `lane`.", { model: "id" }),
  purpose: text("Informs: for readers.", { model: "purpose" }),
  allowed_callers: section(
    "Who may use the lane.",
    {
      roles: names("Decides: roles that may use the lane.", {
        data: "roles",
        otherwise: [],
        required: true,
        nullable: true,
      }),
    },
    { required: true },
  ),
  allowed_actions: section(
    "What may be done in the lane; without it, nothing.",
    {
      tools: names("Decides: tools that may be called in the lane.", { data: "tools", otherwise: [], nullable: true }),
      writes: rows(
        "Tables that calls in the lane may write, and how. Decides in the call decision.",
        {
          table: id("Decides: a table that calls in the lane may write.", { model: "table" }),
          mode: id("Decides: how calls in the lane may write it.", { model: "mode" }),
        },
        { data: "writes", nullable: true },
      ),
    },
    { nullable: true },
  ),
  scope: section(
    "What a call in the lane must say, and must not.",
    {
      requires: names("Decides: keys that a call's scope must have.", {
        data: "requires",
        otherwise: [],
        nullable: true,
        restricts: true,
      }),
      prohibits: names("Decides: flags that a call must not raise.", {
        data: "prohibits",
        otherwise: [],
        nullable: true,
        restricts: true,
      }),
    },
    { nullable: true },
  ),
  audit: section("A note for people; no gate reads it.", {
    required: truth("Informs: for readers."),
    level: text("Informs: for readers."),
  }),
};

export const LANES = {
  ...FILE_FIELDS,
  lanes: rows("Kinds of work: who may do each, with which tools.", LANE, { required: true, nullable: true }),
};
