/**
 * A session with `approval: bound`: a hook denies with a digest, a person approves in a second terminal, the call is allowed once,
 * and denied again. And what `approve` itself refuses.
 */

import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { cpSync, existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { decideCall } from "../../compiler/cli/hook/decide.ts";
import { portcullis, type Ran, removeFolder, temporaryFolder, write } from "./terminal.ts";

const folder = temporaryFolder();
const bundle = join(folder, "out/bundle.tar.gz");
const [ortiz, lee, stranger] = [
  generateKeyPairSync("ec", { namedCurve: "P-256" }),
  generateKeyPairSync("ed25519"),
  generateKeyPairSync("rsa", { modulusLength: 2048 }),
];
const pem = (key: KeyObject): string =>
  String(key.export({ type: key.type === "public" ? "spki" : "pkcs8", format: "pem" }));
const keys = { ortiz: join(folder, "ortiz.pem"), lee: join(folder, "lee.jwk"), stranger: join(folder, "stranger.pem") };

beforeAll(async () => {
  const tools = [
    { tool_name: "payout.release", approval: "bound", arguments: { cents: { type: "integer", max: 500_000 }, to: {} } },
    {
      tool_name: "Bash",
      arguments: { command: { commands: ["git status"], approval: { commands: ["git push *"], bound: true } } },
    },
    { tool_name: "note", arguments: { text: {} } },
  ].map((tool) => ({ ...tool, enabled: true, implementation_status: "implemented" }));
  const policies = join(folder, "policies");
  write(join(policies, "roles.yaml"), { roles: [{ role_id: "EDITOR" }] });
  write(join(policies, "lanes.yaml"), {
    lanes: [
      {
        lane_id: "PAYOUTS",
        allowed_callers: { roles: ["EDITOR"] },
        allowed_actions: { tools: tools.map(({ tool_name }) => tool_name) },
      },
    ],
  });
  write(join(policies, "tool_registry.yaml"), { tools });
  write(join(policies, "approvers.yaml"), {
    approvers: [
      { name: "m.ortiz", key: pem(ortiz.publicKey) },
      { name: "k.lee", key: lee.publicKey.export({ format: "jwk" }), tools: ["Bash"] },
    ],
  });
  write(keys.ortiz, pem(ortiz.privateKey));
  write(keys.lee, JSON.stringify(lee.privateKey.export({ format: "jwk" })));
  write(keys.stranger, pem(stranger.privateKey));
  const approvers = [{ name: "a.stranger", key: pem(stranger.publicKey) }];
  cpSync(policies, join(folder, "other"), { recursive: true });
  write(join(folder, "other", "approvers.yaml"), { approvers });
  const built = await portcullis("build", policies, "-o", join(folder, "out"));
  expect(built.code, built.err).toBe(0);
});
afterAll(() => removeFolder(folder));

/** Approvals and history of one session. */
let approvals = "";
let history = "";
let sessions = 0;
beforeEach(() => {
  sessions++;
  approvals = join(folder, `approvals-${sessions}`);
  history = join(folder, `history-${sessions}`);
  write(join(approvals, "README"), "Calls that wait, and their approvals.");
});

const payout = { tool: "payout.release", args: { cents: 120_000, to: "c-9" } };

/** What a host is told of one call. */
async function asked(call: object, more: { readonly history?: string | undefined } = { history }) {
  const flags = { policy: bundle, role: "EDITOR", lane: "PAYOUTS", scope: [], flag: [], map: [], approvals, ...more };
  const options = {
    ...flags,
    format: "generic",
    ask: false,
    deadline: "20",
    signingAlg: "RS256",
    verificationKey: [],
  } as const;
  return decideCall(options as never, async () => Buffer.from(JSON.stringify(call)));
}

const approve = (file: string, ...more: readonly string[]): Promise<Ran> =>
  portcullis("approve", file, "--policy", bundle, "--key", keys.ortiz, "--yes", ...more);

/** The call that waits in the folder. */
function waiting(): string {
  const names = readdirSync(approvals).filter((name) => name.endsWith(".call.json"));
  expect(names).toHaveLength(1);
  return join(approvals, names[0] as string);
}

describe("a session", () => {
  it("is denied with a digest, approved in a second terminal, allowed once, and denied again", async () => {
    const first = await asked(payout);
    expect(first.verdict).toBe("deny");
    expect(first.message).toMatch(/APPROVAL, approval_required; approval "bound"; call_sha256 "[0-9a-f]{64}"/);
    const file = waiting();
    expect(first.message).toContain(/([0-9a-f]{64})\.call\.json$/.exec(file)?.[1]);
    expect(statSync(file).mode & 0o077).toBe(0);

    const ran = await approve(file);
    expect([ran.code, ran.err]).toEqual([0, expect.stringMatching(/ cents +120000\n +to +"c-9"\n/)]);
    expect(ran.out).toBe(`approved: ${file.replace(".call.json", ".approve.json")}\n`);

    expect(await asked(payout)).toEqual({ verdict: "allow", message: "" });
    const again = await asked(payout);
    expect([again.verdict, again.message]).toEqual(["deny", expect.stringContaining("APPROVAL, approval_used")]);
    // Another approval of the same call is another yes.
    await approve(file);
    expect((await asked(payout)).verdict).toBe("allow");
  });

  it("is for this very call: another amount, another tool or another role waits for its own", async () => {
    await asked(payout);
    await approve(waiting());
    const more = await asked({ ...payout, args: { cents: 120_001, to: "c-9" } });
    expect(more.message).toContain("approval_required");
    expect(readdirSync(approvals).filter((name) => name.endsWith(".call.json"))).toHaveLength(2);
    expect((await asked(payout)).verdict).toBe("allow");
  });

  it("is refused where a person says no, also after an approval", async () => {
    await asked(payout);
    await approve(waiting());
    const no = await approve(waiting(), "--refuse", "--expires", "2h");
    expect([no.code, no.out]).toEqual([0, expect.stringContaining(".refuse.json")]);
    expect((await asked(payout)).message).toContain("APPROVAL, approval_refused");
    // The store remembers it, also where the file goes.
    removeFolder(no.out.replace(/^refused: /, "").trim());
    expect((await asked(payout)).message).toContain("APPROVAL, approval_refused");
  });

  it("stays refused where somebody refuses it again, for less time or under another policy", async () => {
    await asked(payout);
    await approve(waiting(), "--refuse", "--expires", "2h");
    // An approver of the other policy alone: this one knows no such refusal.
    const theirs = ["--policy", join(folder, "other"), "--key", keys.stranger, "--yes"];
    const again = await portcullis("approve", waiting(), ...theirs, "--refuse", "--expires", "90s");
    expect([again.code, again.err]).toEqual([0, expect.stringContaining("refuse one call")]);
    await approve(waiting());
    expect((await asked(payout)).message).toContain("APPROVAL, approval_refused");
    const path = waiting().replace(".call.json", ".refuse.json");
    const kept = JSON.parse(readFileSync(path, "utf8")) as { by: string; expires_at: number }[];
    expect(kept.map(({ by }) => by)).toEqual(["m.ortiz", "a.stranger"]);
    // One that has ended goes.
    write(path, [{ ...kept[0], expires_at: Date.now() - 1 }, kept[1]]);
    await approve(waiting(), "--refuse");
    expect((JSON.parse(readFileSync(path, "utf8")) as { by: string }[]).map(({ by }) => by)).toEqual([
      "a.stranger",
      "m.ortiz",
    ]);
  });

  it("is denied without a store: nothing could tell whether the approval was used", async () => {
    await asked(payout);
    await approve(waiting());
    expect((await asked(payout, { history: undefined })).message).toContain("APPROVAL, approval_used");
  });

  it("asks for the values that an argument names, and leaves no call behind that needs no approval", async () => {
    const push = { tool: "Bash", args: { command: "git push origin main" } };
    expect((await asked({ tool: "note", args: { text: "x" } })).verdict).toBe("allow");
    expect(readdirSync(approvals)).toEqual(["README"]);
    expect((await asked(push)).message).toContain("approval_required");
    const ran = await portcullis("approve", waiting(), "--policy", bundle, "--key", keys.lee, "--yes", "--ref", "T-7");
    expect([ran.code, ran.err]).toEqual([0, expect.stringContaining("k.lee is asked to approve")]);
    const signed = JSON.parse(readFileSync(waiting().replace(".call.", ".approve."), "utf8"));
    expect(signed).toMatchObject({ by: "k.lee", ref: "T-7", decision: "approve", type: "portcullis-approval/1" });
    expect((await asked(push)).verdict).toBe("allow");
  });
});

const isPosix = process.platform !== "win32" && existsSync("/usr/bin/timeout");

it.skipIf(!isPosix)("init --for asks for the folders of approvals and history", async () => {
  const init = (...more: readonly string[]): Promise<Ran> =>
    portcullis(
      ...["init", "--for", "claude-code", "--file", join(folder, "settings.json"), "--host-version", "99.0.0"],
      ...["--policy", bundle, "--unsigned", "--role", "EDITOR", "--lane", "PAYOUTS", "--dry-run", ...more],
    );
  expect(await init()).toMatchObject({ code: 1, err: expect.stringContaining("give `--approvals` and `--history`") });
  const half = await init("--approvals", approvals);
  expect(half.err).toContain("give `--history`, outside of the project");
  expect((await init("--approvals", approvals, "--history", history)).err).not.toContain("give `");
});

describe("portcullis approve", () => {
  const call = { role: "EDITOR", lane: "PAYOUTS", ...payout };
  const file = (name: string, content: unknown): string => write(join(folder, `calls-${sessions}`, name), content);

  it.each([
    [
      "a key that belongs to no approver",
      () => [file("a.json", call), "--key", keys.stranger],
      2,
      "no approver of the policy has",
    ],
    ["a file without a private key", () => [file("a.json", call), "--key", bundle], 2, "is not valid UTF-8"],
    [
      "a public key",
      () => [file("a.json", call), "--key", file("b.pem", pem(ortiz.publicKey))],
      2,
      "holds no private key",
    ],
    ["an approver of other tools", () => [file("a.json", call), "--key", keys.lee], 1, "approver_not_for_tool"],
    ["a tool that asks for none", () => [file("a.json", { ...call, tool: "note" })], 1, "needs a bound approval"],
    ["a call within another object", () => [file("a.json", { request: call })], 1, "the call names no tool"],
    [
      "a call that is allowed",
      () => [file("a.json", { ...call, tool: "Bash", args: { command: "git status" } })],
      1,
      "without an approval",
    ],
    ["a call that is denied anyway", () => [file("a.json", { ...call, lane: "X" })], 1, "LANE_AUTHORIZATION"],
    ["a member that stands twice", () => [file("a.json", '{"tool":"payout.release","tool":"note"}')], 2, "is not data"],
    [
      "a number that a double rounds",
      () => [file("a.json", '{"tool":"payout.release","args":{"cents":9007199254740993}}')],
      2,
      "a double rounds",
    ],
    ["no object", () => [file("a.json", "[]")], 2, "is no JSON object"],
    ["a time of more than a day", () => [file("a.json", call), "--expires", "25h"], 2, "at most 24h"],
    ["a text that is not a time", () => [file("a.json", call), "--expires", "soon"], 2, "at most 24h"],
  ] as const)("signs nothing for %s", async (_, argv, code, message) => {
    const [path, ...more] = argv();
    const ran = await approve(path as string, ...more);
    expect([ran.code, ran.err]).toEqual([code, expect.stringContaining(message)]);
    expect(readdirSync(join(folder, `calls-${sessions}`)).filter((name) => /approve|refuse/.test(name))).toEqual([]);
  });

  it("says of a call that needs no approval, and has a limit, that it needs none", async () => {
    const limited = join(folder, "limited");
    cpSync(join(folder, "policies"), limited, { recursive: true });
    const limits = [{ limit_id: "COMMANDS", calls: { tools: ["Bash"] }, max_calls: 3, within: "1h" }];
    write(join(limited, "limits.yaml"), { limits });
    const path = file("a.json", { ...call, tool: "Bash", args: { command: "git status" } });
    const ran = await portcullis("approve", path, "--policy", limited, "--key", keys.ortiz, "--yes");
    expect([ran.code, ran.out]).toEqual([1, ""]);
    expect(ran.err).toContain("the policy asks for no approval of this call");
    expect(ran.err).not.toContain("all the same");
  });

  it("asks, and signs nothing without an answer", async () => {
    const path = file("a.json", { ...call, args: { cents: 1, to: "a\u202eb\n  cents  7" } });
    const ran = await portcullis("approve", path, "--policy", bundle, "--key", keys.ortiz);
    expect([ran.code, ran.out]).toEqual([1, ""]);
    expect(ran.err).toContain("nothing was signed");
    // What stands in the call cannot pass for a line of it.
    expect(ran.err).toContain(String.raw`"a\u{202e}b\n  cents  7"`);
    expect(ran.err.split("\n").filter((line) => /^ +cents/.test(line))).toHaveLength(1);
  });

  it("shows nothing as an argument, or as its own, that a member beside them says", async () => {
    const more = { "  dry_run": true, paths: "safe", policy: "safe", scope: { id: 1 } };
    const path = file("more.json", { ...call, ...more });
    const ran = await portcullis("approve", path, "--policy", bundle, "--key", keys.ortiz);
    const shown = ran.err.split("\n").map((line) => line.trimEnd());
    expect(shown).toContain('  "  dry_run"  true');
    expect(shown).toContain('  "paths"      safe');
    expect(shown).toContain('  "policy"     safe');
    expect(shown).toContain('  scope        {"id":1}');
    expect(shown.filter((line) => /^ *(?:dry_run|paths)/.test(line))).toEqual([]);
    expect(shown.filter((line) => /^ *policy/.test(line))).toHaveLength(1);
  });

  it("breaks what is long itself, so that no line of a terminal passes for another, and shows it before what is short", async () => {
    // In a terminal of 80 columns this would go on in a line that says what cents are.
    const to = `${"x".repeat(64)}${"  cents        100".padEnd(80)}${"界".repeat(50)}${"y".repeat(4000)}`;
    const path = file("long.json", { ...call, args: { cents: 1, to } });
    const ran = await portcullis("approve", path, "--policy", bundle, "--key", keys.ortiz);
    const lines = ran.err.split("\n");
    const columns = (line: string) => [...line].reduce((sum, c) => sum + (c < "\u0300" ? 1 : 2), 0);
    expect(lines.filter((line) => columns(line) > 79)).toEqual([]);
    expect(lines.filter((line) => /^ +cents/.test(line))).toEqual(["    cents      1"]);
    const at = (start: RegExp) => lines.findIndex((line) => start.test(line));
    const [asked, first, tool, cents] = [/is asked to/, /^ {4}to /, /^ {2}tool /, /^ {4}cents /].map(at);
    expect([first, tool, cents]).toEqual([(asked as number) + 1, expect.any(Number), (tool as number) + 3]);
    expect(tool).toBeGreaterThan(first as number);
    // All of it is shown.
    const whole = lines.slice(first, tool).map((line, i) => (i === 0 ? line : line.replace(/^ {2}\| /, "")));
    expect(whole.join("")).toBe(`    to         ${JSON.stringify(to)}`);
  });

  it("writes the file where it is told to", async () => {
    const out = join(folder, `out-${sessions}`, "yes.json");
    expect((await approve(file("a.json", call), "--output", out)).code).toBe(0);
    expect(existsSync(out)).toBe(true);
  });

  it("replaces no file but another approval, and refuses before it asks", async () => {
    const path = file("a.json", call);
    const [key, asked] = [readFileSync(keys.ortiz, "utf8"), readFileSync(path, "utf8")];
    for (const out of [keys.ortiz, path, join(folder, "policies/roles.yaml")]) {
      const ran = await approve(path, "--output", out);
      expect([ran.code, ran.out]).toEqual([2, ""]);
      expect(ran.err).toMatch(/^error: `.*` is not what `portcullis approve` wrote, and is not replaced\nhelp: .*`-o`/);
    }
    expect([readFileSync(keys.ortiz, "utf8"), readFileSync(path, "utf8")]).toEqual([key, asked]);
    const out = join(folder, `again-${sessions}.json`);
    for (const flags of [[], ["--refuse"]]) expect((await approve(path, "--output", out, ...flags)).code).toBe(0);
    expect(readFileSync(out, "utf8")).toContain('"decision": "refuse"');
  });
});
