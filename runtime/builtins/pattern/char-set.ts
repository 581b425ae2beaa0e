/** Sets of characters as predicates over code points. */

export type CharSet = (code: number) => boolean;

export function union(sets: readonly CharSet[]): CharSet {
  return sets.length === 1 ? (sets[0] as CharSet) : (code) => sets.some((set) => set(code));
}

/** Characters that share their upper case with others, and that case conversion alone does not lead to. */
const strayCases = [..."\u017f\u212a\u212b\u2126\u03c2\u03d0\u03d1\u03d5\u03d6\u03f0\u03f1\u03f5\u1e9b\u1fbe\u00b5"];

const codeOf = (char: string): number => char.codePointAt(0) as number;

/** The characters that differ from one in the set by case only. */
export function foldedCase(set: CharSet): CharSet {
  return (code) => {
    if (set(code)) return true;
    const char = String.fromCodePoint(code);
    const [lower, upper] = [char.toLowerCase(), char.toUpperCase()];
    const forms = [lower, upper, upper.toLowerCase(), lower.toUpperCase()];
    if ([...lower].length === 1) {
      forms.push(...strayCases.filter((stray) => stray.toLowerCase() === lower || stray.toUpperCase() === upper));
    }
    return forms.some((form) => [...form].length === 1 && set(codeOf(form)));
  };
}

const ranges =
  (...pairs: readonly string[]): CharSet =>
  (code) =>
    pairs.some((pair) => code >= pair.charCodeAt(0) && code <= pair.charCodeAt(pair.length - 1));

const not =
  (set: CharSet): CharSet =>
  (code) =>
    !set(code);

const digit = ranges("09");
const word = ranges("09", "AZ", "az", "_");
const space: CharSet = (code) => code === 32 || code === 9 || code === 10 || code === 12 || code === 13;

const perl: ReadonlyMap<string, CharSet> = new Map([
  ["d", digit],
  ["s", space],
  ["w", word],
]);

/** `\d`, `\s` and `\w`, by their letter. */
export function perlClass(letter: string): CharSet | undefined {
  return perl.get(letter);
}

export const isWord = word;

const named: ReadonlyMap<string, CharSet> = new Map<string, CharSet>([
  ["alnum", ranges("09", "AZ", "az")],
  ["alpha", ranges("AZ", "az")],
  ["ascii", (code) => code < 0x80],
  ["blank", (code) => code === 9 || code === 32],
  ["cntrl", (code) => code < 32 || code === 127],
  ["digit", digit],
  ["graph", ranges("!~")],
  ["lower", ranges("az")],
  ["print", ranges(" ~")],
  ["punct", ranges("!/", ":@", "[`", "{~")],
  ["space", (code) => (code >= 9 && code <= 13) || code === 32],
  ["upper", ranges("AZ")],
  ["word", word],
  ["xdigit", ranges("09", "AF", "af")],
]);

/** `[:alpha:]` and the like; `^` before the name negates. */
export function namedClass(name: string): CharSet | undefined {
  const set = named.get(name.replace(/^\^/, ""));
  return set && name.startsWith("^") ? not(set) : set;
}

/** `\p{...}`: general categories and scripts, from the host's own Unicode tables. */
export function unicodeClass(name: string): CharSet | undefined {
  if (name === "Any") return () => true;
  if (!/^[A-Z][A-Za-z_]*$/.test(name)) return undefined;
  const expression = /^[A-Z][a-z]?$/.test(name) ? `\\p{${name}}` : `\\p{Script=${name}}`;
  try {
    // One character class against one character: no input can make this slow.
    const test = new RegExp(`^${expression}$`, "u");
    return (code) => test.test(String.fromCodePoint(code));
  } catch {
    return undefined;
  }
}
