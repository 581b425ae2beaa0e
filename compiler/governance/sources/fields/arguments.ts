/** `arguments` of a tool: what each of them may be. Model and data have it in another form, which is read and lowered by hand. */

import { byName, choice, limit, names, section, text, textOrSection, truth, values, whole } from "./field.ts";

const TYPE = {
  type: choice(
    ["string", "integer", "number", "boolean", "list", "object", "any"],
    "Decides: the type; default `string`. `1.0` is an integer.",
  ),
};

/** In the order in which they are asked. */
const MEMBERS = {
  one_of: values("Decides: the values that there are."),
  pattern: text("Decides: a regular expression (RE2) that the whole text matches."),
  max_length: whole({ minimum: 0 }, "Decides: the most characters (code points) of a text, or elements of a list."),
  min: limit("Decides: the least number, for all roles or by role, with `default` for the others."),
  max: limit("Decides: the greatest number, for all roles or by role, with `default` for the others."),
  paths: section("Where the file or folder lies that the argument names.", {
    below: names(
      "Decides: files and folders from the project's root, `.` for the root; the path is one of them or inside.",
      {
        required: true,
      },
    ),
    except: names("Decides: files and folders from the project's root; the path is not one of them, and not inside."),
    resolve: choice(
      ["host", "text"],
      "Decides: who says where the path lies: the `host` (default), which follows links, or the argument's own `text`.",
    ),
  }),
  hosts: names("Decides: the hosts of the URL, `host` or `*.host`, with `:port` or without."),
  schemes: names("Decides: the schemes of the URL; default `https` alone."),
  commands: names(
    "Decides: patterns of the command line: words, `*` for a word that cannot be an option, `-*` for an option, `*` at the end for any number of words, `**` for any words at all.",
  ),
};

const APPROVAL = {
  approval: textOrSection(
    "Decides: which values need the approval of a person: every value (`required`, or `bound` of the very call), or those that members match, as `commands`; they are allowed with it.",
    {
      bound: truth(
        "Decides: whether an approver has to sign the very call, for values that the members match; default `false`.",
      ),
      ...MEMBERS,
    },
  ),
};

export const ARGUMENTS = byName(
  "What the tool's arguments may be, by name; without it, anything.",
  {
    ...TYPE,
    each: section("Decides: what every element of a list may be: the same members, without `required` and `each`.", {
      ...TYPE,
      ...MEMBERS,
      ...APPROVAL,
    }),
    required: truth("Decides: whether the argument has to be there; default `true`. `null` counts as absent."),
    ...MEMBERS,
    ...APPROVAL,
  },
  { data: "arguments", byHand: true },
);
