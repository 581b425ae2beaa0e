/**
 * Changes the guards of the runtime in one place at a time, and asks whether a guard still runs what was allowed, and that
 * alone. Prints the mutants that were not noticed; exit 1 when there are others than those listed below.
 */
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import type { Guards } from "./guard-fakes.ts";
import { guardsHold } from "./guards-battery.ts";
import { type HostMutant, hostMutantsOf } from "./mutants.ts";
import { note, type Row } from "./results.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const folder = join(root, "runtime");
const builds = join(root, "out/guard-mutants");

/** Mutants that cannot be noticed, or that the battery does not, each with the reason: `file operation written`, with ` -> to` where not all ways to change it are meant. */
const EQUIVALENT: Readonly<Record<string, string>> = {
  "guard-turn.ts conjunct dropped warnAfter !== undefined && milliseconds > warnAfter":
    "nothing is over an absent limit",
  'guard-turn.ts conjunct dropped typeof value === "string" && value.trim() !== ""': "an empty text is 0, and no limit",
  "guard-turn.ts conjunct dropped Number.isFinite(limit) && limit > 0":
    "nothing is over infinity, and NaN is not above 0",
  "guard-turn.ts conjunct dropped log || undefined -> log":
    "calling a value that is not a function throws, which is ignored as a broken sink is; the type wants it asked",
  'guarding.ts condition is true typeof (told as { readonly then?: unknown } | undefined)?.then === "function"':
    "any other value is made a promise, and nothing comes of it",
  'own.ts conjunct dropped typeof holder !== "object" || holder === null':
    "a value other than an object has none of the names",
  "overruled.ts condition is false isSure && counts === undefined":
    "of a call with neither, the rule lets every answer stand",
  "frozen-copy.ts conjunct dropped length >>> 0 !== length || length > left": "the count of values refuses it, later",
  "frozen-copy.ts other constant true": "the copy is frozen, and nothing of it configurable",
  'frozen-copy.ts conjunct dropped property !== undefined && !("value" in property)':
    "a member that is not there is refused either way",
  "frozen-copy.ts condition is false Interned.is(item)":
    "the battery has no module that makes handles; the guard's own suite has",
};

async function guards(name: string, mutant?: HostMutant): Promise<Guards> {
  const outfile = join(builds, `${name}.mjs`);
  const contents = `export { guardTool, guardTools } from "./governance/guard-tool.ts"; export { guardTurn } from "./governance/guard-turn.ts"; export { overruled } from "./governance/overruled.ts";`;
  await build({
    stdin: { contents, resolveDir: folder, loader: "ts" },
    ...{ outfile, bundle: true, platform: "node", format: "esm", logLevel: "silent" },
    plugins: [
      {
        name: "mutant",
        setup: ({ onLoad }) =>
          onLoad({ filter: /\.ts$/ }, ({ path }) =>
            path === mutant?.file ? { contents: mutant.text, loader: "ts" } : undefined,
          ),
      },
    ],
  });
  return (await import(pathToFileURL(outfile).href)) as Guards;
}

mkdirSync(builds, { recursive: true });
const sane = await guardsHold(await guards("sane"));
if (sane !== undefined) {
  console.error(`the battery refuses what is not changed at all: ${sane}`);
  process.exit(2);
}
const files = [
  ...["guard-tool", "guard-turn", "guarding", "call-audit", "overruled"].map((name) => `governance/${name}.ts`),
  ...["encode/frozen-copy.ts", "host/own.ts"],
];
const rows: Row[] = [];
for (const path of files) {
  const [file, name] = [join(folder, path), basename(path)];
  const count = { killed: 0, refused: 0, equivalent: 0, survived: 0 };
  const mutants = hostMutantsOf(file, readFileSync(file, "utf8"));
  for (const [i, mutant] of mutants.entries()) {
    const { line, operation, written, to } = mutant;
    const change = `${name} ${operation} ${written}`;
    // What throws while it is loaded was noticed.
    const made = await guards(`${name}-${i}`, mutant).catch((error: { readonly errors?: unknown }) => error);
    if ("errors" in made) count.refused += 1;
    else if (!("guardTurn" in made) || (await guardsHold(made as Guards)) !== undefined) count.killed += 1;
    else if ((EQUIVALENT[change] ?? EQUIVALENT[`${change} -> ${to}`]) !== undefined) count.equivalent += 1;
    else {
      count.survived += 1;
      console.log(`survived  ${name}:${line}  ${operation}  ${written.slice(0, 100)}`);
    }
  }
  rows.push({ file: `runtime/${path}`, mutants: mutants.length, ...count });
}
rmSync(builds, { recursive: true, force: true });
note(rows, (file) => !existsSync(join(root, file)));
const sum = (of: (row: Row) => number): number => rows.reduce((total, row) => total + of(row), 0);
const survived = sum((row) => row.survived);
console.log(
  `${sum((row) => row.mutants)} mutants of guards: ${sum((row) => row.killed)} killed, ${sum((row) => row.refused)} refused, ${survived} survived, ${sum((row) => row.equivalent)} survived and are listed`,
);
process.exit(survived > 0 ? 1 : 0);
