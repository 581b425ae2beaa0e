/**
 * What callers may say: one table an option set. A misspelt option would be passed over, and a value of another type taken for
 * what it is not: both are refused before anything is done.
 */

/**
 * Types by `typeof`, `array`, `limit` (a number of zero or more) and `false` besides, with `|` between several and `?` after them where
 * `undefined` may stand; the texts that an option may be; or a table of its members, where `*` is any name. `any` is anything.
 */
export type OptionKind = string | readonly (string | boolean | undefined)[] | OptionTable;

/** Options by name. */
export interface OptionTable {
  readonly [name: string]: OptionKind;
}

/** A table that has every option of a set, and no other. */
export type TableOf<Options> = { readonly [Name in keyof Options]-?: OptionKind };

/** Throws TypeError for the first option that the table does not know, or that is of another type. */
export function holdOptions(given: unknown, table: OptionTable, path = ""): void {
  if (typeOf(given) !== "object") throw wrong(path.slice(0, -1), "object", given);
  for (const name in given as object) {
    const kind = Object.hasOwn(table, name) ? table[name] : table["*"];
    let value: unknown;
    try {
      value = (given as { readonly [name: string]: unknown })[name];
    } catch {
      // Reading the option later reports the error.
      continue;
    }
    const option = path + name;
    if (kind === undefined) throw new TypeError(`no option is called \`${option}\`${didYouMean(name, table)}`);
    if (Array.isArray(kind)) {
      if (!kind.includes(value))
        throw wrong(
          option,
          kind
            .filter((text) => text !== undefined)
            .map((text) => `\`${text}\``)
            .join("|"),
          value,
        );
    } else if (typeof kind === "object") holdOptions(value, kind as OptionTable, `${option}.`);
    else if (!fits(value, kind as string)) throw wrong(option, kind as string, value);
  }
}

/**
 * Throws TypeError for the first own member of an object of facts that the table does not know. What its members hold is decided on,
 * not held here. The same goes for a value that is not an object or cannot be walked.
 */
export function holdMembers(given: unknown, what: string, table: OptionTable): void {
  const unknown = namesOf(given).find((name) => !Object.hasOwn(table, name));
  if (unknown !== undefined)
    throw new TypeError(`the ${what} has no member \`${unknown}\`${didYouMean(unknown, table)}`);
}

function namesOf(given: unknown): readonly string[] {
  try {
    return typeof given === "object" && given !== null ? Object.keys(given) : [];
  } catch {
    return [];
  }
}

/** A table of limits that have these names. */
export function limitsTable(limits: object): OptionTable {
  return Object.fromEntries(Object.keys(limits).map((name) => [name, "limit"]));
}

function fits(value: unknown, kind: string): boolean {
  const type = typeOf(value);
  if (type === "undefined" && kind.endsWith("?")) return true;
  const kinds = kind.replace("?", "").split("|");
  return (
    kinds.includes("any") ||
    kinds.includes(type) ||
    (value === false && kinds.includes("false")) ||
    (kinds.includes("limit") && (value as number) >= 0 && type === "number")
  );
}

function typeOf(value: unknown): string {
  return value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
}

function wrong(option: string, kind: string, value: unknown): TypeError {
  const given = typeof value === "string" || typeof value === "number" ? JSON.stringify(value) : typeOf(value);
  const what = option === "" ? "the options are" : `the option \`${option}\` is`;
  const most = value === undefined ? ": leave it out, or give it" : "";
  const types = kind.replace("?", "").replace("limit", "number of zero or more").replace(/\|/g, " or ");
  return new TypeError(`${what} of type ${types}, and not ${given}${most}`);
}

/** The name with the fewest letters to change. */
function didYouMean(name: string, table: OptionTable): string {
  const [near] = Object.keys(table)
    .map((known) => ({ known, distance: distance(name.toLowerCase(), known.toLowerCase()) }))
    .filter((known) => known.distance * 3 <= name.length + 2)
    .sort((a, b) => a.distance - b.distance);
  return near === undefined ? `: there are ${Object.keys(table).join(", ")}` : `: did you mean \`${near.known}\`?`;
}

/** Letters to insert, delete or replace. */
function distance(a: string, b: string): number {
  let row = [...b, ""].map((_, i) => i);
  for (let i = 0; i < a.length; i++) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j++) {
      const replaced = (row[j] as number) + (a[i] === b[j] ? 0 : 1);
      next.push(Math.min(replaced, (row[j + 1] as number) + 1, (next[j] as number) + 1));
    }
    row = next;
  }
  return row[b.length] as number;
}
