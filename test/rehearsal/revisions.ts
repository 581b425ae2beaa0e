/** The example's policy set in revisions that differ in who may draft, and the keys that sign them. */

import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { load, type Policy } from "@portcullis/runtime";
import { nodeHost } from "../../compiler/documents/node.ts";
import { compile } from "../../compiler/governance/pipeline.ts";
import { type BundleFile, packBundle } from "../../compiler/rego/bundle/index.ts";
import { signFiles, signingKey } from "../../compiler/rego/signing/index.ts";

export interface Revision {
  readonly name: string;
  /** The policy, asked in this process: what is true of the revision. */
  readonly policy: Policy;
  readonly files: readonly BundleFile[];
}

export interface SigningPair {
  readonly id: string;
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

export function newPair(id: string): SigningPair {
  return { id, ...generateKeyPairSync("ec", { namedCurve: "P-256" }) };
}

const WHO_DRAFTS = "roles: [WRITER, COPY_EDITOR]";
/** Contradicts itself where it is asked to. */
const CLASH = `package rehearsal

# METADATA
# entrypoint: true
clash := value

value := 1 if input.clash
value := 2 if input.clash
`;

/** `drafts`: the roles that may enter the lane DRAFTING. */
export async function revision(folder: string, name: string, sequence: number, drafts: string): Promise<Revision> {
  const dir = join(folder, `sources-${name}`);
  mkdirSync(dir);
  cpSync("policies", dir, { recursive: true });
  for (const apart of ["tests", "deploy", "handoff-samples"])
    rmSync(join(dir, apart), { recursive: true, force: true });
  const lanes = readFileSync(join(dir, "lanes.yaml"), "utf8");
  if (lanes.split(WHO_DRAFTS).length !== 2) throw new Error(`one lane has \`${WHO_DRAFTS}\``);
  writeFileSync(join(dir, "lanes.yaml"), lanes.replace(WHO_DRAFTS, `roles: [${drafts}]`));
  writeFileSync(join(dir, "clash.rego"), CLASH);
  const { compiled, diagnostics } = await compile({ host: nodeHost, dirs: [dir], revision: name, sequence });
  if (compiled === undefined) throw new Error(diagnostics.map(({ message }) => message).join("\n"));
  return { name, policy: await load(compiled.bundle), files: compiled.files };
}

export async function signedBy({ id, privateKey }: SigningPair, { files }: Revision): Promise<Uint8Array> {
  const pem = privateKey.export({ type: "pkcs8", format: "pem" }) as string;
  const read = signingKey("key", new TextEncoder().encode(pem), "ES256");
  if (!read.ok) throw new Error(read.problem.message);
  const result = signFiles(files, { key: read.value, keyId: id, scope: undefined });
  if (!result.ok) throw new Error(result.problem.message);
  return packBundle(result.value);
}

/** The file of the keys that the fleet believes. */
export function writeKeys(path: string, pairs: readonly SigningPair[]): void {
  const keys = pairs.map(({ id, publicKey }) => ({ ...publicKey.export({ format: "jwk" }), kid: id, alg: "ES256" }));
  writeFileSync(path, JSON.stringify({ keys }));
}
