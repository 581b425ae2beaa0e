/** Closed contracts, random repositories and odd ones: what a build of them has to say. */
import { createHash, createHmac } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { changedFiles } from "../../../compiler/enforcement/execution/changed-files.ts";
import { closeFacts } from "../../../compiler/enforcement/execution/index.ts";
import { withGit } from "../../../compiler/enforcement/execution/repository/git.ts";
import { Objects, workTreeListing } from "../../../compiler/enforcement/execution/repository/index.ts";
import { sessionSecret } from "../../../compiler/enforcement/execution/session.ts";
import { type Asked, type Check, same } from "./check.ts";
import type { Fixtures } from "./fixtures.ts";
import type { Situation } from "./situations/index.ts";

export function checks({ fixtures }: Asked): readonly Check[] {
  const slow = fixtures.situations.filter(({ isSlow }) => isSlow);
  const others = fixtures.situations.filter(({ isSlow }) => !isSlow);
  return [
    ...others.map((one) => ({ what: one.what, run: () => situation(one) })),
    { what: "closings", run: () => closings(fixtures) },
    { what: "a walk without an end", run: () => slowWalk(fixtures) },
    { what: "how much is read at once", run: () => shares(fixtures) },
    { what: "programs in the place of git", run: () => programs(fixtures) },
    ...fixtures.repositories.map((one) => ({ what: one.top, run: () => random(one) })),
    ...slow.map((one) => ({ what: one.what, run: () => situation(one) })),
  ];
}

function situation(one: Situation): void {
  if (one.index !== undefined) process.env["GIT_INDEX_FILE"] = one.index;
  try {
    judge(one);
  } finally {
    delete process.env["GIT_INDEX_FILE"];
  }
}

function judge({ folder, top, baseline, expected, committed, says = "" }: Situation): void {
  if (expected === "refused") {
    let said = "believed";
    try {
      changedFiles(folder, baseline);
    } catch (error) {
      const { name, message } = error as Error;
      said = message.includes(says) ? name : message;
    }
    return same("what is not to be believed", said, "GitError");
  }
  const { files, lastCommit } = changedFiles(folder, baseline);
  const found = files.map(({ path, resolved, operation }) => {
    const place = resolved === join(top, path) ? "" : ` = ${resolved ?? "nowhere"}`;
    return `${operation} ${path}${place}`;
  });
  same("what was done", found.sort(), expected);
  if (committed !== undefined) same("the last commit", lastCommit, committed ?? undefined);
}

function random({ top, baseline, expected }: Fixtures["repositories"][number]): void {
  const found = changedFiles(top, baseline).files.map(({ path, operation }) => `${operation} ${path}`);
  same("what was done", [...new Set(found)].sort(), expected);
}

function closings({ repositories, files }: Fixtures): void {
  const [{ top, baseline } = { top: "", baseline: "" }] = repositories;
  // The commits of the fixtures were made at 1770000000, which is 2026-02-02T02:40:00Z.
  const terms = {
    ...{ contract_id: "c-1", contract_root: top, baseline_sha: baseline, expires_at: "2026-02-02T02:40:01Z" },
    ...{ declared_targets: ["b"], declared_operations: ["WRITE"] },
  };
  const asked = (fields: object, now = 0, isCommitting = false): unknown => {
    const time = { now, isCommitting };
    const { request, warnings } = closeFacts({ ...terms, ...fields }, { secret: undefined }, time);
    const { contract, contract_root, declared_targets, declared_operations, changed_files, baseline_sha } = request;
    same("operations", declared_operations, ["WRITE"]);
    return [contract, baseline_sha, contract_root, declared_targets, changed_files !== null, warnings];
  };
  const [open, expired] = [false, true].map((one) => ({ signature_valid: false, expired: one }));
  same("in time", asked({}), [open, baseline, top, ["b"], true, []]);
  same("too late", asked({ expires_at: "2026-02-02T02:40:00Z" }), [expired, baseline, top, ["b"], true, []]);
  const late = Date.UTC(2026, 2, 2);
  same("judged late", asked({}, late), [open, baseline, top, ["b"], true, []]);
  same("committed late", asked({}, late, true), [expired, baseline, top, ["b"], true, []]);
  const { contract } = closeFacts({ ...terms }, { secret: undefined }, { now: late }).request;
  same("closed late", contract, open);
  same("committed before the last commit", asked({}, 0, true), [open, baseline, top, ["b"], true, []]);
  const rootless = ["`contract_root` is no absolute path of a folder that exists, without a link on the way"];
  const targetsOf = (root: unknown, targets: unknown): unknown =>
    closeFacts({ ...terms, contract_root: root, declared_targets: targets }, "unsigned").request.declared_targets;
  const absolute = [top, `${top}/a`, `${top}/../b`, `${top}2`, "/", 7, "c"];
  same("targets", targetsOf(top, absolute), absolute);
  const link = join(files, "inner");
  const folder = join(files, "folder");
  same("targets below the root", targetsOf("/", ["/", "/a", "b"]), ["/", "/a", "b"]);
  for (const odd of [null, "b", { b: 1 }, undefined]) same("odd targets", targetsOf(top, odd), odd);
  same("targets below no root", targetsOf(7, ["/a"]), ["/a"]);
  same("targets below a root that is lost", targetsOf(`${top}/none`, [`${top}/none/a`]), [`${top}/none/a`]);
  const outside = [`cannot tell what changed: \`${folder}\` is not in a git repository`];
  same("no repository", asked({ contract_root: folder }), [open, baseline, folder, ["b"], false, outside]);
  same("the root by a link", asked({ contract_root: link }, late), [expired, baseline, link, ["b"], false, rootless]);
  same("no baseline", asked({ baseline_sha: undefined }), [open, null, top, ["b"], false, []]);
  same("a baseline that is not a text", asked({ baseline_sha: 7 }), [open, 7, top, ["b"], false, []]);
  const nameless = ["cannot tell what changed: the baseline is no full commit hash"];
  same("a name", asked({ baseline_sha: "main" }), [open, "main", top, ["b"], false, nameless]);
  same("no root", asked({ contract_root: "x" }, late), [expired, baseline, "x", ["b"], false, rootless]);
  same("a root that is not absolute", asked({ contract_root: "." }), [open, baseline, ".", ["b"], false, rootless]);
  same("no root at all", asked({ contract_root: 7 }), [open, baseline, 7, ["b"], false, rootless]);
  const file = join(top, ".git/HEAD");
  for (const root of [file, undefined])
    same(`the root ${root}`, asked({ contract_root: root }), [open, baseline, root, ["b"], false, rootless]);
  const secret = sessionSecret({ PORTCULLIS_SESSION_SECRET: "0".repeat(64) });
  const signature = createHmac("sha256", Buffer.alloc(32)).update("contract:c-1|2026-02-02T02:00:00Z").digest("hex");
  const signed = { ...terms, created_at: "2026-02-02T02:00:00Z", signature };
  for (const [fields, signature_valid] of [
    [{}, true],
    [{ created_at: "2026-02-02T02:00:01Z" }, false],
    [{ created_at: 7 }, false],
  ] as const)
    same(
      "signed as the founding document says",
      closeFacts({ ...signed, ...fields }, { secret, payload: "v1" }, { now: 0 }).request.contract,
      {
        ...{ signature_valid, expired: false },
      },
    );
  for (const odd of [{ secrets: secret }, { secret, payload: "v3" }, { secret, isCommitting: true }]) {
    const refused = (): string => {
      try {
        return String(closeFacts(terms, odd as never).judged);
      } catch (error) {
        return (error as Error).name;
      }
    };
    same("an unknown option of a signatory", refused(), "TypeError");
  }
  same("unsigned", closeFacts(terms, "unsigned", { now: 0 }).request.contract, "unsigned");
  same("now", closeFacts({ ...terms, baseline_sha: null }, { secret: undefined }).request.contract, expired);
}

/** Git says how large each content is; contents that are not larger than 64 MiB together are read at once, or one that is. */
function shares({ files }: Fixtures): void {
  const MIB = 1 << 20;
  for (const [sizes, expected] of [
    [[32 * MIB, 32 * MIB], [2]],
    [[0, 0, 1], [3]],
    [
      [32 * MIB, 32 * MIB + 1],
      [1, 1],
    ],
    [
      [63 * MIB, MIB, 1, 64 * MIB],
      [2, 1, 1],
    ],
    [
      [65 * MIB, 1],
      [1, 1],
    ],
    [
      [1, 65 * MIB, 64 * MIB, 0, 1],
      [1, 1, 2, 1],
    ],
  ] as const) {
    const bodies = sizes.map((_, i) => `${i}`);
    const names = bodies.map((body) => createHash("sha1").update(`blob ${body.length}\0${body}`).digest("hex"));
    const read: number[] = [];
    const run = (args: readonly string[], options: { readonly input?: Uint8Array } = {}): Buffer => {
      const asked = Buffer.from(options.input ?? [])
        .toString()
        .trimEnd()
        .split("\n");
      if (args.includes("--batch-check")) return Buffer.from(names.map((n, i) => `${n} blob ${sizes[i]}\n`).join(""));
      read.push(asked.length);
      return Buffer.from(asked.map((n) => `${n} blob 1\n${bodies[names.indexOf(n)]}\n`).join(""));
    };
    const git = { run, list: () => [], workTree: files, gitDir: files };
    new Objects(git, join(files, "none"), "sha1").requireBlobs(names);
    same(`contents of ${sizes}`, read, expected);
  }
}

/** Git's own last line is what a person is told, or what is wrong with git. */
function programs({ repositories }: Fixtures): void {
  const [{ top, baseline } = { top: "", baseline: "" }] = repositories;
  const folder = mkdtempSync(join(tmpdir(), "portcullis-mutant-"));
  const path = process.env["PATH"];
  const said = (): string => {
    try {
      return `${changedFiles(top, baseline).files.length} files`;
    } catch (error) {
      return String(error);
    }
  };
  try {
    process.env["PATH"] = folder;
    same(
      "no git",
      said(),
      "GitError: `git` is not on the PATH, and nothing is known of a repository without it: install it",
    );
    writeFileSync(join(folder, "git"), "", { mode: 0o600 });
    same("a file that cannot run", said(), "GitError: spawnSync git EACCES");
    for (const [script, expected] of [
      ["echo first >&2; echo last >&2; exit 3", "last"],
      ["echo answer; exit 3", "git failed"],
      ["kill -9 $$", "git failed"],
    ] as const) {
      rmSync(join(folder, "git"));
      writeFileSync(join(folder, "git"), `#!/bin/sh\nwhile read -r line; do :; done\n${script}\n`, { mode: 0o755 });
      same(script, said(), `GitError: ${expected}`);
    }
    environment(folder, said);
  } finally {
    process.env["PATH"] = path;
    rmSync(folder, { recursive: true });
  }
}

/** Nothing of what steers git, and no secret, whatever case it is written in. Who commits is said for a person's commit alone. */
function environment(folder: string, said: () => string): void {
  writeFileSync(join(folder, "git"), `#!/bin/sh\n/usr/bin/env > ${folder}/env\nexit 3\n`, { mode: 0o755 });
  const told = {
    ...{ GIT_EXEC_PATH: "x", git_trace: "x", PORTCULLIS_SESSION_SECRET: "00", OTHERS: "x", NO_GIT_X: "x" },
    GIT_AUTHOR_NAME: "x",
  };
  Object.assign(process.env, told);
  const heard = (ask: () => unknown): string[] => {
    ask();
    const names = readFileSync(join(folder, "env"), "utf8")
      .split("\n")
      .map((line) => line.split("=")[0] as string);
    return Object.keys(told).filter((name) => names.includes(name));
  };
  const commits = () => withGit(folder, "sha1", ({ run }) => run(["commit"], { allowed: [3], isPersonal: true }));
  try {
    same("what git is told", heard(said), ["OTHERS", "NO_GIT_X"]);
    same("what git is told of a person's commit", heard(commits), ["OTHERS", "NO_GIT_X", "GIT_AUTHOR_NAME"]);
  } finally {
    for (const name of Object.keys(told)) delete process.env[name];
  }
}

function slowWalk({ files }: Fixtures): void {
  const walk = (until: number): string => {
    try {
      const nothing = { hashName: "sha1", baseline: new Map(), ignored: () => new Set<string>() } as const;
      return `${workTreeListing({ ...nothing, top: files, isChangedSubmodule: () => false, until }).size > 0}`;
    } catch (error) {
      return String(error);
    }
  };
  same("in time", walk(Number.POSITIVE_INFINITY), "true");
  same("too late", walk(0), "GitError: reading the work tree takes too long");
}
