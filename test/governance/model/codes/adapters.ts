/** Findings in the mappings of other protocols. */

import { type Fixtures, HARNESS } from "./fixture.ts";

const envoy = (routes: string, headers = "role: x-role"): string =>
  `adapters:\n  envoy:\n    headers: { ${headers} }\n    routes:\n${routes}`;
const route = (path: string, rest = "tool: t"): string => `      - { method: GET, path: "${path}", ${rest} }\n`;
const at = (text: string): { readonly [file: string]: string } => ({ ...HARNESS, "portcullis.yaml": text });

export const ADAPTERS: Fixtures = {
  "model/malformed-header": {
    files: at(envoy(route("/a"), "role: X-Role")),
    at: ["portcullis.yaml:3:22"],
    marked: "X-Role",
  },
  "model/malformed-route-path": [
    { files: at(envoy(route("/a//b"))), at: ["portcullis.yaml:5:30"] },
    { files: at(envoy(route("/a/../b"))), at: ["portcullis.yaml:5:30"] },
    { files: at(envoy(route("a"))), at: ["portcullis.yaml:5:30"], message: "`a` is not the path of a route" },
    { files: at(envoy(route("/a%20b"))), at: ["portcullis.yaml:5:30"] },
    { files: at(envoy(route("/a}b"))), at: ["portcullis.yaml:5:30"] },
  ],
  "model/undefined-mapped-tool": [
    {
      files: at(envoy(route("/a", "tool: tt"))),
      at: ["portcullis.yaml:5:42"],
      message: "`adapters` maps to tool `tt`, which the registry does not define",
      help: "did you mean `t`?",
    },
    { files: at("adapters: { mcp: { tools: [{ name: x, tool: u }] } }\n"), at: ["portcullis.yaml:1:45"] },
  ],
  "model/undefined-mapped-lane": [
    { files: at(envoy(route("/a", "tool: t, lane: M"))), at: ["portcullis.yaml:5:51"] },
    {
      files: at("adapters:\n  authzen: { subject_type: r, resource_type: t, actions: [{ name: x, lane: M }] }\n"),
      at: ["portcullis.yaml:2:76"],
    },
  ],
  "model/mapped-twice": [
    {
      files: at("adapters: { mcp: { tools: [{ name: x, tool: t }, { name: x, tool: t }] } }\n"),
      at: ["portcullis.yaml:1:58"],
    },
    {
      files: at(
        "adapters:\n  authzen: { subject_type: r, resource_type: t, actions: [{ name: x, lane: L }, { name: x, lane: L }] }\n",
      ),
      at: ["portcullis.yaml:2:89"],
    },
    { files: at(envoy(route("/a/{k}", "query: [k], tool: t"))), at: ["portcullis.yaml:5:48"] },
    { files: at(envoy(route("/a/{k}/{k}"))), at: ["portcullis.yaml:5:30"] },
  ],
  "model/unknown-offers": {
    files: at("mcp: { resources: all }\n"),
    at: ["portcullis.yaml:1:19"],
    message: "`mcp.resources` is `all`, which is neither `pass` nor a list",
  },
  "model/undefined-offer-lane": {
    files: at("mcp: { prompts: [{ lane: LL, names: [a] }] }\n"),
    at: ["portcullis.yaml:1:26"],
    help: "did you mean `L`?",
  },
  "model/offers-open": [
    { files: at("mcp: { resources: pass }\n"), at: ["portcullis.yaml:1:19"] },
    {
      files: at("mcp: { prompts: pass }\n"),
      at: ["portcullis.yaml:1:17"],
      message: "all prompts of a server may be read, in every lane",
    },
  ],
  "model/overlapping-routes": {
    files: at(envoy(route("/a/b") + route("/a/b", "tool: t, lane: L"))),
    at: ["portcullis.yaml:6:30"],
    message: "a request may fit both `/a/b` and `/a/b`",
  },
};
