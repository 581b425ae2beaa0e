/** Findings on the files of a policy set and their form, before the model is built. */

import { defineCodes, diagnosticsOf } from "@portcullis/rego/diagnostics";

export const sourcesCodes = defineCodes({
  "sources/unreadable-folder": {
    severity: "error",
    message: "cannot read `{path}`: {problem}",
    explain:
      "A folder (or file) that was named on the command line does not exist or cannot be read. Nothing of it became part of the policy, so the policy set is refused: a build that silently lacks sources would deny too much or, with extensions missing, too little.",
  },
  "sources/unreadable-file": {
    severity: "error",
    message: "cannot read `{path}`: {problem}",
    explain:
      "A source file was listed but could not be read: it vanished meanwhile, or you lack the permission. Mend that and build again.",
  },
  "sources/empty-folder": {
    severity: "error",
    message: "`{path}` holds no policy sources",
    explain:
      "No file of the folder has a name that portcullis knows: portcullis.yaml, roles.yaml, lanes.yaml, tool_registry.yaml, approvers.yaml, AGENT_<NAME>.md, *.manifest.yaml, *.manifest.toml, files in manifests/ or tests/, handoff.yaml, exec.yaml, limits.yaml, *.rego, data.json, data.yaml. Most often the path is that of another folder. `portcullis init` writes a first policy set.",
  },
  "sources/misnamed-file": {
    severity: "error",
    message: "`{name}` is not read: policy sources have exact names",
    explain:
      "Files are recognised by name. This one looks like a policy source and is not named as one, so nothing in it would count: rules, settings or additions that you rely on would be missing without a sound. Rename it, or give it a name that is not alike, whatever it holds.",
  },
  "sources/bundle-manifest": {
    severity: "error",
    message: "bundle load failed on manifest decode: {problem}",
    explain:
      "A folder with a `.manifest` is a bundle, and the manifest says which version of Rego its modules are written in: `rego_version` is 0, 1 or 2, `file_rego_versions` an object of patterns and versions. This one cannot be read as that, or OPA would read it otherwise, so that two tools would see two policies.",
  },
  "sources/unknown-rego-version": {
    severity: "error",
    message: "unknown bundle rego-version {version} for file '{file}'",
    explain:
      "The versions of Rego are 0, 1 and 2. In `.manifest`, `rego_version` gives the one of all modules, `file_rego_versions` that of files whose path matches a pattern. What a module of another version means is unknown.",
  },
  "sources/rego-version-glob": {
    severity: "error",
    message: "failed to compile glob pattern {pattern}",
    explain:
      "The keys of `file_rego_versions` in `.manifest` are patterns of paths below the bundle's folder, which begin with `/`: `*` is any text, `?` one character, `[a-c]` and `[!a-c]` a character of a range or another one, `{a,b}` one of several, `\\` takes the next character as it is.",
  },
  "sources/set-inside-set": {
    severity: "error",
    message: "`{folder}` holds a policy set of its own: {files}",
    explain:
      "A folder inside of the policy set has files that the set has too, as a copy or a backup does. All files of a policy set add up, so every id would be defined twice. Move the folder away, or build it as a set of its own.",
  },
  "sources/stale-build-output": {
    severity: "error",
    message: "`{folder}` holds the output of a build, and `{file}` in it is not what the policy set says",
    explain:
      "A folder with `bundle.tar.gz` and the `data.json` of a policy is what `portcullis build -o` wrote. It is left out only while it repeats the policy set byte for byte: else a rule could be hidden by files beside it. Delete the folder, build into it again, or build into a folder outside of the set.",
  },
  "sources/wrong-type": {
    severity: "error",
    message: "{what} must be {expected}, found {found}",
    causedBy: [
      { code: "sources/unknown-alias", by: "place" },
      { code: "sources/number-not-finite", by: "place" },
    ],
    explain:
      'The value has another type than the format defines. Nothing is converted: `"true"` is not `true`, and YAML 1.2 reads `yes`, `no`, `on` and `off` as text. Write the value in the type that the message names.',
  },
  "sources/unknown-key": {
    severity: "error",
    message: "unknown key `{key}`",
    explain:
      "The format does not define this key. A misspelt key would be ignored and leave a gate in another state than you think, so it is refused. The message names the nearest key if there is one; otherwise it lists the keys that exist here.",
  },
  "sources/unknown-audit-key": {
    severity: "warning",
    message: "unknown key `{key}` in `audit`",
    explain:
      "`audit` of a lane is a note for people (`required`, `level`) and no gate reads it, so a further key leaves the policy well-defined. It is reported because it has no effect: a `roles` list here grants nothing.",
  },
  "sources/missing-key": {
    severity: "error",
    message: "missing key `{key}`",
    causedBy: [{ code: "sources/unknown-key", by: "meant", parameter: "key" }],
    explain: "The format requires this key here: without its id, for one, an entry cannot be referred to.",
  },
  "sources/bad-value": {
    severity: "error",
    message: "{what} must be one of {allowed}",
    explain: "The key takes one of a few fixed values, spelt exactly as listed.",
  },
  "sources/out-of-range": {
    severity: "error",
    message: "{what} must be {bound}",
    explain: "The number lies outside of the range that the format defines for this key.",
  },
});

export const sourcesDiagnostic = diagnosticsOf(sourcesCodes);
