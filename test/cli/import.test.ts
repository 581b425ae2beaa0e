/** `portcullis import`: a draft allows nothing that its source does not, and says what it leaves out. */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { campaign } from "../campaign.ts";
import { effectOf, type Importing, importedInto, type Permissions, policyOf, policyOfPermissions } from "./drafts.ts";
import { portcullis, removeFolder, temporaryFolder, write } from "./terminal.ts";

let folder = "";
beforeAll(() => {
  folder = temporaryFolder();
});
afterAll(() => removeFolder(folder));

const imported: Importing = (kind, source) => importedInto(folder, kind, source);
const policyOfSettings = (permissions: Permissions) => policyOfPermissions(folder, permissions);

describe("permissions of Claude Code", () => {
  it("become commands, places, hosts and tools", async () => {
    const { policy, leftOut } = await policyOfSettings({
      allow: [
        "Bash(git status)",
        "Bash(npm test:*)",
        "Read(./src/**)",
        "WebFetch(domain:example.com)",
        "mcp__files__read",
      ],
      ask: ["Bash(git push:*)", "Edit(./docs/**)"],
      deny: ["Read(./src/secrets/**)", "WebSearch"],
    });
    expect(leftOut).toEqual([]);
    const bash = (command: string) => effectOf(policy, "Bash", { command });
    expect(
      ["git status", "git status -s", "npm test", "npm test -- -u", "git push origin", "git pull"].map(bash),
    ).toEqual([...["allow", "deny", "allow", "allow", "ask", "deny"]]);
    expect(bash("npm test; rm -rf .")).toBe("deny");
    const read = (path: string) => effectOf(policy, "Read", { file_path: path }, { file_path: path });
    expect(["src/a.ts", "src/secrets/key", "SRC/a.ts", "docs/a.md"].map(read)).toEqual([
      "allow",
      "deny",
      "deny",
      "deny",
    ]);
    const write = { file_path: "docs/a.md", content: "x" };
    expect(effectOf(policy, "Write", write, { file_path: "docs/a.md" })).toBe("ask");
    expect(effectOf(policy, "WebFetch", { url: "https://example.com/a", prompt: "read" })).toBe("allow");
    expect(effectOf(policy, "WebFetch", { url: "https://example.org/a" })).toBe("deny");
    expect(effectOf(policy, "mcp__files__read", { any: 1 })).toBe("allow");
    expect(effectOf(policy, "WebSearch", {})).toBe("deny");
  });

  // The settings ask about these calls: a question wins over an allow.
  it.each([
    ["Bash", { command: "git push -f" }, { allow: ["Bash(git push:*)", "Bash(git log)"], ask: ["Bash(git * -f)"] }],
    [
      "Bash",
      { command: "git push origin" },
      { allow: ["Bash(git push origin:*)"], ask: ["Bash(git push:*)"], deny: ["Bash(git push -f:*)"] },
    ],
    ["Bash", { command: "echo a" }, { allow: ["Bash(echo:*)"], ask: ["Bash(echo * $HOME)"] }],
    ["Edit", { file_path: "src/.env" }, { allow: ["Edit(./src/**)"], ask: ["Edit(**/.env)"] }],
    ["Write", { file_path: "src/.env" }, { allow: ["Write"], ask: ["Edit(.env)"] }],
    ["Read", { file_path: "src/.env" }, { allow: ["Read", "Read(./src/**)"], ask: ["Read(./src/*.env)"] }],
    [
      "WebFetch",
      { url: "https://pay.example.com" },
      { allow: ["WebFetch(domain:*.example.com)"], ask: ["WebFetch(domain:pay*.example.com)"] },
    ],
    [
      "WebFetch",
      { url: "https://b.a.example.com" },
      {
        allow: ["WebFetch(domain:b.a.example.com)"],
        ask: ["WebFetch(domain:*.example.com)"],
        deny: ["WebFetch(domain:c.example.com)"],
      },
    ],
  ] as readonly (readonly [string, { readonly file_path?: string }, Permissions])[])(
    "allow nothing of which a question is left out: %s %o",
    async (tool, args, permissions) => {
      const { policy, leftOut } = await policyOfSettings(permissions);
      expect(leftOut.map(({ what }) => what)).toContain(`ask \`${permissions.ask?.[0]}\``);
      const others = { Edit: { old_string: "a", new_string: "b" }, Write: { content: "c" } };
      const given = { ...args, ...others[tool as keyof typeof others] };
      expect(effectOf(policy, tool, given, { file_path: args.file_path ?? null })).toBe("deny");
    },
  );

  it.each([
    ["a part of what is allowed is denied", { allow: ["Bash(git:*)"], deny: ["Bash(git push:*)"] }, 1],
    ["a star within", { allow: ["Bash(git * main)"] }, 1],
    ["what shells read", { allow: ["Bash(echo $HOME)"] }, 1],
    ["all but some commands", { allow: ["Bash"], deny: ["Bash(curl:*)"] }, 1],
    ["files of a name, anywhere", { allow: ["Read"], deny: ["Read(.env)"] }, 1],
    ["a server", { allow: ["mcp__files"] }, 1],
    ["a text that is not a rule", { allow: ["Bash(git status"] }, 1],
    ["arguments of which nothing is known", { allow: ["Skill(review)"] }, 1],
  ] as readonly (readonly [string, Permissions, number])[])(
    "leaves out %s, and says so",
    async (_, permissions, left) => {
      const source = write(join(folder, "left-out.json"), { permissions });
      const { leftOut, code, out } = await imported("claude-settings", source);
      expect({ left: leftOut.length, code }).toEqual({ left, code: 1 });
      const text = readFileSync(join(out, "claude-settings/tool_registry.yaml"), "utf8");
      for (const { what } of leftOut) expect(text).toContain(what);
      expect(await portcullis("check", out)).toMatchObject({ code: 0 });
    },
  );

  // What a rule of one tool denies, others may not do either.
  it.each([
    ["the search of folders", { allow: ["Grep"], deny: ["Read(./secrets/**)"] }, ["allow `Grep`"]],
    ["the search by names", { allow: ["Glob", "LS"], deny: ["Read(.env)"] }, ["allow `Glob`", "allow `LS`"]],
    ["a search that asks", { allow: ["Grep"], ask: ["Read(./secrets/**)"] }, ["allow `Grep`"]],
    ["a reader", { allow: ["Bash(cat:*)", "Bash(npm test)"], deny: ["Read(./secrets/**)"] }, ["allow `Bash(cat:*)`"]],
    ["a reader by its path", { allow: ["Bash(/bin/cat *)"], deny: ["Read(~/.ssh/**)"] }, ["allow `Bash(/bin/cat *)`"]],
    [
      "a reader of one file",
      { allow: ["Bash(head secrets/a)"], deny: ["Read(./secrets/**)"] },
      ["allow `Bash(head secrets/a)`"],
    ],
    [
      "a reader of another case",
      { allow: ["Bash(cat Secrets/a)"], deny: ["Read(./secrets/**)"] },
      ["allow `Bash(cat Secrets/a)`"],
    ],
    ["a reader of all", { allow: ["Bash(grep -r x .)"], deny: ["Read(./secrets/**)"] }, ["allow `Bash(grep -r x .)`"]],
    ["a reader above", { allow: ["Bash(cat ../a)"], deny: ["Read(~/.ssh/**)"] }, ["allow `Bash(cat ../a)`"]],
    ["a writer", { allow: ["Bash(tee:*)"], deny: ["Edit(./src/**)"] }, ["allow `Bash(tee:*)`"]],
    ["a question about a reader", { ask: ["Bash(cat:*)"], deny: ["Read(./secrets/**)"] }, ["ask `Bash(cat:*)`"]],
    ["every command", { allow: ["Bash"], deny: ["Read(./secrets/**)"] }, ["allow `Bash`"]],
    [
      "what runs another command",
      { allow: ["Bash(timeout 5:*)"], deny: ["Bash(rm:*)"] },
      ["allow `Bash(timeout 5:*)`"],
    ],
    [
      "what runs a reader",
      { allow: ["Bash(nohup cat .env)"], deny: ["Read(./.env)"] },
      ["allow `Bash(nohup cat .env)`"],
    ],
    ["what is asked about whatever is allowed", { allow: ["Bash(find:*)"] }, ["allow `Bash(find:*)`"]],
    ["a quoted word", { allow: ["Bash(git push -f)"], deny: ['Bash(git push "-f")'] }, ["allow `Bash(git push -f)`"]],
    [
      "a word in quotes that is put together",
      { allow: ["Bash(git push -f)"], deny: ['Bash(git pu"sh" -f)'] },
      ["allow `Bash(git push -f)`"],
    ],
    [
      "a denial in quotes",
      { allow: ["Bash(git push -f)"], deny: ['Bash("git push:*")'] },
      ["allow `Bash(git push -f)`"],
    ],
  ] as readonly (readonly [string, Permissions, readonly string[]])[])(
    "leaves out %s",
    async (_, permissions, left) => {
      const { policy, leftOut } = await policyOfSettings(permissions);
      expect(leftOut.map(({ what }) => what)).toEqual(left);
      const calls: readonly (readonly [string, object])[] = [
        ["Grep", { pattern: "key" }],
        ["Glob", { pattern: "**" }],
        ["Bash", { command: left[0]?.replace(/^\w+ .Bash.?|[()\x60]|:?\*/g, "") }],
      ];
      for (const [tool, args] of calls) expect(effectOf(policy, tool, args)).toBe("deny");
    },
  );

  it("carries what may not be read to what edits", async () => {
    const { policy, leftOut } = await policyOfSettings({
      allow: ["Edit", "MultiEdit", "NotebookEdit", "Write", "Bash(cat docs/a.md)", "Grep"],
      ask: ["Edit(./infra/**)"],
      deny: ['Read("./secrets/**")', "Read(~/.ssh/**)"],
    });
    expect(leftOut.map(({ what }) => what)).toEqual(["allow `Grep`"]);
    const edit = (tool: string, name: string, others: object) => (path: string) =>
      effectOf(policy, tool, { [name]: path, ...others }, { [name]: path });
    const tools = [
      edit("Edit", "file_path", { old_string: "a", new_string: "b" }),
      edit("MultiEdit", "file_path", { edits: [] }),
      edit("NotebookEdit", "notebook_path", { new_source: "a" }),
      edit("Write", "file_path", { content: "" }),
    ];
    for (const at of tools)
      expect(["src/a", "secrets/a", "Secrets/a", "infra/a", "Infra/a"].map(at)).toEqual([
        ...["allow", "deny", "deny", "ask", "deny"],
      ]);
    expect(effectOf(policy, "Bash", { command: "cat docs/a.md" })).toBe("allow");
  });

  it.each(["*", "Ba*", "Bash()", "Bash(*)"])("denies every command where `%s` is denied", async (rule) => {
    const { policy } = await policyOfSettings({ allow: ["Bash(git log)"], deny: [rule] });
    expect(effectOf(policy, "Bash", { command: "git log" })).toBe("deny");
  });

  it("denies an argument of a command that a rule denies", async () => {
    const { policy } = await policyOfSettings({ allow: ["Bash(git log)"], deny: ["Bash(run_in_background: true)"] });
    expect(effectOf(policy, "Bash", { command: "git log", timeout: 1 })).toBe("allow");
    expect(effectOf(policy, "Bash", { command: "git log", run_in_background: true })).toBe("deny");
  });

  // A folder without a path before it is one of that name anywhere, where a rule denies or asks.
  it.each(["secrets/", "secrets/**"])("leaves out what `%s` denies a part of", async (folder) => {
    const { policy, leftOut } = await policyOfSettings({ allow: ["Read"], deny: [`Read(${folder})`] });
    expect(leftOut).toHaveLength(1);
    expect(effectOf(policy, "Read", { file_path: "a/secrets/b" }, { file_path: "a/secrets/b" })).toBe("deny");
  });

  it("keeps a search in the project where files elsewhere are denied", async () => {
    const { policy, leftOut } = await policyOfSettings({ allow: ["Grep", "LS"], deny: ["Read(~/.ssh/**)"] });
    expect(leftOut).toEqual([]);
    expect(effectOf(policy, "Grep", { pattern: "a" })).toBe("allow");
    expect(effectOf(policy, "Grep", { pattern: "a", path: "src", "-n": true }, { path: "src" })).toBe("allow");
    expect(effectOf(policy, "Grep", { pattern: "a", path: "/home/x" }, { path: null })).toBe("deny");
    expect(effectOf(policy, "LS", { path: "src", ignore: [] }, { path: "src" })).toBe("allow");
  });

  it("disables what reads where nothing may be read", async () => {
    const { policy } = await policyOfSettings({ allow: ["Grep", "Edit", "Write"], deny: ["Read"] });
    expect(effectOf(policy, "Grep", { pattern: "a" })).toBe("deny");
    expect(policy.call({ role: "CODER", lane: "CODE", tool: "Edit" } as never).reason).toBe("tool_disabled");
  });

  it("says of modes and folders that no draft has them", async () => {
    const permissions = { defaultMode: "bypassPermissions", additionalDirectories: ["/x"], allow: "Bash", deny: [7] };
    const source = write(join(folder, "modes.json"), { permissions });
    const { leftOut } = await imported("claude-settings", source);
    expect(leftOut).toHaveLength(4);
  });

  it("allow as drafts nothing that they do not allow as settings", async () => {
    const words = ["git", "push", "log", "npm", "test"];
    const specifiers = fc.oneof(
      fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 3 }).map((all) => all.join(" ")),
      fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 2 }).map((all) => `${all.join(" ")}:*`),
      fc.constantFrom("git * log", "git *", "*", "np*"),
    );
    const rule = fc.oneof(
      { weight: 8, arbitrary: specifiers.map((of) => `Bash(${of})`) },
      { weight: 1, arbitrary: fc.constant("Bash") },
    );
    const list = fc.array(rule, { maxLength: 3 });
    const commands = words.flatMap((a) => [
      a,
      ...words.flatMap((b) => [`${a} ${b}`, ...words.map((c) => `${a} ${b} ${c}`)]),
    ]);
    let allowed = 0;
    await fc.assert(
      fc.asyncProperty(fc.record({ allow: list, ask: list, deny: list }), async (permissions) => {
        const { policy } = await policyOfSettings(permissions);
        for (const command of commands) {
          const found = effectOf(policy, "Bash", { command });
          if (found === "deny") continue;
          allowed++;
          expect(found, `${command} under ${JSON.stringify(permissions)}`).toBe(settingsSay(permissions, command));
        }
      }),
      { ...campaign(60), endOnFailure: true },
    );
    expect(allowed).toBeGreaterThan(0);
  });
});

/** What the settings say, read by itself: denials first, then questions; a `*` stands for any text. */
function settingsSay(permissions: Permissions, command: string): string | undefined {
  const matches = (rule: string): boolean => {
    const of = rule.slice(5, -1);
    if (rule === "Bash" || of === "*") return true;
    const open = of.replace(/:\*$/, " *");
    const pattern = open.replace(/[.+?^${}()|[\]\\]/g, "\\$&").replaceAll("*", ".*");
    return new RegExp(`^${pattern}$`).test(command) || (open.endsWith(" *") && command === open.slice(0, -2));
  };
  return (["deny", "ask", "allow"] as const).find((effect) => permissions[effect]?.some(matches));
}

describe("tools of an MCP server", () => {
  it("come with the types of their arguments", async () => {
    const tools = [
      {
        name: "read",
        inputSchema: {
          type: "object",
          properties: {
            path: { type: "string" },
            lines: { type: ["integer", "null"], minimum: 1 },
            how: { enum: ["a"], type: "string" },
          },
          required: ["path"],
          additionalProperties: false,
        },
      },
      {
        name: "many",
        inputSchema: {
          type: "object",
          properties: { all: { type: "array", items: { type: "string" } } },
          additionalProperties: true,
        },
      },
      { name: "none", inputSchema: { type: "object" } },
    ];
    const source = write(join(folder, "files.json"), { jsonrpc: "2.0", id: 1, result: { tools } });
    const { out, code, leftOut } = await imported("mcp", source);
    expect({ code, leftOut: leftOut.length }).toEqual({ code: 1, leftOut: 1 });
    const policy = await policyOf(out);
    const call = (tool: string, args: object) =>
      policy.call({ role: "FILES_USER", lane: "FILES", tool, args } as never).allowed;
    expect(call("read", { path: "a", lines: 3 })).toBe(true);
    expect(call("read", { path: "a", lines: null, how: "a" })).toBe(true);
    for (const args of [{}, { path: 7 }, { path: "a", lines: 0 }, { path: "a", other: 1 }, { path: "a", how: "b" }])
      expect(call("read", args), JSON.stringify(args)).toBe(false);
    expect([call("many", { all: ["x"] }), call("many", { all: [7] }), call("many", {})]).toEqual([true, false, true]);
    expect([call("none", {}), call("none", { x: 1 })]).toEqual([true, false]);
  });

  it.each<[string, object, string | undefined]>([
    ["numbers to choose from", { type: "integer", enum: [1, 2] }, "`enum`"],
    ["one value", { const: "a", title: "A", description: "one" }, "`const`"],
    ["a pattern", { type: "string", pattern: "^a", minLength: 1, maxLength: 9 }, "`pattern`, `minLength`"],
    ["a bound that is left out", { type: "number", exclusiveMaximum: 9, minimum: 1 }, "`exclusiveMaximum`"],
    ["a length below nothing", { type: "string", maxLength: -1 }, "`maxLength`"],
    ["several types", { type: ["string", "integer"] }, "`type`"],
    ["one of several", { anyOf: [{ type: "string" }, { type: "null" }] }, "`anyOf`"],
    ["members", { type: "object", properties: { a: { type: "string" } } }, "`properties`"],
    ["elements of one kind each", { type: "array", items: { type: "string", enum: ["a"] }, maxItems: 3 }, "`items`"],
    ["elements that differ", { type: "array", items: { type: "string" }, uniqueItems: true }, "`uniqueItems`"],
    ["nothing but types", { type: "array", items: { type: "string", title: "x" }, default: [] }, undefined],
    ["anything", { type: "object", additionalProperties: true, properties: {} }, undefined],
    ["anything at all", {}, undefined],
  ])("are told what is not drafted of %s", async (name, of, lost) => {
    const tools = [{ name: "t", inputSchema: { type: "object", properties: { x: of } } }];
    const { code, leftOut } = await imported("mcp", write(join(folder, `${name}.json`), { tools }));
    expect({ code, leftOut }).toEqual({
      code: lost === undefined ? 0 : 1,
      leftOut:
        lost === undefined
          ? []
          : [{ what: `${lost} of argument \`x\` of \`t\``, why: "it is not drafted: say what values may be" }],
    });
  });

  it.each([
    ["an answer", { tools: [{ name: "t" }], nextCursor: "2" }],
    ["a whole answer", { jsonrpc: "2.0", id: 1, result: { tools: [{ name: "t" }], nextCursor: "2" } }],
  ])("say of %s that it is one page of several", async (_, answer) => {
    const { code, leftOut } = await imported("mcp", write(join(folder, "page.json"), answer));
    const why = "the answer is one page of several: ask for the others";
    expect({ code, leftOut }).toEqual({ code: 1, leftOut: [{ what: "tools behind `nextCursor`", why }] });
  });

  it("keep names and values that are more than a text in YAML", async () => {
    const properties = {
      "<<": { type: "object" },
      ...{ yes: { type: "string", enum: ["no", "<<", "1_0"] }, "1": { type: "number" } },
      ...{ True: { type: "string", enum: ["0b1", "+0x1F"] }, null: {}, "0x10": {}, "1.10": {} },
    };
    const tools = [{ name: "<<", inputSchema: { type: "object", properties, required: ["<<"] } }];
    const { out, code } = await imported("mcp", write(join(folder, "merge.json"), { tools }));
    expect(code).toBe(0);
    const policy = await policyOf(out);
    const call = (args: object) => policy.call({ role: "MERGE_USER", lane: "MERGE", tool: "<<", args } as never);
    expect(call({ "<<": {}, yes: "<<", "1": 1 }).allowed).toBe(true);
    for (const args of [{}, { "<<": "x" }, { type: "object" }, { "<<": {}, yes: "off" }])
      expect(call(args).allowed, JSON.stringify(args)).toBe(false);
  });
});

describe("what is there already", () => {
  it("is never written over", async () => {
    const source = write(join(folder, "once.json"), { permissions: { allow: ["Bash(ls)"] } });
    const { out } = await imported("claude-settings", source);
    const again = await portcullis("import", "--from", "claude-settings", source, "-o", out);
    expect(again).toMatchObject({ code: 2, err: expect.stringContaining("is there already") });
  });

  it.each([
    ["claude-settings", "[]"],
    ["claude-settings", "{}"],
    ["mcp", "{}"],
    ["mcp", "not JSON"],
  ])("%s of %s is refused", async (kind, text) => {
    const source = write(join(folder, "refused.json"), text);
    const refused = await portcullis("import", "--from", kind, source, "-o", join(folder, "nowhere"));
    expect(refused).toMatchObject({ code: 2, err: expect.stringContaining("error") });
    expect(existsSync(join(folder, "nowhere"))).toBe(false);
  });
});
