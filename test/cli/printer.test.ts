/** The printer: nothing from outside is obeyed by a terminal or a CI, and what is printed still says what it said. */

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { printable, printableLine, printing } from "../../compiler/cli/printer.ts";
import { table, type Voice } from "../../compiler/cli/terminal.ts";
import { campaign } from "../campaign.ts";
import { portcullis, removeFolder, temporaryFolder, write } from "./terminal.ts";

const folder = temporaryFolder();
afterAll(() => removeFolder(folder));

/** What a terminal acts on, or what shows text in another order than it has. */
const obeyed = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]/;
/** As GitHub, Azure Pipelines and TeamCity look for commands. */
const commands = [/^\s*::/m, /##\[/, /##vso\[/i, /##teamcity\[/i];

const harmless = (text: string): boolean => !obeyed.test(text) && commands.every((form) => !form.test(text));

describe("printable text", () => {
  const nasty = fc.array(
    fc.oneof(
      fc.constantFrom(
        "::set-output name=x::y",
        "::",
        ":",
        "##[error]",
        "##vso[task.setvariable]",
        "##",
        "#",
        "[",
        "vso[",
        "\n",
        "\r",
      ),
      fc.constantFrom(
        "\u001b[2J",
        "\u009b31m",
        "\u202e",
        "\u2066",
        "\ufeff",
        "\t",
        "  ",
        "\u00a0",
        "\ud800",
        "\udc00",
        "\u{1f600}",
      ),
      fc.string({ unit: "binary", maxLength: 4 }),
    ),
    { maxLength: 12 },
  );

  it("is obeyed by no terminal, whatever went in", () => {
    fc.assert(
      fc.property(nasty, (parts) => harmless(printable(parts.join(""))) && harmless(printableLine(parts.join("")))),
      campaign(5_000),
    );
  });

  it("is the same value where it was JSON", () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
        expect(JSON.parse(printable(JSON.stringify(value, null, 2)))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
      campaign(2_000),
    );
  });

  it("is what it was where there was nothing to hide", () => {
    const text = "a:: b # c\n\tgrüße 😀 `x` [::1] #[x] ## x\n";
    expect(printable(text)).toBe(text);
    expect(printableLine("a\nb")).toBe("a\\nb");
  });

  it("shows what a person does not see, and keeps what joins letters and pictures", () => {
    expect(printable("a\u3164b\u{e0041}c\u2800d\ufe0fe\u200d")).toBe("a\\u3164b\\udb40\\udc41c\\u2800d\\ufe0fe\\u200d");
    const text = "نمی\u200cخواهم ❤\ufe0f 👩\u200d💻";
    expect(printable(text)).toBe(text);
  });

  it("shows what was hidden", () => {
    expect(printable("a\u001b[31mb\u202ec")).toBe("a\\u001b[31mb\\u202ec");
    expect(printable("x\n  ::add-mask::y\n##[group]z ##vso[task]")).toBe(
      "x\n  \\u003a:add-mask::y\n\\u0023#[group]z \\u0023#vso[task]",
    );
  });
});

describe("a terminal", () => {
  const said: string[] = [];
  const wrap = (code: number) => (text: string) => `\u001b[${code}m${text}\u001b[0m`;
  const voice: Voice = {
    out: (text) => void said.push(text),
    err: (text) => void said.push(text),
    outBytes: () => {},
    readInput: async () => new Uint8Array(),
    paint: { bold: wrap(1), dim: wrap(2), red: wrap(31), green: wrap(32), yellow: wrap(33), cyan: wrap(36) },
    interactive: true,
  };

  it("has colours of ours alone", () => {
    const terminal = printing(voice);
    const { red, dim } = terminal.paint;
    terminal.out(`${red(`a\u001b[1m${dim("b")}`)} \u001b[7mc\n`);
    expect(said.pop()).toBe("\u001b[31ma\\u001b[1m\u001b[2mb\u001b[0m\u001b[0m \\u001b[7mc\n");
  });

  it("has one line where one is meant, in colours, too", () => {
    const terminal = printing(voice);
    terminal.line(`${terminal.paint.red("a\nb")}\nholds`);
    expect(said.pop()).toBe("\u001b[31ma\\nb\u001b[0m\\nholds\n");
    expect(table([["a\nb", "c"]])).toBe("a\\nb  c");
  });

  it("draws over one line, and gives commands to a CI where it means to", () => {
    const terminal = printing(voice);
    terminal.draw("50 %\nx");
    expect(said.pop()).toBe("\r50 %\\nx");
    terminal.command("::error file=a::b\u001b\n::c");
    expect(said.pop()).toBe("::error file=a::b\\u001b%0A::c\n");
  });
});

describe("commands print nothing that is obeyed", () => {
  const evil = "\u001b[2J\n::set-output name=approved::true\n##vso[task.complete]\u202e";

  it("of names, keys and reasons in sources", async () => {
    const dir = join(folder, "sources");
    write(
      join(dir, "roles.yaml"),
      `roles:\n  - role_id: A\n    ${JSON.stringify(evil)}: 1\n  - role_id: ${JSON.stringify(evil)}\n  - role_id: ${JSON.stringify(evil)}\n`,
    );
    write(
      join(dir, "lanes.yaml"),
      `lanes:\n  - lane_id: L\n    allowed_callers: { roles: [${JSON.stringify(`x${evil}`)}] }\n`,
    );
    for (const format of ["human", "json", "sarif"]) {
      const { out, err } = await portcullis("check", dir, "--format", format);
      expect((out + err).length).toBeGreaterThan(50);
      expect([format, harmless(out), harmless(err)]).toEqual([format, true, true]);
    }
  });

  it("of contracts, records and policies that name outside things", async () => {
    const runs = [
      [
        "exec",
        "close",
        "--unsigned",
        "--contract",
        write(join(folder, "c.json"), { baseline_sha: "a", contract_root: evil }),
      ],
      ["exec", "check", join(folder, evil), "--mode", "x", "--policy", join(folder, evil)],
      ["exec", "sign", "--contract", join(folder, `${evil}.json`), "--policy", join(folder, evil)],
      [
        "handoff",
        "validate",
        write(join(folder, "r.json"), { [evil]: 1, artifacts: [{ path: evil }] }),
        "--root",
        folder,
      ],
      ["eval", join(folder, evil), "x"],
      [evil],
      ["check", evil],
    ];
    for (const argv of runs) {
      const { out, err } = await portcullis(...argv);
      expect([argv[0], harmless(out), harmless(err)]).toEqual([argv[0], true, true]);
    }
  });

  it("of records whose file's name is a command", async () => {
    if (process.platform === "win32") return;
    const dir = join(folder, "\n::error::x");
    mkdirSync(dir, { recursive: true });
    write(join(dir, "r.json"), "{");
    const { code, out } = await portcullis("handoff", "validate", dir, "--root", folder);
    expect([code, harmless(out), out]).toEqual([1, true, expect.stringContaining("\\n::error::x")]);
  });
});

describe("reviews", () => {
  const forged = "0 newly allowed, 0 unknown";
  const answer = JSON.stringify({ gate: `G\n${forged}`, reason: `r\n${forged}` });
  const rego = `package portcullis.ext.tool\n\ndeny contains ${answer} if input.tool == "a b"\n`;
  const set = (name: string, roles: string): string => {
    const dir = join(folder, name);
    write(join(dir, "roles.yaml"), "roles: [{ role_id: R }, { role_id: 'S, T' }]\n");
    write(
      join(dir, "lanes.yaml"),
      `lanes: [{ lane_id: L, allowed_callers: { roles: ${roles} }, allowed_actions: { tools: [a b, "c, d"] } }]\n`,
    );
    const tool = (id: string): string => `{ tool_name: "${id}", enabled: true, implementation_status: implemented }`;
    write(join(dir, "tool_registry.yaml"), `tools: [${tool("a b")}, ${tool("c, d")}]\n`);
    write(join(dir, "house.rego"), rego);
    return dir;
  };
  const lines = (text: string): string[] => text.split("\n").map((line) => line.trim());

  it("have no line that a name or a reason begins, and no name that reads as two", async () => {
    const [before, after] = [set("some", "[R]"), set("more", '[R, "S, T"]')];
    const request = write(join(folder, "ask.json"), { role: "R", lane: "L", tool: "a b" });
    const claims = write(
      join(folder, "claims.yaml"),
      [
        "claims:",
        "  - always: { decision: tool, role: R, lane: L, tool: a b }",
        `    because: ${JSON.stringify(`x\n${forged}`)}`,
      ].join("\n"),
    );
    const runs = [
      await portcullis("list", after),
      await portcullis("diff", before, after),
      await portcullis("explain", after, "tool", "-i", request, "--all"),
      await portcullis("prove", after, "--claims", claims),
    ];
    for (const { out } of runs) {
      expect(out).toContain(`\\n${forged}`);
      expect(lines(out)).not.toContain(forged);
    }
    const [list, diff] = runs.map(({ out }) => out) as [string, string];
    expect(list).toContain('"S, T"  L  "a b" (if "G\\n0 newly allowed, 0 unknown" allows), "c, d"\n');
    expect(diff).toContain('lane role="S, T" lane=L: ');
  });

  it("tell of logs and ledgers in lines of their own", async () => {
    const event = { decision_id: "d", path: `x\n${forged}`, input: { role: `R\n${forged}` }, result: true };
    const log = write(join(folder, "log.jsonl"), `${JSON.stringify(event)}\n`);
    for (const { out, err } of [
      await portcullis("replay", log, "--policy", set("some", "[R]")),
      await portcullis("audit", "verify", log, "--unchained", "--policy", set("some", "[R]")),
    ])
      expect(lines(out + err)).not.toContain(forged);
  });
});
