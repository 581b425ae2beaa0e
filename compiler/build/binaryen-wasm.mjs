/**
 * An esbuild plugin. binaryen carries its wasm as a text of 13 million characters, which JavaScript has to read several
 * times over. Here the wasm becomes a file, `dist/binaryen.wasm.gz`, and all bundles, each in a folder of its own beside it,
 * read that: most of the time that importing binaryen takes is gone, and the package holds it once, in a third of its size.
 *
 * The module waits for its wasm while it is imported, which `require` cannot do. Here it exports what it waits for
 * (compiler/rego/wasm/binaryen.ts awaits either).
 */
import { readFileSync, writeFileSync } from "node:fs";
import { runInNewContext } from "node:vm";
import { gzipSync } from "node:zlib";

/** `file`: where the wasm is written; `last`: a line to end the module with. */
export const binaryenWasm = (file, last) => ({
  name: "binaryen-wasm",
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]node_modules[\\/]binaryen[\\/]index\.js$/ }, ({ path }) => {
      const text = readFileSync(path, "utf8");
      const { start, end, bytes } = embeddedWasm(text);
      writeFileSync(file, gzipSync(bytes, { level: 9 }));
      return { contents: `${withoutWaiting(text.slice(0, start) + READ + text.slice(end))}\n${last}`, loader: "js" };
    });
  },
});

/** An expression in an async function: the file's bytes, from the disk or, for a page, from where the code came from. */
const READ =
  '(await(async(url)=>{const packed=url.protocol==="file:"?await(await import("node:fs/promises")).readFile(url)' +
  ":await(await fetch(url)).arrayBuffer();" +
  'const bytes=new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));' +
  "return new Uint8Array(await new Response(bytes).arrayBuffer())})" +
  '(new URL("../binaryen.wasm.gz",import.meta.url)))';

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

/** `var a=await f(),b=a;export{b as default};`, the module's end, without the `await`. */
function withoutWaiting(text) {
  const end = /var ([\w$]+)=await ([\w$]+\(\)),([\w$]+)=\1;export\{\3 as default\};\s*$/;
  if (!end.test(text)) throw new Error("binaryen no longer ends by waiting for itself");
  return text.replace(end, "var $1=$2,$3=$1;export{$3 as default};");
}
