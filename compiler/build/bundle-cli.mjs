/**
 * Makes the command line start fast: dist/cli and everything that it imports become a few files in dist/bin, one for each
 * command and what commands share, so that Node opens ten files and not five hundred. The library (dist/index.js) stays as
 * it is. Same sources, same bytes.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { runInNewContext } from "node:vm";
import { build } from "esbuild";

const compiler = new URL("../", import.meta.url);
const output = new URL("dist/bin/", compiler);

/**
 * binaryen carries its wasm as a text of 13 million characters, which JavaScript has to read several times over. Here the
 * wasm becomes a file beside the code, and the code reads that: most of the time that importing binaryen takes is gone.
 */
const wasmOfBinaryen = {
  name: "wasm-of-binaryen",
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]node_modules[\\/]binaryen[\\/]index\.js$/ }, ({ path }) => {
      const text = readFileSync(path, "utf8");
      const { start, end, bytes } = embeddedWasm(text);
      writeFileSync(new URL("binaryen.wasm", output), bytes);
      const read = '(await import("node:fs")).readFileSync(new URL("binaryen.wasm",import.meta.url))';
      return { contents: text.slice(0, start) + read + text.slice(end), loader: "js" };
    });
  },
};

/** The call that turns a text into bytes, `name(`\0asm…`)`: code unit 256 stands for zero. */
function embeddedWasm(text) {
  const calls = [...text.matchAll(/[\w$]+\(`\\0asm/g)];
  const [call] = calls;
  if (calls.length !== 1 || call === undefined) throw new Error("binaryen no longer carries its wasm as one text");
  const open = call.index + call[0].indexOf("`");
  let close = open + 1;
  while (text[close] !== "`") close += text[close] === "\\" ? 2 : 1;
  const cooked = runInNewContext(text.slice(open, close + 1));
  const bytes = Uint8Array.from(cooked, (c) => (c.charCodeAt(0) === 256 ? 0 : c.charCodeAt(0)));
  if (text[close + 1] !== ")" || !WebAssembly.validate(bytes)) throw new Error("binaryen's wasm cannot be taken out");
  return { start: call.index, end: close + 2, bytes };
}

rmSync(output, { recursive: true, force: true });
mkdirSync(output, { recursive: true });
await build({
  entryPoints: [fileURLToPath(new URL("dist/cli/main.js", compiler))],
  outdir: fileURLToPath(output),
  bundle: true,
  splitting: true,
  platform: "node",
  target: "node20",
  format: "esm",
  minifyWhitespace: true,
  minifySyntax: true,
  legalComments: "linked",
  // Packages in the older module format ask for Node's modules by `require`.
  banner: {
    js: 'import{createRequire as portcullisRequire}from"node:module";const require=portcullisRequire(import.meta.url);',
  },
  external: ["@open-policy-agent/opa-wasm"],
  plugins: [wasmOfBinaryen],
  logLevel: "warning",
});
