/** roles.yaml: who there is. */

import { FILE_FIELDS, id, names, rows, section, text } from "./field.ts";

export const ROLE = {
  role_id: id("Decides: the id that decisions take as `role`.", { model: "id" }),
  description: text("Informs: for readers.", { model: "description" }),
  class: text("Informs: for readers.", { data: "class" }),
  privileges: section(
    "What the role claims, for readers; compared with the lanes.",
    {
      lanes: names("Checked: lanes that the role claims; the lane's own list decides.", {
        model: "claims",
        nullable: true,
      }),
    },
    { nullable: true },
  ),
};

export const ROLES = {
  ...FILE_FIELDS,
  roles: rows("Who there is. Which lanes a role may use is decided in lanes.yaml.", ROLE, {
    required: true,
    nullable: true,
  }),
};
