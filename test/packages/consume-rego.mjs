/**
 * What a user of @portcullis/rego does: each of its five functions, over texts. Run in a folder where it and its runtime are
 * installed, and nothing else of ours: `node consume-rego.mjs import|require`; prints what came out as JSON.
 */
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [how] = process.argv.slice(2);
const require = createRequire(pathToFileURL(`${process.cwd()}/`));
const get = async (name) => (how === "require" ? require(name) : import(name));

const { check, compile, diagnosticText, format, parse, test } = await get("@portcullis/rego");
const { load } = await get("@portcullis/runtime");

const modules = {
  "authz.rego": "package authz\n\ndefault allow := false\n\nallow if input.user == data.owner\n",
  "authz_test.rego": 'package authz_test\n\nimport data.authz\n\ntest_ann if authz.allow with input.user as "ann"\n',
};
const data = { owner: "ann" };
const { compiled } = await compile({ modules, data, entrypoints: ["authz/allow"] });
const policy = await load(compiled.bundle);
const wrong = check({ modules: { "a.rego": "package a\n\nx := unknown\n" } });

console.log(
  JSON.stringify({
    answers: ["ann", "bob"].map((user) => policy.evaluate("authz/allow", { user })),
    found: [check({ modules, data }).ok, wrong.ok, diagnosticText(wrong.diagnostics[0]).split("\n")[0]],
    formatted: format("package a\nx  :=  1\n").text,
    rules: parse(modules["authz.rego"]).module.rules.length,
    tests: (await test({ modules, data })).results.map(({ name, outcome }) => `${name} ${outcome}`),
    compiler: await get("@portcullis/compiler").then(
      () => "is there",
      (error) => error.code,
    ),
  }),
);
