/** builtins.md: who evaluates each of OPA's builtins, and which need something of the host. */

import { suppliers } from "@portcullis/runtime/host";
import { printBuiltinType } from "../../rego/syntax/builtin-types.ts";
import { type Builtin, builtins } from "../../rego/syntax/builtins.ts";
import { availableBuiltins } from "../../rego/wasm/available-builtins.ts";
import { isNative } from "../../rego/wasm/native-builtins.ts";
import { code, page, table } from "./markdown.ts";

/** Who evaluates a builtin. */
export function placeOf(name: string): "compiled away" | "in the module" | "host" | "unsupported" {
  if (isNative(name)) return "in the module";
  if (suppliers.has(name)) return "host";
  // `:=` is gone when names are resolved.
  return name === "assign" || availableBuiltins([name], []).has(name) ? "compiled away" : "unsupported";
}

/** `opaVersion`: the release whose builtins these are. */
export function builtinsPage(opaVersion: string): string {
  const all = [...builtins().values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  const count = (place: string): number => all.filter((b) => placeOf(b.name) === place).length;
  return page(
    "Builtins",
    "the catalogue of builtins, the runtime library and the families of `@portcullis/builtins`",
    `The builtins of OPA ${opaVersion}: ${all.length} in all. ${count("in the module")} are in the compiled module, ${count("compiled away")} are compiled away,
${count("host")} are supplied by the host through a family of \`@portcullis/builtins\` (\`load(source, { builtins: [jwt] })\`), and ${count("unsupported")} are not supported:
a host may supply them under their names, after \`portcullis build --allow-builtin NAME\`.

A builtin that is not deterministic needs the source that its row names (\`load(source, { sources })\`) or, without a family, \`--allow-builtin\`.`,
    table(["builtin", "operands and result", "evaluated", "notes"], all.map(row)),
  );
}

function row(builtin: Builtin): string[] {
  const { name, infix, nondeterministic, deprecated, relation } = builtin;
  const supplier = suppliers.get(name);
  const place = placeOf(name);
  const notes = [
    ...(infix === undefined ? [] : [`written ${code(infix)}`]),
    ...(relation ? ["gives many results"] : []),
    ...(deprecated ? ["deprecated: Rego v1 refuses calls"] : []),
    ...(nondeterministic ? ["not deterministic"] : []),
    ...(supplier?.source === undefined ? [] : [`needs ${code(`sources.${supplier.source}`)}`]),
  ];
  const where = place === "host" && supplier !== undefined ? `host, family ${code(supplier.family)}` : place;
  return [code(name), code(signatureOf(builtin)), where, notes.join("; ")];
}

function signatureOf({ parameters, result }: Builtin): string {
  const operands = parameters.map((p) => (p.name === undefined ? "" : `${p.name}: `) + printBuiltinType(p.type));
  return `(${operands.join(", ")})${result === undefined ? "" : ` -> ${printBuiltinType(result)}`}`;
}
