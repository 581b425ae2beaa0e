/** `portcullis import --from claude-agents`: a draft names no tool that the agent's file does not, and says what it leaves out. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { portcullis, removeFolder, temporaryFolder, write } from "./terminal.ts";

let folder = "";
beforeAll(() => {
  folder = temporaryFolder();
});
afterAll(() => removeFolder(folder));

async function imported(agents: string): Promise<{ out: string; leftOut: { what: string }[]; code: number }> {
  const out = `${agents}-drafted`;
  const words = ["--from", "claude-agents", agents, "-o", out, "--format", "json"];
  const { code, out: text, err } = await portcullis("import", ...words);
  expect(err).toBe("");
  return { out, code, leftOut: JSON.parse(text).left_out };
}

describe("agents of Claude Code", () => {
  it("leave out a tool of which a part is forbidden, and read any text as a name", async () => {
    const agents = join(folder, "forbidding");
    write(join(agents, "one.md"), '---\nname: one\ntools: [Bash, Read]\ndisallowedTools: ["Bash(rm:*)", "R[*"]\n---\n');
    const { out, code, leftOut } = await imported(agents);
    expect({ code, left: leftOut.map(({ what }) => what) }).toEqual({ code: 1, left: ["`Bash(rm:*)` of `one.md`"] });
    expect(readFileSync(join(out, "claude-agents/manifests/one.yaml"), "utf8")).toMatch(/allowed_tools:\n\s+- Read\n$/);
  });

  it("become manifests and instruction files", async () => {
    const agents = join(folder, "agents");
    write(
      join(agents, "reviewer.md"),
      "---\nname: reviewer\ndescription: Reads: changes\ntools: Read, Grep\n---\nBe kind.\n",
    );
    write(join(agents, "writer.md"), "---\nname: doc-writer\ntools: [Read, Write]\ndisallowedTools: Write\n---\n");
    const { out, code, leftOut } = await imported(agents);
    expect({ code, leftOut }).toEqual({ code: 0, leftOut: [] });
    expect(readFileSync(join(out, "claude-agents/manifests/reviewer.yaml"), "utf8")).toMatch(/- Read\n\s+- Grep/);
    expect(readFileSync(join(out, "claude-agents/manifests/doc-writer.yaml"), "utf8")).not.toContain("Write");
    expect(existsSync(join(out, "claude-agents/AGENT_DOC_WRITER.md"))).toBe(true);
    const { code: checked, err } = await portcullis("check", out);
    expect({ checked, err: err.match(/error\[.*/g) }).toEqual({ checked: 0, err: null });
  });

  it("are read as that host reads them", async () => {
    const agents = join(folder, "agents-as-read");
    write(
      join(agents, "a.md"),
      "---\nname: a\ncolor: red\ndescription: Reads: b\ncolor: blue\ntools: Agent(b, c), Read\n---\n",
    );
    write(join(agents, "b.md"), "---\nname: b\n---\n");
    write(join(agents, "c.md"), "---\nname: c\ntools: [Read, mcp__x__y, mcp__x__z]\ndisallowedTools: [mcp__x]\n---\n");
    const { out, code, leftOut } = await imported(agents);
    expect({ code, leftOut }).toEqual({ code: 0, leftOut: [] });
    const manifest = (name: string): string => readFileSync(join(out, `claude-agents/manifests/${name}.yaml`), "utf8");
    expect(manifest("a")).toMatch(/can_spawn:\n\s+- b\n\s+- c\n[\s\S]*allowed_tools:\n\s+- Agent\n\s+- Read\n$/);
    // All tools that the lane has.
    expect(manifest("b")).not.toContain("allowed_tools");
    expect(manifest("c")).toMatch(/allowed_tools:\n\s+- Read\n$/);
  });

  it.each([
    ["without a header", "Be kind.\n"],
    ["with all tools but some", "---\nname: a\ndisallowedTools: Bash\n---\n"],
    ["whose name an agent cannot have", "---\nname: My Agent\n---\n"],
    ["with all tools of a server", "---\nname: a\ntools: Read, mcp__files__*\n---\n"],
    ["with a server", "---\nname: a\ntools: [Read, mcp__files]\n---\n"],
    ["with some calls of a tool", "---\nname: a\ntools: Bash(git *), Read\n---\n"],
    ["that starts agents which it does not name", "---\nname: a\ntools: Agent, Read\n---\n"],
    ["with its tools twice", "---\nname: a\ntools: Read\ntools: Bash\n---\n"],
    ["with rights of its own", "---\nname: a\ntools: Read\npermissionMode: bypassPermissions\n---\n"],
  ])("%s: what is left out is said", async (name, text) => {
    const agents = join(folder, name.replaceAll(" ", "-"));
    write(join(agents, "a.md"), text);
    const { code, leftOut } = await imported(agents);
    expect({ code, left: leftOut.length }).toEqual({ code: 1, left: 1 });
  });
});
