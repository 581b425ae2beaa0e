/** Where a file lies that a host's own tool will open: the tool reads the text itself, so that every host has to read it alike. */

import { closeSync, mkdirSync, mkdtempSync, openSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { load, type Policy } from "@portcullis/runtime";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { answerHook, type Caller, NO_TOOLS } from "../../../compiler/enforcement/gateway/index.ts";
import { compile } from "../../../compiler/governance/pipeline.ts";
import { virtualHost } from "../../governance/sources/virtual-host.ts";
import { HOSTS, PAYLOADS } from "./hook-payloads.ts";

const SET = {
  "portcullis.yaml": "{}",
  "roles.yaml": "roles:\n  - { role_id: R, privileges: { lanes: [L] } }\n",
  "lanes.yaml":
    "lanes:\n  - { lane_id: L, allowed_callers: { roles: [R] }, allowed_actions: { tools: [write, replace] } }\n",
  "tool_registry.yaml": `tools:
${["write", "replace"]
  .map(
    (name) => `  - tool_name: ${name}
    enabled: true
    implementation_status: implemented
    arguments: { file_path: { paths: { below: [docs, "@a"], except: [docs/keys] } } }
`,
  )
  .join("")}`,
};
const caller: Caller = { role: "R", lane: "L", scope: {}, flags: [] };

let policy: Policy;
let root = "";
/** `docs`, as this process has it open: another one has something else there. */
let opened = -1;
beforeAll(async () => {
  const { compiled, diagnostics } = await compile({ host: virtualHost({ set: SET }), dirs: ["set"] });
  if (compiled === undefined) throw new Error(diagnostics.map(({ message }) => message).join("\n"));
  policy = await load(compiled.bundle);
  root = realpathSync(mkdtempSync(join(tmpdir(), "portcullis-hook-paths-")));
  for (const folder of ["docs/releases/2026/11", "docs/sub", "infra/docs"])
    mkdirSync(join(root, folder), { recursive: true });
  symlinkSync("releases/2026/11", join(root, "docs/latest"));
  symlinkSync("sub", join(root, "docs/short"));
  opened = openSync(join(root, "docs"), "r");
  symlinkSync(`/dev/fd/${opened}`, join(root, "docs/here"));
  symlinkSync("here", join(root, "docs/again"));
  symlinkSync("../infra", join(root, "docs/caf\u00e9"));
  for (const file of ["docs/there.md", "infra/docs/plan.md", "docs/100% sure.md"]) writeFileSync(join(root, file), "");
});
afterAll(() => {
  closeSync(opened);
  rmSync(root, { recursive: true });
});

async function verdict(host: (typeof HOSTS)[number], file_path: string, tool = "write", cwd = root): Promise<string> {
  const payload = { ...PAYLOADS[host](tool, { file_path }), ...(host === "generic" ? {} : { cwd }) };
  const given = { policy, caller, tools: NO_TOOLS, root, record: () => {} };
  const answer = await answerHook(JSON.stringify(payload), given, { format: host, ask: false });
  return answer.verdict === "allow" ? "allow" : (/, (\w+);/.exec(answer.message)?.[1] ?? answer.message);
}

describe.each(HOSTS)("the file of a call that %s asks about", (host) => {
  it.each([
    "docs/new.md",
    "docs/there.md",
    "docs/latest/new.md",
    "docs/sub/../new.md",
    "docs/short/../new.md",
    "docs/100% sure.md",
    "docs/./new.md",
  ])("is decided on where every reader finds it: %s", async (text) => {
    expect(await verdict(host, text)).toBe("allow");
    expect(await verdict(host, join(root, text))).toBe("allow");
  });

  it("is not decided where `..` stands behind a link: the file system follows the link first, and hosts do not", async () => {
    // A reader that joins texts finds the project's root, and the file system a folder below `docs`.
    for (const text of ["docs/latest/../../new.md", `${root}/docs/latest/../../new.md`])
      expect(await verdict(host, text), text).toBe("path_unresolved");
  });

  it.each(["docs/keys\u00a0", "docs/keys\u3000", "docs/keys\u2028", "docs/keys "])(
    "is not decided where hosts cut white space off: %j",
    async (text) => {
      expect(await verdict(host, text)).toBe("path_unresolved");
    },
  );

  it("is not decided where a host reads escapes of URLs", async () => {
    for (const text of ["docs/%6beys", "docs/%2e%2e/new.md", "docs/a%2Fb"])
      expect(await verdict(host, text), text).toBe("path_unresolved");
  });

  it("is not decided where a host passes over an `@` that stands first", async () => {
    expect(await verdict(host, "@a/../new.md")).toBe("path_unresolved");
    expect(await verdict(host, "@a/new.md")).toBe("path_unresolved");
    expect(await verdict(host, "docs/@a/new.md")).toBe("allow");
  });

  it("is not decided where a host composes characters, and a link has the composed name", async () => {
    expect(await verdict(host, "docs/cafe\u0301/main.tf")).toBe("path_unresolved");
  });

  it.runIf(process.platform === "linux")("is not decided where each process finds another file", async () => {
    for (const folder of [
      `/proc/self/fd/${opened}`,
      `/proc/thread-self/fd/${opened}`,
      `/dev/fd/${opened}`,
      "docs/here",
      "docs/again",
    ])
      expect(await verdict(host, `${folder}/new.md`), folder).toBe("path_unresolved");
  });
});

it("of Gemini CLI is there, where its `replace` would look for another file that ends alike", async () => {
  expect(await verdict("gemini", "docs/plan.md", "replace")).toBe("path_unresolved");
  expect(await verdict("gemini", "docs/there.md", "replace")).toBe("allow");
  expect(await verdict("gemini", join(root, "docs/plan.md"), "replace")).toBe("allow");
  expect(await verdict("gemini", "docs/plan.md", "write")).toBe("allow");
});
