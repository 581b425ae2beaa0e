/**
 * A gate is known by its METADATA. Gates are added to a copy of the library, the build's generators run over it, and everything
 * that lists, explains, hovers, shows, proves or documents gates knows them: no file of TypeScript was changed.
 */

import { readFileSync } from "node:fs";
import { builtins } from "@portcullis/builtins";
import { load, type Policy } from "@portcullis/runtime";
import { beforeAll, describe, expect, it, vi } from "vitest";
import type { LibraryFile } from "../../../compiler/governance/library/library.embedded.ts";

/** A gate of data and one of the request, for tools; one that judges what a contract declares. */
const { added } = vi.hoisted(() => {
  const metadata = (gate: string, depends: string, rule: string, reason: string, says: string): string =>
    `# METADATA\n# custom:\n#   gate: ${gate}\n#   rule: ${rule}\n#   depends: ${depends}\n#   says:\n#     ${reason}: ${says}\n`;
  const allows: { readonly [name: string]: string } = {
    "tool.rego": '} else := {"allowed": true, "gate": "ALLOW", "reason": "tool_allowed"}',
    "exec.rego": '} else := denied("CONTRACT_MODE",',
  };
  const parts: { readonly [name: string]: readonly { branch: string; rule: string }[] } = {
    "tool.rego": [
      {
        branch:
          '} else := {"allowed": false, "gate": "TOOL_HOMED", "reason": "tool_without_home"} if {\n\tnot tool_homed\n',
        rule: `${metadata("TOOL_HOMED", "data", "the tool has a home", "tool_without_home", "tool {tool} names no lane")}tool_homed if count(policy.tools[input.tool].lanes) > 0\n`,
      },
      {
        branch:
          '} else := {"allowed": false, "gate": "TICKET", "reason": "ticket_missing"} if {\n\tticket_needed\n\tnot ticket_given\n',
        rule: `${metadata("TICKET", "request", "there is a ticket", "ticket_missing", "role {role} needs a ticket")}ticket_given if input.scope.ticket\n\nticket_needed if policy.tools[input.tool].scope_keys.ticket\n`,
      },
    ],
    "exec.rego": [
      {
        branch: '} else := denied("VAULT", "vault_declared") if {\n\tvault_declared\n',
        rule: `${metadata("VAULT", "request\n#   judges: contract", "no contract names the vault", "vault_declared", "the contract names the vault")}vault_declared if "vault" in input.contract.declared_targets\n`,
      },
    ],
  };
  return {
    added: (name: string, text: string): string => {
      const all = parts[name] ?? [];
      const at = allows[name] ?? "";
      if (all.length > 0 && !text.includes(at)) throw new Error(`${name} has no place for a gate`);
      const branches = all.map(({ branch }) => branch).join("");
      return [text.replace(at, () => branches + at), ...all.map(({ rule }) => rule)].join("\n");
    },
  };
});

vi.mock("../../../compiler/governance/library/library.embedded.ts", async (original) => {
  const library = await original<typeof import("../../../compiler/governance/library/library.embedded.ts")>();
  const libraryModules = library.libraryModules.map(
    ({ name, text }): LibraryFile => ({ name, text: added(name, text) }),
  );
  return { ...library, libraryModules };
});

vi.mock("../../../runtime/governance/gates.ts", async () => {
  const { gateTable } = await import("../../../compiler/build/answers.ts");
  const { default: ts } = await import("typescript");
  const options = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ESNext };
  const { outputText } = ts.transpileModule(gateTable(), { compilerOptions: options });
  return (await import(
    /* @vite-ignore */ `data:text/javascript,${encodeURIComponent(outputText)}`
  )) as typeof import("../../../runtime/governance/gates.ts");
});

const { compile } = await import("../../../compiler/governance/pipeline.ts");
const { explain, listGrants, openBundle, prove } = await import("../../../compiler/governance/review/index.ts");
const { virtualHost } = await import("../sources/virtual-host.ts");

const tool = (name: string, rest: string): string =>
  `  - { tool_name: ${name}, enabled: true, implementation_status: implemented, approval: none${rest} }\n`;
const FILES = {
  "roles.yaml": "roles: [{ role_id: WRITER }]\n",
  "lanes.yaml":
    "lanes:\n  - lane_id: DESK\n    allowed_callers: { roles: [WRITER] }\n    allowed_actions: { tools: [draft, stray, mail] }\n",
  "tool_registry.yaml": `tools:\n${tool("draft", ", allowed_lanes: [DESK]")}${tool("stray", "")}${tool("mail", ", allowed_lanes: [DESK], required_scope_keys: [ticket]")}`,
  "exec.yaml": "modes: [newsroom]\nstaging_root: /srv/queue\n",
  "portcullis.yaml": "call: { lineage: optional }\n",
};

let bundle: Uint8Array;
let policy: Policy;
beforeAll(async () => {
  const { compiled, diagnostics } = await compile({ host: virtualHost({ p: FILES }), dirs: ["p"] });
  if (compiled === undefined) throw new Error(diagnostics.map((d) => d.message).join("\n"));
  bundle = compiled.bundle;
  policy = await load(bundle);
});

async function opened() {
  const result = await openBundle("p", bundle, { builtins });
  if (!result.ok) throw new Error(result.problem.message);
  return result.value;
}

describe("a gate that was added to the library", () => {
  it("decides", () => {
    const ask = (name: string): unknown => policy.tool({ role: "WRITER", lane: "DESK", tool: name }).gate;
    expect(["draft", "stray", "mail"].map(ask)).toEqual(["ALLOW", "TOOL_HOMED", "TICKET"]);
  });

  it("is a grant of `list` where a request can pass it, and none where the data decides", async () => {
    const grants = listGrants(await opened());
    expect(grants.ok && grants.value.lanes).toEqual([
      { role: "WRITER", lane: "DESK", tools: [{ tool: "draft" }, { tool: "mail", gate: "TICKET" }] },
    ]);
  });

  it("has its sentence in an explanation", async () => {
    const inputJson = JSON.stringify({ role: "WRITER", lane: "DESK", tool: "stray" });
    const explained = await explain(await opened(), { entrypoint: "portcullis/tool/decision", inputJson });
    const failed = explained.ok ? explained.value.steps.filter((s) => s.isGate && s.status === "failed") : [];
    expect(failed).toMatchObject([{ gate: "TOOL_HOMED", says: "tool stray names no lane" }]);
  });

  it("proves what the data decides, and not what a request may pass", async () => {
    const { SourceFile } = await import("../../../compiler/rego/diagnostics/source-file.ts");
    const claims = `claims:
  - never: { decision: tool, role: WRITER, lane: DESK, tool: stray }
  - never: { decision: tool, role: WRITER, lane: DESK, tool: mail }
  - always: { decision: tool, role: WRITER, lane: DESK, tool: stray }
`;
    const proof = await prove(await opened(), { claims: new SourceFile("claims.yaml", claims) });
    const [stray, mail, always] = proof.ok ? proof.value.properties.slice(-3) : [];
    expect(stray?.counterexamples).toEqual([]);
    expect(JSON.stringify(mail?.counterexamples)).toContain(
      "only TICKET denies it, which depends on what a request says",
    );
    expect(JSON.stringify(always?.counterexamples)).toContain("TOOL_HOMED");
  });

  it("hides a tool from the clients of a gateway where the data decides, and no other", async () => {
    const { Verdicts } = await import("../../../compiler/enforcement/gateway/verdicts.ts");
    const { NO_TOOLS } = await import("../../../compiler/enforcement/gateway/index.ts");
    const caller = { role: "WRITER", lane: "DESK", scope: {}, flags: [] };
    const verdicts = new Verdicts(policy, caller, NO_TOOLS, () => {});
    const visible = await Promise.all(["draft", "stray", "mail", "unknown"].map((name) => verdicts.visible(name)));
    expect(visible).toEqual([true, false, true, false]);
  });

  it("is told by the editor, of the tool and of the gate", async () => {
    const { PolicySet } = await import("../../../compiler/governance/editor/language-server/policy-set.ts");
    const { describeId } = await import("../../../compiler/governance/editor/language-server/describe.ts");
    const set = new PolicySet("p", virtualHost({ p: FILES }));
    expect(describeId(set, "tool", "draft")).toContain("may be used in every lane that lists it");
    expect(describeId(set, "tool", "stray")).toContain("**denied everywhere**: tool stray names no lane");
    expect(describeId(set, "gate", "TOOL_HOMED")).toContain("tool: `tool_without_home`: tool {tool} names no lane");
  });

  it("is held against what a contract declares, before it is signed", async () => {
    const { signContract } = await import("../../../compiler/enforcement/execution/sign-contract.ts");
    const { sessionSecret } = await import("../../../compiler/enforcement/execution/session.ts");
    const secret = sessionSecret({ PORTCULLIS_SESSION_SECRET: "0123456789abcdef".repeat(4) });
    if (secret === undefined) throw new Error("no secret");
    const contract = (target: string) => ({
      contract_id: "c-1",
      mode: "newsroom",
      status: "open",
      created_at: "2026-03-02T09:00:00Z",
      expires_at: "2026-03-03T09:00:00Z",
      baseline_sha: "a".repeat(40),
      contract_root: "/no/such/folder",
      declared_targets: [target],
      declared_operations: ["WRITE"],
    });
    const sign = (target: string): string => {
      const signed = signContract("c", contract(target), secret, { policy, now: Date.parse("2026-03-02T10:00:00Z") });
      return signed.ok ? "signed" : signed.problem.message;
    };
    expect(sign("vault")).toContain("the contract names the vault");
    // What is wrong with this one is its folder.
    expect(sign("notes")).toContain("`contract_root`");
  });

  it("stands in the reference, in the types, and in what is enforced", async () => {
    const { decisionsPage } = await import("../../../compiler/build/reference/decisions.ts");
    const { enforcementPage } = await import("../../../compiler/build/reference/enforcement.ts");
    const { answerTypes } = await import("../../../compiler/build/answers.ts");
    expect(decisionsPage()).toContain("| `TOOL_HOMED` | `tool_without_home` | `not tool_homed` |");
    const page = readFileSync(new URL("../../../compiler/ENFORCEMENT.md", import.meta.url), "utf8");
    expect(enforcementPage(page)).toContain("| the tool has a home | decides | `tool:TOOL_HOMED` |");
    expect(answerTypes()).toContain('Denied<"TOOL_HOMED", "tool_without_home">');
  });
});
