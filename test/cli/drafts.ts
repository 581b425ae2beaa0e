/** Drafts of `portcullis import`, as policies. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { load, type Policy } from "@portcullis/runtime";
import { expect } from "vitest";
import { portcullis, write } from "./terminal.ts";

export interface Permissions {
  readonly allow?: readonly string[];
  readonly ask?: readonly string[];
  readonly deny?: readonly string[];
  readonly defaultMode?: string;
}

interface Imported {
  readonly out: string;
  readonly leftOut: { readonly what: string }[];
  readonly code: number;
}

export type Importing = (kind: string, source: string) => Promise<Imported>;

let count = 0;

/** `folder`: for the policy set. */
export async function importedInto(folder: string, kind: string, source: string): Promise<Imported> {
  const out = join(folder, `set-${++count}`);
  const { code, out: text, err } = await portcullis("import", "--from", kind, source, "-o", out, "--format", "json");
  expect(err).toBe("");
  return { out, code, leftOut: JSON.parse(text).left_out };
}

export async function policyOf(set: string): Promise<Policy> {
  const built = join(set, "out");
  expect(await portcullis("build", set, "-o", built)).toMatchObject({ code: 0 });
  return load(readFileSync(join(built, "bundle.tar.gz")));
}

/** `at`: where the settings stand in the folder. */
export async function policyOfPermissions(
  folder: string,
  permissions: Permissions,
  at = ".claude/settings.json",
): Promise<{ policy: Policy; leftOut: { readonly what: string }[] }> {
  const source = write(join(folder, `project-${count}`, at), { permissions });
  const { out, leftOut } = await importedInto(folder, "claude-settings", source);
  return { policy: await policyOf(out), leftOut };
}

const APPROVAL = { ref: "AP-1", by: "m.ortiz" };

/** `allow`, `ask` or `deny`. */
export function effectOf(policy: Policy, tool: string, args: object, paths: object = {}): string {
  const request = { role: "CODER", lane: "CODE", tool, args, facts: { paths } };
  const { allowed, reason } = policy.call(request as never);
  if (allowed) return "allow";
  if (reason !== "approval_required") return "deny";
  return policy.call({ ...request, approval: APPROVAL } as never).allowed ? "ask" : "deny";
}
