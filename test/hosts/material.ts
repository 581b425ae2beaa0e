/** The questions of all hosts: the specification's cases, and requests of our own to every decision and adapter. */

import { readFileSync } from "node:fs";
import { load, readBundle } from "@portcullis/runtime";
import { SourceFile } from "../../compiler/rego/diagnostics/source-file.ts";
import { compileModules } from "../../compiler/rego/pipeline/compile-modules.ts";
import { hasCases, lowered, policyFiles, readCases } from "../governance/library/case-files.ts";
import { combined } from "../governance/library/combinations.ts";
import { libraryModules, librarySchemas } from "../governance/library/library-modules.ts";
import { right } from "../governance/library/right-requests.ts";
import { spoiledOnce } from "../governance/library/spoiling.ts";
import { withFolds } from "../governance/library/with-folds.ts";
import { keysFor, signed } from "../runtime/trust/bundles.ts";
import { type DecisionName, decisionNames, statements } from "../statements/index.ts";
import type { PolicyData } from "../statements/policy.ts";
import type { Material } from "./ask.ts";

type Question = Material["questions"][number];

/** A sixth of the requests that differ from a right one in one value: some hundred a decision. */
const SHARE = 6;

export async function makeMaterial(): Promise<Material> {
  const modules = libraryModules().map(({ name, text }) => new SourceFile(name, text));
  const { compiled } = await compileModules({ modules, schemas: librarySchemas() });
  if (compiled === undefined) throw new Error("the library does not compile");
  const policies: PolicyData[] = [withFolds(combined)];
  const questions: Question[] = [];
  const ask = (decision: DecisionName, place: number, input: unknown): void => {
    // What JSON cannot say is another suite's.
    const request = JSON.parse(JSON.stringify(input) ?? "null") as unknown;
    const expected = statements[decision](policies[place] as PolicyData, request);
    questions.push([`portcullis/${decision}/decision`, place, request, expected]);
  };
  for (const decision of decisionNames) {
    ask(decision, 0, right[decision]);
    for (const [i, request] of spoiledOnce(right[decision]).entries()) if (i % SHARE === 0) ask(decision, 0, request);
  }
  if (hasCases)
    for (const decision of decisionNames.filter((name) => name !== "lane" && name !== "tool"))
      for (const one of readCases(decision)) {
        const files = policyFiles(one.policy);
        const result = lowered(Object.keys(files).length === 0 ? { "roles.yaml": "roles: []\n" } : files);
        if ("errors" in result) continue;
        policies.push(result.policy);
        ask(decision, policies.length - 1, one.input);
      }
  return { library: base64(compiled.wasm), ...(await signedBundle()), policies, questions };
}

async function signedBundle(): Promise<Pick<Material, "bundle" | "revision" | "files" | "verification">> {
  const archive = readFileSync(new URL("../../generated/bundle.tar.gz", import.meta.url));
  const files = [...(await readBundle(archive))].map(([path, bytes]) => ({ path, bytes }));
  const bundle = await signed(files, { algorithm: "ES256", keyId: "hosts" });
  return {
    bundle: base64(bundle),
    revision: (await load(archive)).revision ?? "",
    files: [...files.map(({ path }) => path), ".signatures.json"].sort(),
    verification: { keys: { hosts: { algorithm: "ES256", key: keysFor("ES256").publicKey } } },
  };
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64");
}
