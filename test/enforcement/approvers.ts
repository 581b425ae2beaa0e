/** The example's policy with approvers of whom the tests have the private keys. */

import { generateKeyPairSync } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL("../../policies/", import.meta.url));
export const KEYS: Readonly<Record<string, ReturnType<typeof generateKeyPairSync>>> = Object.fromEntries(
  ["m.ortiz", "k.lindqvist", "e.brandt"].map((name) => [name, generateKeyPairSync("ed25519")]),
);

/** The example's files, with other keys. */
export function files(): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) =>
    entry.isFile() ? [`${entry.parentPath}/${entry.name}`.slice(folder.length).replace(/^\/+/, "")] : [],
  );
  const texts = Object.fromEntries(names.map((name) => [name, readFileSync(folder + name, "utf8")]));
  const approvers = texts["approvers.yaml"] as string;
  // A key is on its line, or in the lines of its PEM.
  const others = approvers.replace(
    /(name: (\S+)\n\s+key: )(\{.*\}|\|\n[\s\S]*?-----END PUBLIC KEY-----)/g,
    (_, before: string, name: string) => before + JSON.stringify(KEYS[name]?.publicKey.export({ format: "jwk" })),
  );
  return { ...texts, "approvers.yaml": others };
}

/** Canonical JSON of texts, whole numbers, lists and objects. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join(",")}}`;
}
