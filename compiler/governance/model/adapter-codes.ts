/** Findings on `adapters` of portcullis.yaml. */

import { defineCodes } from "@portcullis/rego/diagnostics";

export const adapterCodes = defineCodes({
  "model/malformed-header": {
    severity: "error",
    message: "`{name}` is not a header name in lower case",
    explain:
      "Envoy gives the names of headers in lower case. One that is written otherwise would never be found, and the member that it gives would be missing. Write letters, digits, `-` and `_`.",
  },
  "model/malformed-route-path": {
    severity: "error",
    message: "`{path}` is not the path of a route",
    explain:
      "A path begins with `/`, and its segments are letters, digits and `-._~:@`, or `{key}` for any segment. Empty segments, `.`, `..` and escapes are denied in requests, so that a route with them would fit none.",
  },
  "model/undefined-mapped-tool": {
    severity: "warning",
    message: "`adapters` maps to tool `{tool}`, which the registry does not define",
    explain:
      "Such requests are denied as `tool_not_registered`. Either the id is misspelt, or the tool has yet to be added to tool_registry.yaml.",
  },
  "model/undefined-mapped-lane": {
    severity: "warning",
    message: "`adapters` maps to lane `{lane}`, which is not defined",
    explain:
      "Such requests are denied as `lane_not_authorized`. Either the id is misspelt, or lanes.yaml lacks the lane.",
  },
  "model/mapped-twice": {
    severity: "error",
    message: "`{name}` is mapped twice",
    explain:
      "A name of a tool, an action or a key of the scope has one meaning. With two, which one holds would depend on their order. Remove one.",
  },
  "model/overlapping-routes": {
    severity: "error",
    message: "a request may fit both `{path}` and `{other}`",
    explain:
      "A request that fits two routes is denied, because it would be two calls. Give the routes different methods, lengths or segments.",
  },
});
