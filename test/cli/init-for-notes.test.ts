/** `init --for`: what a project has a host start without a call of a tool, and what is not looked at, is told. */

import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { canConfigure, emptyProject, hookWords } from "./configured-hosts.ts";
import { portcullis, type Ran, write } from "./terminal.ts";

const place = emptyProject();

const init = (id: string): Promise<Ran> => {
  const host = [
    "--file",
    join(place.folder, "host/configuration"),
    "--host-version",
    "9.0.0",
    "--project",
    place.project,
  ];
  return portcullis("init", "--for", id, ...host, ...hookWords(join(place.folder, "policy")));
};
const hooksAt = (event: string): object => ({ hooks: { [event]: [{ hooks: [{ type: "command", command: "/x" }] }] } });

describe.skipIf(!canConfigure)("what a project brings along", () => {
  it.each([
    [
      ...["claude-code", ".claude/settings.json"],
      { hooks: { Stop: [{}] }, statusLine: { command: "./x" }, apiKeyHelper: "./x", otelHeadersHelper: "" },
      "what `hooks`, `statusLine`, `apiKeyHelper` names",
    ],
    ["claude-code", "a/.claude/settings.local.json", { hooks: {}, permissions: {} }, undefined],
    ["codex", ".codex/hooks.json", hooksAt("SessionStart"), "what `hooks` names"],
    ["codex", ".codex/config.toml", '[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ncommand = "./x"\n', "what `hooks` names"],
    ["gemini", ".gemini/settings.json", hooksAt("AfterTool"), "what `hooks` names"],
    ["gemini", ".gemini/settings.json", { tools: {}, mcp: { allowed: [] } }, undefined],
    ["copilot", ".github/hooks/a.json", { version: 1, hooks: { sessionStart: [{ bash: "./x" }] } }, "it"],
    ["copilot", ".github/lsp.json", { lspServers: { x: { command: "./x" } } }, "what `lspServers` names"],
    ["cline", ".clinerules/hooks/TaskStart", "#!/bin/sh\n", "it"],
    ["opencode", "opencode.json", { formatter: { x: { command: ["./x"] } } }, "what `formatter` names"],
    [
      "opencode",
      "a/.opencode/opencode.jsonc",
      '{ "lsp": { "x": {}, }, // x\n "formatter": true }',
      "what `formatter`, `lsp` names",
    ],
    ["opencode", "opencode.json", { formatter: false, lsp: {} }, undefined],
  ] as const)("of %s is told where it is started by itself: %s %j", async (id, name, content, told) => {
    const file = write(join(place.project, name), content);
    const { code, err } = await init(id);
    expect([code, /note: (`.*`): .* runs (.*) without a call of a tool/.exec(err)?.slice(1)]).toEqual([
      0,
      told === undefined ? undefined : [`\`${file}\``, told],
    ]);
  });

  it("is not looked for behind links that lead out of it, which are told", async () => {
    mkdirSync(join(place.project, "a/b"), { recursive: true });
    write(join(place.folder, "x"), "");
    for (const [name, target] of [
      ["in", "a/b"],
      ["a/round", ".."],
      ["file", join(place.folder, "x")],
      ["nowhere", join(place.folder, "missing")],
    ] as const)
      symlinkSync(target, join(place.project, name));
    const told = async (id: string): Promise<string | undefined> =>
      /note: (.*): behind such a link/.exec((await init(id)).err)?.[1];
    expect(await told("claude-code")).toBe(undefined);
    const names = ["a/b/1", "a/b/2", "a/b/3", "a/b/4"].map((name) => join(place.project, name));
    symlinkSync(place.folder, names[0] as string);
    expect([await told("claude-code"), await told("gemini")]).toEqual([`\`${names[0]}\``, undefined]);
    for (const name of names.slice(1)) symlinkSync(place.folder, name);
    expect(await told("claude-code")).toMatch(/^`.*`, `.*`, `.*` and 1 more$/);
  });
});
