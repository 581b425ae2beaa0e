/**
 * What a user of the packages does: compile, load, decide; with and without a family of builtins. Run in a folder where
 * they are installed: `node consume.mjs import|require POLICIES`; prints what came out as JSON.
 */
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [how, policies] = process.argv.slice(2);
const here = pathToFileURL(`${process.cwd()}/`);
const require = createRequire(here);
const get = async (name) => (how === "require" ? require(name) : import(name));

const { compile, compileModules, SourceFile } = await get("@portcullis/compiler");
const { nodeHost } = await get("@portcullis/compiler/node");
const { load, LoadError } = await get("@portcullis/runtime");
const { loadFile } = await get("@portcullis/runtime/node");
const { builtins } = await get("@portcullis/builtins");
const { jwt } = await get("@portcullis/builtins/jwt");
await get("@portcullis/runtime/abi");
await get("@portcullis/runtime/host");

const { compiled } = await compile({ host: nodeHost, dirs: [policies] });
const policy = await load(compiled.bundle);
const allowed = policy.lane({ role: "WRITER", lane: "DRAFTING" });
const denied = policy.lane({ role: "WRITER", lane: "NOWHERE" });

const text = 'package p\n\nheader := io.jwt.decode("eyJhbGciOiJub25lIn0.e30.")[0]\n';
const { compiled: module } = await compileModules({
  modules: [new SourceFile("p.rego", text)],
  entrypoints: ["p/header"],
});
const refused = await load(module.wasm).then(
  () => "loaded",
  (error) => [error instanceof LoadError, error.message],
);
const header = (await load(module.wasm, { builtins: [jwt] })).evaluate("p/header", null);
const unreadable = await loadFile("nowhere.tar.gz").catch((error) => error instanceof LoadError);

console.log(
  JSON.stringify({
    revision: compiled.revision,
    allowed: allowed.allowed,
    denied: denied.allowed,
    refused,
    header,
    unreadable,
    families: builtins.length,
  }),
);
