/** Files and folders of git, shells, editors and Claude Code itself: it asks about each that is written, whatever a rule allows. */

import type { DraftFile } from "./draft.ts";

/** Tools that write files. */
export const WRITING: readonly string[] = ["Edit", "MultiEdit", "NotebookEdit", "Write"];

/** In small letters. */
const PROTECTED =
  "(^|/)(\\.(bash(_aliases|_login|_logout|_profile|rc)|bazel(iskrc|rc|version)|bunfig\\.toml|cargo|claude(\\.json)?|config/git|" +
  "devcontainer(\\.json)?|envrc|git(config|modules)?|husky|idea|lefthook\\.ya?ml|mcp\\.json|mvn|npmrc|pnp\\.(c?js|data\\.json|loader\\.mjs)|" +
  "pnpmfile\\.cjs|pre-commit-config\\.yaml|profile|ripgreprc|vscode|yarn(rc(\\.yml)?)?|z(login|logout|profile|shenv|shrc))|bunfig\\.toml|" +
  "gradle-wrapper\\.properties|lefthook\\.ya?ml|maven-wrapper\\.properties|pyrightconfig\\.json)(/|$)";

export function isProtected(path: string): boolean {
  return new RegExp(PROTECTED).test(path.toLowerCase());
}

/**
 * Gates of a draft. The files lie in any folder, which no member of `arguments` says; two letters are other spellings of `i` and `s` to
 * some file systems. The environment of a process can be a word of every command.
 */
export function protectedFiles(tools: readonly string[]): DraftFile[] {
  const writing = tools.filter((name) => WRITING.includes(name)).map((name) => `"${name}"`);
  const gates = [
    ...(writing.length === 0
      ? []
      : [
          `# METADATA
# description: What is written is no such file, in any folder.
# custom: { reason: protected_file }
must contains "PROTECTED_FILE" if not input.tool in {${writing.join(", ")}}

must contains "PROTECTED_FILE" if {
	count(input.facts.paths) > 0
	every path in input.facts.paths {
		small := strings.replace_n({"ı": "i", "ſ": "s"}, lower(path))
		regex.match(\`${PROTECTED}\`, small) == false
	}
}
`,
        ]),
    ...(tools.includes("Bash")
      ? [
          `# METADATA
# description: A command names no environment of a process.
# custom: { reason: protected_file }
must contains "PROTECTED_ENVIRONMENT" if input.tool != "Bash"

must contains "PROTECTED_ENVIRONMENT" if regex.match(\`/proc/.*environ\`, input.args.command) == false
`,
        ]
      : []),
  ];
  const text = `# METADATA
# title: Files that need a person
# description: Drafted. Claude Code asks about each of these, whatever its rules allow; here they are denied.
package portcullis.ext.call

${gates.join("\n")}`;
  return gates.length === 0 ? [] : [{ path: "claude-settings/protected_files.rego", text }];
}
