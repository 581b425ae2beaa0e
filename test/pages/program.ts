/**
 * Runs a `ts` block as a module. A line `expression; // → value` claims what the expression is: the value must contain
 * what stands there (objects may have more members).
 */

import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { root } from "./page.ts";

const CLAIM = /^(\s*)(?:(?:const|let) (\w+) = )?(.+?); \/\/ → (.+)$/gm;

/** Claims held by vitest's `expect`. */
const BY_EXPECT =
  'import { expect as expectClaim } from "vitest";\n' +
  "const claim = (is: unknown, shown: unknown): void =>\n" +
  "  typeof shown === 'object' && shown !== null && !Array.isArray(shown) ? expectClaim(is).toMatchObject(shown) : expectClaim(is).toEqual(shown);\n";

/** The block as a module that checks its own claims. `head` defines what a claim calls: `claim(is, shown)`. */
export function withClaims(text: string, head = BY_EXPECT): { readonly text: string; readonly claims: number } {
  let claims = 0;
  const checked = text.replace(
    CLAIM,
    (_all, indent: string, name: string | undefined, expression: string, value: string) => {
      claims++;
      const subject = name ?? `(${expression})`;
      const statement = name === undefined ? "" : `const ${name} = ${expression}; `;
      return `${indent}${statement}claim(${subject}, ${value});`;
    },
  );
  return { text: claims === 0 ? checked : head + checked, claims };
}

/** Writes a block where the repository's own packages are found, and returns the file's path. */
export function writeProgram(page: string, number: number, text: string): string {
  const folder = join(root, "out", "pages");
  mkdirSync(folder, { recursive: true });
  // What a service gets from `portcullis types policies -o policy-types.ts`.
  copyFileSync(join(root, "generated", "types.ts"), join(folder, "policy-types.ts"));
  const file = join(folder, `${page.replace(/\W/g, "-")}-${number}.ts`);
  writeFileSync(file, `${text}\nexport {};\n`);
  return file;
}

/** What the type checker says of programs, under the repository's own strictness. */
export function typeErrors(files: readonly string[]): string[] {
  const path = join(root, "tsconfig.json");
  const config = ts.parseJsonConfigFileContent(ts.readConfigFile(path, ts.sys.readFile).config, ts.sys, root);
  const options: ts.CompilerOptions = {
    ...config.options,
    noUnusedLocals: false,
    lib: ["lib.es2023.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts"],
    typeRoots: [join(root, "node_modules/@types")],
  };
  const program = ts.createProgram([...files], options);
  // These files alone: `make lint` checks what they import.
  return files
    .flatMap((file) => {
      const source = program.getSourceFile(file);
      return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
    })
    .map(
      (d) =>
        `${d.file?.fileName.split("/").at(-1)}:${(d.start ?? 0).toString()} ${ts.flattenDiagnosticMessageText(d.messageText, " ")}`,
    );
}
