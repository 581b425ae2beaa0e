/** `mcp` of portcullis.yaml: what servers offer beside tools, by lane. */

import { entryOf, type SourceNode } from "../sources/index.ts";
import { modelDiagnostic } from "./codes.ts";
import type { Named } from "./model.ts";
import type { TreeReader } from "./read.ts";

export interface Offers {
  readonly resources: Offered | undefined;
  readonly prompts: Offered | undefined;
}

/** Everything that there is, or what each lane may read. */
export type Offered =
  | { readonly kind: "All"; readonly word: Named }
  | { readonly kind: "Listed"; readonly rows: readonly OfferRow[] };

export interface OfferRow {
  readonly lane: Named;
  readonly names: readonly Named[];
}

/** `undefined` where the file does not speak of them. */
export function buildOffers(section: SourceNode | undefined, reader: TreeReader): Offers | undefined {
  if (section?.kind !== "Mapping") return undefined;
  return { resources: offered(section, "resources", reader), prompts: offered(section, "prompts", reader) };
}

function offered(section: SourceNode, key: string, reader: TreeReader): Offered | undefined {
  const value = entryOf(section, key)?.value;
  if (value === undefined) return undefined;
  if (value.kind !== "String") {
    const rows = reader
      .items(section, key)
      .map((row) => ({ lane: reader.id(row, "lane"), names: reader.names(row, "names") ?? [] }));
    return { kind: "Listed", rows };
  }
  if (value.value === "pass") return { kind: "All", word: { name: key, span: value.span } };
  reader.diagnostics.push(modelDiagnostic("model/unknown-offers", { text: value.value, key }, value.span));
  return undefined;
}
