/** The refusal of a policy whose builtins are not all there. Fetched when it is needed: a page that works has none of it. */

import { LoadError } from "../errors.ts";
import { suppliers } from "../host/families.ts";

export function missingBuiltins(missing: readonly string[]): LoadError {
  return new LoadError(
    "missing-builtin",
    `the policy needs builtins that this host does not supply: ${missing.join(", ")}; ${remedy(missing)}`,
  );
}

/** What to write, so that these builtins are there. */
function remedy(missing: readonly string[]): string {
  const known = missing.flatMap((name) => suppliers.get(name) ?? []);
  const families = [...new Set(known.map(({ family }) => family))].sort();
  const sources = [...new Set(known.flatMap(({ source }) => source ?? []))].sort();
  const own = missing.filter((name) => !suppliers.has(name)).map((name) => `{ "${name}": … }`);
  const imports = families.map((family) => `import { ${family} } from "@portcullis/builtins/${family}"`);
  const options = [`builtins: [${[...families, ...own].join(", ")}]`];
  if (sources.length > 0) options.push(`sources: { ${sources.join(", ")} }`);
  return [...imports, `load(source, { ${options.join(", ")} })`].join("; ");
}
