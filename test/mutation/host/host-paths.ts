/** Where files lie that a host's own tool opens: a text that hosts read in two ways has no place. */

import { closeSync, mkdirSync, mkdtempSync, openSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathsAtHost } from "../../../compiler/enforcement/gateway/host-paths.ts";
import { type Check, same } from "./check.ts";

export function hostPathChecks(): readonly Check[] {
  return [{ what: "paths as hosts read them", run: read }];
}

function read(): void {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "portcullis-host-paths-")));
  mkdirSync(join(root, "docs/a/b/c"), { recursive: true });
  writeFileSync(join(root, "docs/there"), "");
  writeFileSync(join(root, "docs/100% sure"), "");
  const opened = openSync(join(root, "docs"), "r");
  try {
    symlinkSync("a/b/c", join(root, "docs/deep"));
    symlinkSync(join(root, "docs/a"), join(root, "docs/whole"));
    symlinkSync(`/dev/fd/${opened}`, join(root, "docs/here"));
    symlinkSync("here", join(root, "docs/again"));
    // As many links as the system follows, and one more.
    symlinkSync("a", join(root, "docs/l1"));
    for (let i = 2; i <= 41; i++) symlinkSync(`l${i - 1}`, join(root, `docs/l${i}`));
    ask(root, opened);
  } finally {
    closeSync(opened);
    rmSync(root, { recursive: true });
  }
}

function ask(root: string, opened: number): void {
  const at = (host: string, name: string, cwd?: string) =>
    pathsAtHost(root, { host, name, event: "e", args: {}, ...(cwd === undefined ? {} : { cwd }) } as never);
  const place = at("generic", "write");
  for (const [text, path] of [
    ["docs/new", "docs/new"],
    [`${root}/docs/new`, "docs/new"],
    ["docs//./a/../new", "docs/new"],
    ["docs/deep/new", "docs/a/b/c/new"],
    ["docs/whole/b/new", "docs/a/b/new"],
    ["docs/l1/new", "docs/a/new"],
    ["docs/l40/new", "docs/a/new"],
    ["docs/@a", "docs/@a"],
    ["docs/100% sure", "docs/100% sure"],
  ] as const)
    same(text, place(text)?.path, path);
  const linux = process.platform === "linux" ? [`/proc/self/fd/${opened}/new`, "docs/here/new", "docs/again/new"] : [];
  for (const text of [
    ...["", "..", "/etc/hosts", "~/x", "docs/deep/../new", `${root}/docs/deep/../../new`, "docs/l41/new"],
    ...["docs/new\u00a0", " docs/new", "@docs/new", "@/docs/new", "docs/%6eew", "docs/%2e%2e/new", "docs/e\u0301"],
    ...linux,
  ])
    same(text, place(text)?.path, undefined);
  same("from a folder", at("generic", "write", join(root, "docs"))("new")?.path, "docs/new");
  same("behind it", at("generic", "write", join(root, "docs/deep"))("../new")?.path, undefined);
  for (const [host, name, text, path] of [
    ["gemini", "replace", "docs/new", undefined],
    ["gemini", "replace", "docs/there", "docs/there"],
    ["gemini", "replace", join(root, "docs/new"), "docs/new"],
    ["gemini", "write", "docs/new", "docs/new"],
    ["codex", "replace", "docs/new", "docs/new"],
  ] as const)
    same(`${host} ${name} ${text}`, at(host, name)(text)?.path, path);
}
