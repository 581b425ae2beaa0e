/** Mutants of the host's side that nobody can notice here, each with the reason. One that is killed after all fails the run. */
import type { HostMutant } from "./mutants.ts";

export interface Survivor {
  /** Below compiler. */
  readonly file: string;
  readonly operation: string;
  readonly written: string;
  /** Where the same is written in several lines: the line. */
  readonly on?: string;
  /** Where it is changed in several ways: to what. */
  readonly to?: string;
  readonly reason: string;
}

const WINDOWS = "only Windows differs";
const OURS = "what it calls throws nothing else; another error would be a fault of ours, and is passed on";
const LIMIT = "a limit, which nobody waits for to the last millisecond or byte";
const PIECES = "pieces may be of any size";
const HINT = "what git says here is a hint: all that is used is read by its name, and refused there";
const TYPES = "the other half says so already; the type wants it asked";
const LATE = "what is pushed after the end of a stream goes nowhere";

const survivors: readonly Survivor[] = [
  {
    file: "execution/real-path.ts",
    operation: "condition is false",
    written: "parent === path",
    reason: "the root is its own folder; only a drive that is not there would never end",
  },
  { file: "execution/real-path.ts", operation: "condition is false", written: 'sep === "\\\\"', reason: WINDOWS },
  { file: "execution/regular-file.ts", operation: "off by one", written: "60_000", reason: LIMIT },
  {
    file: "execution/regular-file.ts",
    operation: "off by one",
    written: "1",
    on: "const CHUNK = 1 << 20;",
    to: "(2)",
    reason: PIECES,
  },
  {
    file: "execution/regular-file.ts",
    operation: "off by one",
    written: "20",
    on: "const CHUNK = 1 << 20;",
    reason: PIECES,
  },
  {
    file: "execution/regular-file.ts",
    operation: "off by one",
    written: "1",
    on: "const buffer = Buffer.allocUnsafe(Math.min(size + 1, CHUNK));",
    to: "(2)",
    reason: PIECES,
  },
  {
    file: "execution/regular-file.ts",
    operation: "condition is false",
    written: "size > bytes",
    reason: "what is read is counted as well; this only spares the reading",
  },
  {
    file: "execution/regular-file.ts",
    operation: "other operator",
    written: ">",
    on: 'if (performance.now() > until) throw new FileError("too-slow");',
    to: ">=",
    reason: LIMIT,
  },
  {
    file: "execution/regular-file.ts",
    operation: "condition is false",
    written: "constants.O_NOFOLLOW === undefined && lstatSync(path).isSymbolicLink()",
    reason: WINDOWS,
  },
  {
    file: "execution/regular-file.ts",
    operation: "conjunct dropped",
    written: "constants.O_NOFOLLOW === undefined && lstatSync(path).isSymbolicLink()",
    reason: WINDOWS,
  },
  {
    file: "execution/regular-file.ts",
    operation: "other operator",
    written: "&&",
    on: 'if (constants.O_NOFOLLOW === undefined && lstatSync(path).isSymbolicLink()) throw new FileError("no-regular-file");',
    reason: WINDOWS,
  },
  {
    file: "execution/regular-file.ts",
    operation: "other operator",
    written: "===",
    on: 'if (constants.O_NOFOLLOW === undefined && lstatSync(path).isSymbolicLink()) throw new FileError("no-regular-file");',
    reason: WINDOWS,
  },
  {
    file: "execution/regular-file.ts",
    operation: "off by one",
    written: "0",
    on: "file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));",
    reason: WINDOWS,
  },
  {
    file: "execution/regular-file.ts",
    operation: "condition is false",
    written: "error instanceof FileError",
    on: "throw error instanceof FileError ? error : new FileError(problemOf(error));",
    reason: WINDOWS,
  },
  {
    file: "execution/regular-file.ts",
    operation: "conjunct dropped",
    written: 'code === "ELOOP" || code === "EMLINK" || code === "ENXIO" || code === "EISDIR"',
    to: 'code === "ELOOP" || code === "EMLINK" || code === "ENXIO"',
    reason: WINDOWS,
  },
  {
    file: "execution/regular-file.ts",
    operation: "conjunct dropped",
    written: 'code === "ELOOP" || code === "EMLINK"',
    to: 'code === "ELOOP"',
    reason: "only BSD says EMLINK",
  },
  {
    file: "execution/instant.ts",
    operation: "off by one",
    written: "7",
    on: "const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as [",
    to: "(8)",
    reason: "the seventh part is not looked at",
  },
  {
    file: "execution/instant.ts",
    operation: "conjunct dropped",
    written: 'zone === undefined || zone === "Z"',
    to: "zone === undefined",
    reason: "`Z` has no digits, which count as 0",
  },
  {
    file: "execution/packet.ts",
    operation: "conjunct dropped",
    written: "script.path === undefined || script.sha256 === undefined",
    to: "script.sha256 === undefined",
    reason: "what has no path has no digest; the compiler wants both asked",
  },
  {
    file: "execution/packet.ts",
    operation: "condition is false",
    written: "!(error instanceof FileError)",
    reason: OURS,
  },
  {
    file: "execution/packet.ts",
    operation: "conjunct dropped",
    written: "result.ok && isJsonObject(result.value)",
    to: "isJsonObject(result.value)",
    reason: "a problem has no value; the compiler wants it asked",
  },
  {
    file: "execution/changed-files.ts",
    operation: "off by one",
    written: "10",
    on: "const LONGEST_WALK = 10 * 60_000;",
    reason: LIMIT,
  },
  { file: "execution/changed-files.ts", operation: "off by one", written: "60_000", reason: LIMIT },
  {
    file: "execution/changed-files.ts",
    operation: "condition is true",
    written: "error instanceof GitError",
    reason: OURS,
  },
  {
    file: "execution/close-request.ts",
    operation: "conjunct dropped",
    written: 'typeof written !== "string" || !Array.isArray(targets)',
    to: "!Array.isArray(targets)",
    reason: "a root that is no text is none, below which nothing lies; the compiler wants it asked",
  },
  { file: "execution/repository/objects.ts", operation: "off by one", written: "2_000_000", reason: LIMIT },
  {
    file: "execution/repository/objects.ts",
    operation: "off by one",
    written: "1",
    on: 'const header = this.get(name, "commit").toString("latin1").split("\\n\\n", 1)[0] as string;',
    to: "(2)",
    reason: "pieces behind the first are not looked at",
  },
  {
    file: "execution/repository/objects.ts",
    operation: "off by one",
    written: "0",
    on: 'this.load([...said.toString("latin1").matchAll(/^[0-9a-f]{40,64}/gm)].map((match) => match[0]));',
    to: "(1)",
    reason: HINT,
  },
  {
    file: "execution/repository/objects.ts",
    operation: "condition is true",
    written: "!(error instanceof GitError)",
    reason: HINT,
  },
  {
    file: "execution/repository/objects.ts",
    operation: "condition is false",
    written: "!(error instanceof GitError)",
    reason: HINT,
  },
  {
    file: "execution/repository/objects.ts",
    operation: "not dropped",
    written: "!(error instanceof GitError)",
    reason: HINT,
  },
  {
    file: "execution/repository/git.ts",
    operation: "off by one",
    written: "1",
    on: "const LARGEST_ANSWER = 1 << 30;",
    to: "(0)",
    reason: LIMIT,
  },
  {
    file: "execution/repository/git.ts",
    operation: "off by one",
    written: "30",
    on: "const LARGEST_ANSWER = 1 << 30;",
    to: "(29)",
    reason: LIMIT,
  },
  {
    file: "execution/repository/git.ts",
    operation: "off by one",
    written: "2",
    on: "const LONGEST_WAIT = 2 * 60_000;",
    reason: LIMIT,
  },
  {
    file: "execution/repository/git.ts",
    operation: "off by one",
    written: "60_000",
    on: "const LONGEST_WAIT = 2 * 60_000;",
    reason: LIMIT,
  },
  {
    file: "execution/script.ts",
    operation: "condition is false",
    written: "real === undefined",
    reason: "reading no path reads nothing; the type wants it asked",
  },
  {
    file: "execution/session.ts",
    operation: "conjunct dropped",
    written: "text === undefined || !/^(?:[0-9a-fA-F]{2})+$/.test(text)",
    to: "!/^(?:[0-9a-fA-F]{2})+$/.test(text)",
    reason: TYPES,
  },
  {
    file: "execution/sign-contract.ts",
    operation: "conjunct dropped",
    written: 'decision.gate !== "CONTAINMENT" && decision.gate !== "OPERATIONS" && decision.gate !== "INTERNAL_ERROR"',
    to: 'decision.gate !== "CONTAINMENT" && decision.gate !== "OPERATIONS"',
    reason: "a fault of the policy itself, which no contract brings about",
  },
  { file: "execution/repository/staged.ts", operation: "off by one", written: "30", to: "(29)", reason: LIMIT },
  {
    file: "execution/repository/staged.ts",
    operation: "condition is true",
    written: "shared !== undefined",
    reason: "the file was listed a moment ago",
  },
  {
    file: "gateway/hook.ts",
    operation: "conjunct dropped",
    written: '"approval" in decision && decision.approval === "required"',
    to: 'decision.approval === "required"',
    reason: TYPES,
  },
  { file: "gateway/lines.ts", operation: "off by one", written: "4096", reason: PIECES },
  {
    file: "gateway/lines.ts",
    operation: "conjunct dropped",
    written: "end >= 0 && !this.destroyed",
    to: "end >= 0",
    reason: LATE,
  },
  {
    file: "gateway/lines.ts",
    operation: "other operator",
    written: ">",
    on: "if (length > this.line.length) {",
    to: ">=",
    reason: PIECES,
  },
  {
    file: "gateway/lines.ts",
    operation: "off by one",
    written: "2",
    on: "const longer = Buffer.allocUnsafe(Math.max(length, this.line.length * 2));",
    reason: PIECES,
  },
  { file: "gateway/lines.ts", operation: "off by one", written: "1000", reason: LIMIT },
  {
    file: "gateway/lines.ts",
    operation: "other operator",
    written: "<",
    on: "if (this.tokens < 0) await after((-this.tokens / messagesPerSecond) * 1000);",
    to: "<=",
    reason: "who has to wait for nothing does not wait",
  },
  {
    file: "gateway/lines.ts",
    operation: "conjunct dropped",
    written: "sink.writableNeedDrain && !this.destroyed",
    to: "sink.writableNeedDrain",
    reason: LATE,
  },
  { file: "gateway/log.ts", operation: "off by one", written: "1e9", reason: LIMIT },
  {
    file: "gateway/log.ts",
    operation: "off by one",
    written: "0",
    on: "let second = 0;",
    reason: "the first line begins a second of its own",
  },
  {
    file: "gateway/log.ts",
    operation: "off by one",
    written: "0",
    on: "let count = 0;",
    reason: "the first line begins a second of its own",
  },
  {
    file: "gateway/log.ts",
    operation: "off by one",
    written: "1000",
    on: "const now = Math.floor(performance.now() / 1000);",
    to: "(999)",
    reason: LIMIT,
  },
  {
    file: "gateway/relay.ts",
    operation: "conjunct dropped",
    written: "message.id !== undefined && this.asked.delete(message.id)",
    to: "this.asked.delete(message.id)",
    reason: TYPES,
  },
  {
    file: "gateway/relay.ts",
    operation: "conjunct dropped",
    written: 'params === undefined || typeof name !== "string"',
    to: 'typeof name !== "string"',
    reason: TYPES,
  },
  { file: "gateway/relay.ts", operation: "condition is false", written: "message.id === undefined", reason: TYPES },
  {
    file: "gateway/relay.ts",
    operation: "condition is true",
    written: "this.open.size === 0",
    reason: "asked again before anybody is told",
  },
  {
    file: "gateway/relay.ts",
    operation: "conjunct dropped",
    written: '!("method" in message) && message.id !== undefined && "result" in message',
    to: '"result" in message',
    reason: "a message with a result has an id and no method",
  },
  {
    file: "gateway/relay.ts",
    operation: "conjunct dropped",
    written: '!("method" in message) && message.id !== undefined',
    reason: "a message with a result has an id and no method",
  },
  {
    file: "gateway/relay.ts",
    operation: "conjunct dropped",
    written: 'typeof tool === "object" && tool !== null && "name" in tool',
    to: 'typeof tool === "object" && tool !== null',
    reason: TYPES,
  },
  { file: "gateway/tool-map.ts", operation: "condition is false", written: "root === undefined", reason: TYPES },
  {
    file: "gateway/tool-map.ts",
    operation: "conjunct dropped",
    written: 'members === undefined || tool?.kind !== "String"',
    to: 'tool?.kind !== "String"',
    reason: TYPES,
  },
  {
    file: "gateway/tool-map.ts",
    operation: "condition is false",
    written: "span === undefined",
    reason: "a text without an error has a root, and that a span",
  },
  {
    file: "gateway/verdicts.ts",
    operation: "condition is false",
    written: "lineage === undefined",
    reason: "an absent member and one that is `undefined` are the same to the guard",
  },
];

const met = new Set<Survivor>();

/** `file`: below compiler. */
export function explanationOf(mutant: Omit<HostMutant, "line" | "text">): string | undefined {
  const found = survivors.find(
    ({ file, operation, written, on = mutant.on, to = mutant.to }) =>
      file === mutant.file &&
      operation === mutant.operation &&
      written === mutant.written &&
      on === mutant.on &&
      to === mutant.to,
  );
  if (found !== undefined) met.add(found);
  return found?.reason;
}

/** Entries of these files that no mutant met. */
export function unused(files: readonly string[]): string[] {
  return survivors
    .filter((entry) => files.includes(entry.file) && !met.has(entry))
    .map(({ file, operation, written }) => `${file}  ${operation}  ${written}`);
}
