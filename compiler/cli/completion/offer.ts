/** What may stand for a placeholder of the help, such as `<dir>` or `<role>`. */

import { entrypointsOf, idsOf, type Named } from "./policy-ids.ts";

export interface Offer {
  readonly values: readonly { readonly value: string; readonly description: string }[];
  readonly besides: "files" | "folders" | "nothing";
}

type Maker = (named: Named) => Offer | Promise<Offer>;

const files: Maker = () => ({ values: [], besides: "files" });
const folders: Maker = () => ({ values: [], besides: "folders" });
const ids =
  (kind: "roles" | "lanes" | "tools" | "agents" | "modes"): Maker =>
  async (named) =>
    plain(await idsOf(named, kind));
const entrypoints: Maker = async (named) => plain(await entrypointsOf(named));

/** By placeholder. One that is not here stands for a text of the person's own. */
const OFFERS: Readonly<Record<string, Maker>> = {
  file: files,
  path: files,
  bundle: files,
  policy: files,
  before: files,
  after: files,
  script: files,
  server: files,
  target: files,
  run_record: files,
  audit_ledger: files,
  dir: folders,
  role: ids("roles"),
  lane: ids("lanes"),
  tool: ids("tools"),
  agent: ids("agents"),
  mode: ids("modes"),
  entrypoint: entrypoints,
  query: entrypoints,
  "pkg/rule": entrypoints,
  code: async () => {
    const { allCodes } = await import("@portcullis/governance/checks");
    return plain(["list", ...[...allCodes.keys()].sort()]);
  },
  schema: async () => {
    const { FILE_FORMATS } = await import("@portcullis/governance/editor");
    return { values: FILE_FORMATS.map((f) => ({ value: f.name, description: f.files })), besides: "nothing" };
  },
};

export async function offerOf(placeholder: string, named: Named): Promise<Offer> {
  return Object.hasOwn(OFFERS, placeholder) ? (OFFERS[placeholder] as Maker)(named) : plain([]);
}

function plain(values: readonly string[]): Offer {
  return { values: values.map((value) => ({ value, description: "" })), besides: "nothing" };
}
