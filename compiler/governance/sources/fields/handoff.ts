/** handoff.yaml: what a record of a handoff must be like, beyond the contract's floor. */

import { FILE_FIELDS, list, names, section } from "./field.ts";

export const HANDOFF = {
  ...FILE_FIELDS,
  required_fields: list("Decides: fields that a record must have besides the contract's own.", {
    data: "required_fields",
    otherwise: [],
    nullable: true,
    restricts: true,
  }),
  forbidden_mutations: names(
    "Decides: top-level contracts that a sub-agent must not touch, besides those of the contract.",
    { data: "forbidden_mutations", otherwise: [], nullable: true, restricts: true },
  ),
  placeholders: names("Decides: first words that make a next action a placeholder, besides those of the contract.", {
    data: "placeholders",
    otherwise: [],
    nullable: true,
    restricts: true,
  }),
  agents: section(
    "The agents that hand over, by their role. With it, both agents of a record must be named here, one as master and one as sub, and a record that failed must say in `failure` which layer did.",
    {
      master: names("Decides: agents that route work and accept it.", { required: true }),
      sub: names("Decides: agents that carry out what they were assigned.", { required: true }),
    },
    { data: "agents", byHand: true },
  ),
  forbidden_paths: names(
    "Decides: files and folders, from the root, that a sub must neither deliver nor attempt to change. Needs `agents`.",
    { data: "forbidden_paths", otherwise: [], nullable: true, restricts: true },
  ),
};
