/** exec.yaml: which scripts run, and how. */

import { commands, FILE_FIELDS, list, named, names, whole } from "./field.ts";

export const EXEC = {
  ...FILE_FIELDS,
  modes: names("Decides: names of the agent modes.", { data: "modes", otherwise: [] }),
  inline_modes: names("Decides: modes in which inline code may run; default mode-init and break-glass.", {
    data: "inline_modes",
    otherwise: ["mode-init", "break-glass"],
  }),
  staging_root: named(
    "Decides: absolute path of the folder below which scripts are staged, as <staging_root>/<contract_id>/<name>.",
    { data: "staging_root", otherwise: null },
  ),
  script_extensions: list("Decides: extensions of scripts; default [.py].", {
    data: "script_extensions",
    otherwise: [".py"],
  }),
  hat_lifetime_seconds: whole(
    { minimum: 1 },
    "Decides: age beyond which a signed packet no longer counts; default none.",
    { data: "hat_lifetime_seconds", otherwise: null },
  ),
  interpreters: commands(
    "Builds: what `exec run` starts, by a script's extension, a program's absolute path and its arguments; the script's own path comes last. Default none, and a script without an interpreter is not run.",
    { data: "interpreters", byHand: true },
  ),
  environment: list(
    "Builds: what a script that `exec run` starts has of the environment, beside PATH and LANG; default nothing.",
    { data: "environment" },
  ),
};
