/** `adapters` of portcullis.yaml. Model and data have them in another form, which is read and lowered by hand: no entry has a name. */

import { choice, names, rows, section, text } from "./field.ts";

export const ADAPTERS = section(
  "Requests of other protocols, as calls.",
  {
    envoy: section("Envoy's external authorization: `portcullis/envoy/authz` is in the bundle where this is.", {
      headers: section(
        "Headers that say who calls, in lower case. Envoy must remove what a client sends under their names.",
        {
          role: text("Decides: the header that holds the caller's role.", { required: true }),
          lane: text("Decides: the header that holds the lane, for routes without one of their own."),
          lineage: text("Decides: the header that holds the chain of agents, as JSON."),
          approval: text("Decides: the header that holds a person's approval, as JSON."),
          scope: rows("Headers that hold parts of the call's scope.", {
            key: text("Decides: a key of the call's scope.", { required: true }),
            header: text("Decides: the header that holds its value.", { required: true }),
          }),
        },
        { required: true },
      ),
      routes: rows(
        "What an HTTP request does. A request that no route or more than one fits is denied.",
        {
          method: text("Decides: the method, in capitals.", { required: true }),
          path: text("Decides: the path; `{key}` stands for one segment, which becomes that key of the scope.", {
            required: true,
          }),
          tool: text("Decides: the tool of the registry that such a request calls.", { required: true }),
          lane: text("Decides: the lane in which it is called; default: what the header says."),
          query: names("Decides: parameters that the query may have, each once; they become keys of the scope."),
          body: choice(
            ["ignored", "json"],
            "Decides: `json`: the body must be a JSON object that is there as a whole, and is the call's arguments; default `ignored`.",
          ),
          scope: rows("The call's scope.", {
            key: text("Decides: a key of the call's scope.", { required: true }),
            argument: text("Decides: the member of the body that holds its value.", { required: true }),
          }),
          flags: names("Decides: flags that such a request raises."),
          writes: rows("What such a call writes.", {
            table: text("Decides: a table that such a call writes.", { required: true }),
            mode: text("Decides: how it writes it: `append`, or another mode of the lanes.", { required: true }),
          }),
        },
        { required: true },
      ),
    }),
    authzen: section("AuthZEN's access evaluation: `portcullis/authzen/evaluation` is in the bundle where this is.", {
      subject_type: text("Decides: the type of subjects whose id is a role.", { required: true }),
      resource_type: text("Decides: the type of resources whose id is a tool of the registry.", { required: true }),
      actions: rows(
        "What subjects may want to do.",
        {
          name: text("Decides: the name of an action.", { required: true }),
          lane: text("Decides: the lane in which it is done.", { required: true }),
        },
        { required: true },
      ),
      ignored_context: names(
        "Decides: members of the context that are passed over; other unknown members are a denial.",
      ),
    }),
    mcp: section("Tool calls of the Model Context Protocol: `portcullis/mcp/call` is in the bundle where this is.", {
      tools: rows(
        "The tools of servers. One that is not here is denied.",
        {
          name: text("Decides: the tool's name in the protocol.", { required: true }),
          tool: text("Decides: the tool of the registry that it is.", { required: true }),
          scope: rows("The call's scope.", {
            key: text("Decides: a key of the call's scope.", { required: true }),
            argument: text("Decides: the argument that holds its value.", { required: true }),
          }),
          flags: names("Decides: flags that such a call raises."),
          writes: rows("What such a call writes.", {
            table: text("Decides: a table that such a call writes.", { required: true }),
            mode: text("Decides: how it writes it: `append`, or another mode of the lanes.", { required: true }),
          }),
        },
        { required: true },
      ),
    }),
  },
  { nullable: true },
);
