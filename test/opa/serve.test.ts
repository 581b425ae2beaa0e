/** `portcullis serve` beside a real OPA server: the same requests, the same statuses, the same bytes. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { load } from "@portcullis/runtime";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Server, serve } from "../../compiler/enforcement/serving/index.ts";
import { compileExample } from "./bundles.ts";
import { hasOpa, type Opa, runOpa } from "./opa.ts";
import { questions } from "./questions.ts";

const LANE = "/v1/data/portcullis/lane/decision";
const V0 = "/v0/data/portcullis/lane/decision";

describe.skipIf(!hasOpa)("serve, beside opa run --server", () => {
  const folder = mkdtempSync(join(tmpdir(), "portcullis-serve-"));
  let opa: Opa;
  let ours: Server;
  /** Tools of which a call needs a signed approval. */
  let bound: readonly unknown[] = [];

  beforeAll(async () => {
    const compiled = await compileExample("one");
    const bundle = join(folder, "bundle.tar.gz");
    writeFileSync(bundle, compiled.bundle);
    opa = await runOpa(["-b", bundle]);
    const policy = await load(compiled.wasm as Uint8Array<ArrayBuffer>);
    bound = policy.approvals?.tools ?? [];
    ours = await serve({
      served: () => ({ policy }),
      metrics: () => "",
      authzen: "authzen/evaluation",
      host: "127.0.0.1",
      port: 0,
      maxBodyBytes: 1 << 20,
      maxConnections: 100,
      requestMs: 10_000,
      graceMs: 100,
      version: "0",
      // OPA takes a request's facts as it takes all else.
      trustFacts: true,
    });
  });

  afterAll(async () => {
    await opa?.stop();
    await ours?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function both(path: string, init: RequestInit = {}): Promise<[string, string]> {
    const answer = async (url: string): Promise<string> => {
      const response = await fetch(url + path, { redirect: "manual", ...init });
      const { headers, status } = response;
      const where = headers.get("location") ?? "";
      // What is wrong with a text is said in our own words.
      const body = (await response.text()).replace(
        /("message": ?)"[^"]*(?:malformed input document|is not JSON|not an object)(?:[^"\\]|\\.)*"/,
        '$1"malformed"',
      );
      // A type of nothing says nothing.
      return `${status} ${body === "" ? "" : headers.get("content-type")} ${where}\n${body}`;
    };
    return Promise.all([answer(ours.url), answer(opa.url)]);
  }

  it("answers every question with the same bytes", async () => {
    const answers = new Set<string>();
    for (const { entrypoint, input } of questions()) {
      // OPA takes a history from its client, and this server from its own store alone. So it is with approvals that are signed.
      if (typeof input === "object" && input !== null && "facts" in input) continue;
      const isBound =
        entrypoint === "portcullis/call/decision" && bound.includes((input as { tool?: unknown } | null)?.tool);
      if (isBound) continue;
      const body = JSON.stringify({ input });
      const alike = async (query: string): Promise<string> => {
        const [mine, theirs] = await both(`/v1/data/${entrypoint}${query}`, { method: "POST", body });
        if (mine !== theirs) expect(mine, `${entrypoint}${query} ${body}`).toBe(theirs);
        return mine;
      };
      const answer = await alike("");
      // How an answer is laid out is a matter of the answer alone: each is asked for so once.
      if (!answers.has(answer)) await alike("?pretty");
      answers.add(answer);
    }
    // Answers that are all the same would say nothing of either.
    expect(answers.size).toBeGreaterThan(100);
  });

  const post = (body: BodyInit, headers = {}): RequestInit => ({ method: "POST", body, headers });
  it.each<[what: string, path: string, init?: RequestInit]>([
    ["no input", LANE],
    ["no input, posted", LANE, post("")],
    ["a member in another case", LANE, post('{"Input": {"role": "WRITER", "lane": "DRAFTING"}}')],
    ["a member twice, in two cases", LANE, post('{"input": {"role": "WRITER", "lane": "DRAFTING"}, "INPUT": {"role": "x"}}')],
    ["null behind an input", LANE, post('{"input": {"role": "WRITER", "lane": "DRAFTING"}, "inpuT": null}')],
    ["an empty object", LANE, post("{}")],
    ["null", LANE, post("null")],
    ["an input of null", LANE, post('{"input": null}')],
    ["other members beside the input", LANE, post('{"x": {"input": 1}, "input": {"role": "WRITER"}, "y": [{"input": 2}]}')],
    ["an input that stands twice", LANE, post('{"input": {"role": "WRITER", "lane": "DRAFTING"}, "input": 2}')],
    ["an escaped key", LANE, post('{"in\\u0070ut": {"role": "WRITER", "lane": "DRAFTING"}}')],
    ["white space", LANE, post(' \n{ "input" : { "role" : "WRITER" , "lane" : "DRAFTING" } } \n')],
    ["a big number", LANE, post('{"input": {"role": 123456789012345678901234567890}}')],
    ["an input as a parameter", `${LANE}?input=${encodeURIComponent('{"role":"WRITER","lane":"DRAFTING"}')}`],
    ["a broken parameter", `${LANE}?input=%7B`],
    ["an empty parameter", `${LANE}?input=`],
    ["a parameter that is not JSON", `${LANE}?input=hello`],
    ["pretty", `${LANE}?pretty=true`],
    ["not pretty", `${LANE}?pretty=false`],
    ["a member of the decision", `${LANE}/allowed`],
    ["a member that is not there", `${LANE}/allowed/x/y`],
    ["an unknown document", "/v1/data/no/such"],
    ["an unknown document, posted", "/v1/data/no/such", post('{"input": 1}')],
    ["a segment with a slash", "/v1/data/portcullis%2Flane/decision"],
    ["pretty in capitals", `${LANE}?pretty=TRUE`],
    ["pretty that is neither", `${LANE}?pretty=1`],
    ["pretty, twice", `${LANE}?pretty=false&pretty=true`],
    ["an input as a parameter, twice", `${LANE}?input=${encodeURIComponent('{"role":"WRITER","lane":"DRAFTING"}')}&input=1`],
    ["an explanation of no kind", `${LANE}?explain=nope`],
    ["a mark of byte order", LANE, post('\ufeff{"input": 1}')],
    ["a slash at the end", `${LANE}/`],
    ["a slash at the end, posted, with a query", `${LANE}/?pretty`, post('{"input": 1}')],
    ["two slashes", "/v1/data/portcullis//lane/decision"],
    ["nothing but slashes", "//?pretty"],
    ["two slashes, posted", "/v1/data//portcullis/lane/decision?pretty&x=<>", post('{"input": 1}')],
    ["v0: the body is the input", V0, post('{"role": "WRITER", "lane": "DRAFTING"}')],
    ["v0: pretty", `${V0}?pretty`, post('{"role": "WRITER", "lane": "DRAFTING"}')],
    ["v0: no body", V0, post("")],
    ["v0: null", V0, post("null")],
    ["v0: a text", V0, post('"x"')],
    ["v0: no JSON", V0, post("{")],
    ["v0: a member", `${V0}/allowed`, post("{}")],
    ["v0: a member that is not there", `${V0}/x y`, post("{}")],
    ["v0: an unknown document", "/v0/data/no/such-thing", post("{}")],
    ["the default decision, which we do not have", "/", post("{}")],
    ["the status that no plugin gives", "/v1/status"],
    ["a part of v1 that does not exist", "/v1/nope"],
    ["v0 itself", "/v0"],
    ["a body that is not packed to its end", LANE, post(new Uint8Array(gzipSync('{"input": 1}').subarray(0, 25)), { "Content-Encoding": "gzip" })],
    ["a bundle or a plugin left out of health", "/health?bundle=true&plugins&exclude-plugin=x"],
    ["health, posted", "/health", post("")],
    ["metrics, posted", "/metrics", post("")],
    ["text that Go escapes", "/v1/data/portcullis/subagent/decision", post('{"input": {"persona": "<é>&\\u2028\\u2029\\"\\\\\\u0001"}}')],
    ["explain that is off", `${LANE}?explain=off`],
    ["an unknown parameter", `${LANE}?nothing=1`],
    ["health", "/health"],
    ["health with bundles", "/health?bundles"],
    ["health with plugins", "/health?plugins"],
    ["an unknown path", "/nope"],
    ...['{"input":', "{", '{"input": }', "nul", "tru", '{"a" 1}', "{1}", '{"a": 1 "b"}', "[1 2]", '"abc', '{"input": "\\x"}', '{"input": 01}', '{"input": 1.}', '{"input": -}', '{"input": 1e}', '{"input": "\u0001"}', '{"input": "\\u12"}', "hello", "[]", "[1]", "1", '"x"', "true", "'"].map(
      (text): [string, string, RequestInit] => [`the body ${text}`, LANE, post(text)],
    ),
  ])("%s", async (_, path, init) => {
    const [mine, theirs] = await both(path, init);
    expect(mine).toBe(theirs);
  }); // biome-ignore format: a table

  it.each<[what: string, path: string, init: RequestInit, status: number]>([
    ["an explanation", `${LANE}?explain=full`, {}, 400],
    ["errors of builtins that end the evaluation", `${LANE}?strict-builtin-errors`, {}, 400],
    ["a package", "/v1/data/portcullis/lane", {}, 404],
    ["everything", "/v1/data", {}, 404],
    ["the sources", "/v1/policies", {}, 404],
    ["a query", "/v1/query?q=1", {}, 404],
    ["the configuration", "/v1/config", {}, 404],
    ["a body in YAML", LANE, post("input: 1", { "Content-Type": "application/yaml" }), 415],
    ["something behind the body", LANE, post("{} {}"), 400],
    ["a body that is not UTF-8", LANE, post(new Uint8Array([0x22, 0xff, 0x22])), 400],
    ["an unknown packing", LANE, post("{}", { "Content-Encoding": "br" }), 415],
    ["a query that is malformed", `${LANE}?input=%zz`, {}, 400],
    ["another parameter that is malformed", `${LANE}?pretty&a=%zz`, {}, 400],
    ["a query that is not UTF-8", `${LANE}?a=%ff`, {}, 400],
  ])("refuses what OPA has besides, or takes without a word: %s", async (_, path, init, status) => {
    const [mine, theirs] = await both(path, init);
    expect(mine.startsWith(`${status} `), mine).toBe(true);
    expect(mine).not.toContain('"result"');
    // As soon as it need not be: say so above.
    expect(mine).not.toBe(theirs);
  }); // biome-ignore format: a table

  it("takes gzipped bodies, and answers with metrics and provenance in OPA's members", async () => {
    const body = new Uint8Array(gzipSync('{"input": {"role": "WRITER", "lane": "DRAFTING"}}'));
    const [mine, theirs] = await both(LANE, { method: "POST", body, headers: { "Content-Encoding": "gzip" } });
    expect(mine).toBe(theirs);
    const provenance = ["version", "build_commit", "build_timestamp", "build_hostname", "bundles"];
    for (const [query, members] of [
      ["?metrics", ["metrics", "result"]],
      ["?provenance", ["provenance", "result"]],
      ["?metrics&provenance", ["provenance", "metrics", "result"]],
      ["?instrument", ["metrics", "result"]],
    ] as const) {
      const texts = await both(LANE + query, post('{"input": 1}'));
      for (const text of texts) {
        const answer = JSON.parse(text.slice(text.indexOf("\n"))) as Record<string, Record<string, unknown>>;
        expect(Object.keys(answer)).toEqual(members);
        const metrics = answer["metrics"];
        if (metrics !== undefined) expect(metrics["timer_rego_query_eval_ns"]).toBeTypeOf("number");
        // Without a bundle's revision, ours has no bundles to name.
        if (answer["provenance"] !== undefined) expect(Object.keys(answer["provenance"])).toEqual(provenance);
      }
    }
  });
});
