/** Files, evidence, times, contracts, packets, records: what a build of them has to say. */
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { HandoffDecision, HandoffRequest, Policy } from "@portcullis/runtime";
import { nodeHost } from "../../../compiler/documents/node.ts";
import { Contents, collectEvidence } from "../../../compiler/enforcement/execution/handoff/evidence.ts";
import {
  checkSamples,
  parseContract,
  parseRecord,
  type Sample,
  selfTest,
} from "../../../compiler/enforcement/execution/index.ts";
import { instant } from "../../../compiler/enforcement/execution/instant.ts";
import { liesIn, linkAt, policyPath, realPath, realPlace } from "../../../compiler/enforcement/execution/real-path.ts";
import { FileError, readRegularFile } from "../../../compiler/enforcement/execution/regular-file.ts";
import { loadSources } from "../../../compiler/governance/sources/index.ts";
import { type Asked, type Check, same } from "./check.ts";
import { replayChecks } from "./replays.ts";
import { scriptChecks } from "./scripts.ts";
import { signingChecks } from "./signing.ts";

export function checks(asked: Asked): readonly Check[] {
  const { files, large, samples } = asked.fixtures;
  return [
    { what: "files", run: () => openedFiles(files, large) },
    { what: "paths", run: () => paths(files) },
    { what: "evidence", run: () => evidence(files) },
    { what: "contents", run: remembered },
    { what: "times", run: times },
    { what: "texts", run: texts },
    { what: "samples", run: () => sampled(samples) },
    ...replayChecks(),
    ...scriptChecks(),
    ...signingChecks(asked),
  ];
}

function problemOf(work: () => unknown): string {
  try {
    work();
    return "none";
  } catch (error) {
    return error instanceof FileError ? error.problem : error instanceof Error ? error.name : "thrown";
  }
}

function openedFiles(folder: string, large: number): void {
  const at = (name: string): string => join(folder, name);
  same("a file", readRegularFile(at("file")).toString(), "0123456789");
  same("a file of just the size", readRegularFile(at("file"), { bytes: 10 }).toString(), "0123456789");
  same(
    "a file that is too large",
    problemOf(() => readRegularFile(at("file"), { bytes: 9 })),
    "too-large",
  );
  same(
    "a file that takes too long",
    problemOf(() => readRegularFile(at("file"), { until: 0 })),
    "too-slow",
  );
  same(
    "a file that has more to say than its size",
    problemOf(() => readRegularFile("/proc/version", { bytes: 8 })),
    "too-large",
  );
  same("a file without a size", readRegularFile("/proc/version").length > 8, true);
  same("a large file", readRegularFile(at("large")).equals(Buffer.alloc(large, "0123456789")), true);
  same(
    "a document that is too large",
    problemOf(() => readRegularFile(at("hole"))),
    "too-large",
  );
  same(
    "a name that is too long",
    problemOf(() => readRegularFile(at("x".repeat(300)))),
    "unreadable",
  );
  same("the largest document", readRegularFile(at("whole")).length, 16 << 20);
  same(
    "a file that cannot be read",
    problemOf(() => readRegularFile("/proc/self/mem")),
    "unreadable",
  );
  same(
    "words",
    attempt(() => readRegularFile(at("link"))),
    "not a regular file",
  );
  for (const odd of ["link", "pipe", "socket", "."])
    same(
      odd,
      problemOf(() => readRegularFile(at(odd))),
      "no-regular-file",
    );
  for (const none of ["none", "file/x"])
    same(
      none,
      problemOf(() => readRegularFile(at(none))),
      "absent",
    );
}

function evidence(folder: string): void {
  const paths = [
    "file",
    "link",
    "out",
    "pipe",
    "none",
    "../x",
    "/etc/hosts",
    "a\\..\\b",
    "C:x",
    "a\0b",
    ".",
    "file/x",
    "\\x",
    "a\0b/c",
    "lost",
    "lost/x",
    "etc/none",
    "folder",
    "none/../../x",
  ];
  const found = collectEvidence(folder, { artifacts: [...paths.map((path) => ({ path })), null, { path: 1 }] });
  const sha256 = createHash("sha256").update("0123456789").digest("hex");
  const seen = { exists: true, contained: true, resolved: "file", file: true, sha256, size: 10 };
  const [lost, outside] = [
    { exists: false, file: false, contained: true },
    { exists: false, file: false, contained: false },
  ];
  const odd = (resolved: string): object => ({ exists: true, contained: true, resolved, file: false });
  same("evidence", found, {
    ...{ file: seen, link: seen, out: outside, pipe: odd("pipe"), none: lost, "../x": outside, "/etc/hosts": outside },
    ...{ "a\\..\\b": outside, "C:x": outside, "a\0b": lost, ".": odd(""), "file/x": lost, "\\x": outside },
    ...{
      "a\0b/c": lost,
      lost: lost,
      "lost/x": outside,
      "etc/none": outside,
      folder: odd("folder"),
      "none/../../x": outside,
    },
  });
  same("evidence without a root", collectEvidence(undefined, { artifacts: [{ path: "file" }] }), { file: lost });
  for (const record of [null, [], { artifacts: {} }, 1])
    same("evidence of no record", collectEvidence(folder, record), {});
}

/** A file is read once, and again as soon as it may be another. */
function remembered(): void {
  const folder = mkdtempSync(join(tmpdir(), "portcullis-mutant-"));
  try {
    const [first, second, link] = ["first", "second", "link"].map((name) => join(folder, name)) as [
      ...[string, string, string],
    ];
    const write = (path: string, text: string, seconds: number): void => {
      writeFileSync(path, text);
      utimesSync(path, seconds, seconds);
    };
    const lead = (to: string): void => {
      rmSync(link, { force: true });
      symlinkSync(to, link);
    };
    write(first, "a", 1);
    write(second, "b", 1);
    lead("first");
    let reads = 0;
    let meanwhile = (): void => {};
    const contents = new Contents((path) => {
      meanwhile();
      return { file: true, size: reads++, sha256: readFileSync(path, "utf8") };
    });
    const of = (path: string): unknown => [contents.of(path).sha256, reads];
    // While it is read, the link comes to lead to another file, and leads back afterwards.
    meanwhile = () => lead("second");
    same("a file that changed", of(link), ["b", 1]);
    meanwhile = () => {};
    lead("first");
    same("what the link led to before", of(link), ["a", 2]);
    same("what the link led to meanwhile", of(second), ["b", 3]);
    same("known by another name", of(first), ["a", 3]);
    write(first, "c", 2);
    same("written to since", of(first), ["c", 4]);
    same("known again", of(link), ["c", 4]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function times(): void {
  const at = Date.UTC(2026, 1, 28, 23, 59, 59);
  for (const [text, expected] of [
    ["2026-02-28T23:59:59Z", at],
    ["2026-02-28T23:59:59", at],
    ["2026-03-01T01:29:59+01:30", at],
    ["2026-02-28T18:29:59-05:30", at],
    ["2026-02-28T23:59:59.5Z", at + 500],
    ["2026-02-29T23:59:59Z", undefined],
    ["2026-02-28T23:59Z", undefined],
    ["2026-02-28T23:59:59+24:00", undefined],
    ["2026-02-28T23:59:59.0019Z", at + 1],
    ["2026-02-28T23:59:59.999999Z", at + 999],
    ["2026-03-01T23:44:59+23:45", at],
    [["2026-02-28T23:59:59Z"], undefined],
    [undefined, undefined],
  ] as const)
    same(String(text), instant(text), expected);
}

function attempt(work: () => unknown): string {
  try {
    work();
    return "none";
  } catch (error) {
    return String((error as Error).message);
  }
}

function paths(folder: string): void {
  const at = (name: string): string => join(folder, name);
  for (const [name, real, place] of [
    ["file", "file", "file"],
    ["link", "file", "link"],
    ["none", undefined, "none"],
    ["none/deep/x", undefined, "none/deep/x"],
    ["lost", undefined, "lost"],
    ["lost/x", undefined, undefined],
    ["file/x", undefined, "file/x"],
    ["inner/x", undefined, "folder/x"],
    ["circle/x", undefined, undefined],
    ["file/x/y", undefined, "file/x/y"],
    [`${"x".repeat(300)}/y`, undefined, undefined],
  ] as const) {
    same(`real ${name}`, realPath(at(name)), real === undefined ? undefined : at(real));
    same(`place of ${name}`, realPlace(at(name)), place === undefined ? undefined : at(place));
  }
  same("the place of the root", realPlace("/"), "/");
  same(
    "links",
    ["file", "link", "lost", "none"].map((name) => linkAt(at(name))),
    [false, true, true, false],
  );
  same("policy paths", ["/a", "a", "/", "a\\b"].map(policyPath), ["/a", "/a", "/", "/a\\b"]);
  for (const [path, inside] of [
    ...([
      ["/a/b", true],
      ["/a", true],
      ["/ab", false],
      ["/", false],
      ["/b/a/", false],
    ] as const),
  ])
    same(`${path} in /a`, liesIn(path, "/a"), inside);
  same("all is in the root", [liesIn("/a", "/"), liesIn("/", "/")], [true, true]);
}

function texts(): void {
  for (const [text, expected] of [
    ["{}", true],
    ['{"a":{"a":1}}', true],
    ["{", false],
    ['{"a":1,"a":2}', false],
    ['{"a":{"b":1,"b":2}}', false],
    ["null", false],
    ["[]", false],
    ["", false],
  ] as const)
    same(text, parseContract("c", Buffer.from(text)).ok, expected);
  same("UTF-8", parseContract("c", Uint8Array.of(0x22, 0xff, 0x22)).ok, false);
  same("UTF-8 in a text", parseContract("c", Buffer.from('{"a":"\xff"}', "latin1")).ok, false);
  const twice = parseContract("c", Buffer.from('{"a":1,"a":2}'));
  same("the message", !twice.ok && twice.problem.message.startsWith("`c` is not valid JSON: "), true);
  same("a record", parseRecord("f", Buffer.from("[1]")), { file: "f", record: [1], problem: undefined });
  const broken = parseRecord("f", Buffer.from("x"));
  same("no record", [broken.file, broken.record, typeof broken.problem], ["f", null, "string"]);
}

/** Refuses what a record names, for the reasons that it names. */
const judging = {
  handoff({ record, artifacts }: HandoffRequest) {
    const { refuse, seen } = record as { refuse?: readonly string[]; seen?: unknown };
    if (seen !== undefined) same("artifacts of a sample", artifacts, seen);
    if (refuse === undefined) return { allowed: true, gate: "ALLOW", reason: "accepted", violations: [] };
    const violations = refuse.map((reason) => ({ reason, pointer: "" }));
    const fault = { allowed: false, gate: "INTERNAL_ERROR", reason: "invalid input" };
    return refuse.length === 0 ? fault : { allowed: false, gate: "G", reason: refuse[0], violations };
  },
} as unknown as Policy;

function sampled(sets: string): void {
  const folder = join(sets, "whole");
  const said = (path: string, positive: boolean, record: object): unknown => {
    const [found] = checkSamples(judging, [{ dir: folder, path, text: JSON.stringify(record), positive }]);
    same(`the file of ${path}`, [found?.file, found?.positive], [join(folder, path), positive]);
    return found?.failure;
  };
  const good = "handoff-samples/positive/good.json";
  const bad = (name: string): string => `handoff-samples/negative/${name}.json`;
  same("a good sample", said(good, true, {}), undefined);
  same("a good sample refused", said(good, true, { refuse: ["a", "b", "a"] }), "a positive sample was refused: a, b");
  same("a good sample at fault", said(good, true, { refuse: [] }), "a positive sample was refused: invalid input");
  for (const name of ["a", "a-more", "b", "b-and-a"])
    same(name, said(bad(name), false, { refuse: ["a", "b"] }), undefined);
  same("a bad sample accepted", said(bad("a"), false, {}), "a negative sample was accepted");
  for (const name of ["c", "aa", "c-a", "a_b"])
    same(name, said(bad(name), false, { refuse: ["a", "b"] }), "refused, but for a, b, not for what its name says");
  const fault = "refused, but for invalid input, not for what its name says";
  same("a bad sample at fault", said(bad("a"), false, { refuse: [] }), fault);
  const sha256 = createHash("sha256").update("evidence").digest("hex");
  const seen = { e: { exists: true, contained: true, resolved: "e", file: true, sha256, size: 8 } };
  same("a sample's artifacts", said(good, true, { artifacts: [{ path: "e" }], seen }), undefined);

  const whole = selfTest(judging, folder, samplesIn(folder));
  same("a whole set", whole.ok && whole.value.map(({ positive, failure }) => [positive, failure]).sort(), [
    [false, undefined],
    [true, undefined],
  ]);
  for (const kind of ["positive", "negative"]) {
    const half = selfTest(judging, join(sets, `no-${kind}`), samplesIn(join(sets, `no-${kind}`)));
    same(`no ${kind}`, !half.ok && half.problem.message, `no ${kind} samples in \`${join(sets, `no-${kind}`)}\``);
  }
  const { allowed, gate, reason, violations, milliseconds } = checkSamples(judging, [
    { dir: folder, path: good, text: '{"refuse":[]}', positive: true },
  ])[0] as unknown as HandoffDecision & { milliseconds: number };
  same(
    "a fault",
    { allowed, gate, reason, violations },
    { allowed: false, gate: "INTERNAL_ERROR", reason: "invalid input", violations: [] },
  );
  same("a time", milliseconds >= 0, true);
}

function samplesIn(dir: string): Sample[] {
  return loadSources(nodeHost, [dir]).set.samples.map(({ file, ...sample }) => ({ ...sample, text: file.text }));
}
