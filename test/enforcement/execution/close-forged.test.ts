/**
 * Git folders that a commit reads otherwise than a list of the index's entries: forged indexes, branches in two places, states
 * of unfinished commands. Each was "reconciled", and `git commit` then wrote a change that no contract declares.
 */

import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import {
  baseline,
  expectReconciled,
  expectRefused,
  expectUnavailable,
  folder,
  repository,
  undeclared,
  uniqueName,
  useRepositories,
} from "./closing.ts";
import { type CacheNode, cacheTree, type RawEntry, readIndex, sealed, writeIndex } from "./index-bytes.ts";
import { makeRepository } from "./repository.ts";

useRepositories();

const inGit = (...path: string[]): string => join(repository.top, ".git", ...path);

/** The declared change is staged, as an agent would. */
beforeEach(() => {
  repository.write("docs/allowed.txt", "two\n");
  repository.git("add", "docs/allowed.txt");
});

function changeIndex(change: (entries: readonly RawEntry[]) => readonly RawEntry[]): void {
  const index = readIndex(inGit("index"));
  writeIndex(inGit("index"), { version: 3, entries: change(index.entries), extensions: [] });
}

function changeEntry(name: string, change: Partial<RawEntry>): void {
  changeIndex((entries) => entries.map((one) => (one.name === name ? { ...one, ...change } : one)));
}

describe("the trees that an index remembers", () => {
  const forge = (...nodes: readonly CacheNode[]): void => {
    const { version, entries } = readIndex(inGit("index"));
    const body = Buffer.concat(nodes.map(cacheTree));
    writeIndex(inGit("index"), { version, entries, extensions: [{ signature: "TREE", body }] });
  };
  const hashes = (): { root: string; docs: string; src: string } => {
    const root = repository.git("write-tree");
    return { root, docs: repository.git("rev-parse", `${root}:docs`), src: repository.git("rev-parse", `${root}:src`) };
  };

  it("are what a commit writes: one of the whole, or of a folder, with an undeclared change is refused", async () => {
    const { root, docs, src } = hashes();
    repository.write("src/code.ts", "evil\n");
    repository.git("add", "-A");
    const evil = hashes();
    repository.git("reset", "-q", "--", "src");
    repository.write("src/code.ts", "export {};\n");
    await expectReconciled();
    const children = [
      { name: "docs", count: 2, hash: docs },
      { name: "src", count: 1, hash: src },
    ];
    forge({ name: "", count: 5, hash: root, children });
    await expectReconciled();
    forge({ name: "", count: -1, hash: "", children });
    await expectReconciled();
    for (const forged of [
      { name: "", count: 5, hash: evil.root },
      { name: "", count: 5, hash: evil.root, children },
      { name: "", count: -1, hash: "", children: [{ name: "src", count: 1, hash: evil.src }] },
      { name: "", count: -1, hash: "", children: [{ name: "src", count: 4, hash: src }] },
      { name: "", count: -1, hash: "", children: [{ name: "other", count: 1, hash: src }] },
      { name: "", count: -1, hash: "", children: [...children, ...children] },
      { name: "", count: -1, hash: "", children: [{ name: "", count: 5, hash: root }] },
      { name: "docs", count: 2, hash: docs },
    ]) {
      forge(forged);
      await expectRefused("trees that are not those of its entries");
    }
    forge({ name: "", count: 5, hash: root }, { name: "", count: 5, hash: evil.root });
    await expectUnavailable();
  });

  it("are forged so that git commits them", () => {
    repository.write("src/code.ts", "evil\n");
    repository.git("add", "-A");
    const evil = repository.git("write-tree");
    repository.git("reset", "-q", "--", "src");
    forge({ name: "", count: 5, hash: evil });
    repository.git("commit", "-q", "-m", "c");
    expect(repository.git("show", "HEAD:src/code.ts")).toBe("evil");
  });
});

describe("an entry of the index", () => {
  it("is refused with a flag that leaves it out of a commit, or out of sight", async () => {
    await expectReconciled();
    changeEntry("src/code.ts", { flags: 0x4000, extended: 0x2000 });
    await expectRefused("to be added later");
    changeEntry("src/code.ts", { flags: 0x4000, extended: 0x4000 });
    await expectRefused("out of the work tree");
    changeEntry("src/code.ts", { flags: 0x4000, extended: 0 });
    await expectUnavailable();
    changeEntry("src/code.ts", { flags: 0x8000 });
    await expectRefused("is unchanged");
  });

  it("is refused in a version of a merge, with a mode of its own, without a content, or with another object's", async () => {
    changeEntry("src/code.ts", { flags: 0x1000 });
    await expectRefused("unmerged");
    for (const mode of [0o100664, 0o100600, 0o040000, 0]) {
      changeEntry("src/code.ts", { flags: 0, mode });
      await expectRefused("with the mode");
    }
    changeEntry("src/code.ts", { mode: 0o100644, hash: "0".repeat(40) });
    await expectRefused("without a content");
    changeEntry("docs/allowed.txt", { hash: repository.git("rev-parse", "HEAD:src") });
    changeEntry("src/code.ts", { hash: repository.git("rev-parse", "HEAD:src/code.ts") });
    await expectRefused("is a tree, not a blob");
    changeEntry("docs/allowed.txt", { hash: "e".repeat(40) });
    await expectRefused("is missing");
  });

  it("is refused out of order, twice, below a file, or under a name that no checkout writes", async () => {
    changeIndex((entries) => [...entries].reverse());
    await expectRefused("not in order");
    changeIndex((entries) => [...entries].reverse().flatMap((one) => [one, one]));
    await expectRefused("not in order");
    const one = readIndex(inGit("index")).entries[0] as RawEntry;
    const only = (...names: string[]): void => changeIndex(() => names.map((name) => ({ ...one, name })));
    only("a", "a/b");
    await expectRefused("as a file and a folder");
    for (const name of ["../x", "/x", "a//b", "a/", ".git/hooks/x", "a/.GIT/x", ".", "x".repeat(4097)]) {
      only(name);
      await expectUnavailable();
    }
  });
});

describe("an index", () => {
  it("is refused with an extension beside its trees, also one that git would pass over", async () => {
    const index = readIndex(inGit("index"));
    for (const signature of ["link", "sdir", "FSMN", "UNTR", "REUC", "EOIE", "IEOT", "ABCD", "tree"]) {
      writeIndex(inGit("index"), { ...index, extensions: [{ signature, body: Buffer.alloc(20) }] });
      await expectUnavailable();
    }
    writeIndex(inGit("index"), { ...index, extensions: [] });
    await expectReconciled();
  });

  it("is refused when it is cut, longer, of another version, or does not have its hash", async () => {
    const whole = readFileSync(inGit("index"));
    const body = whole.subarray(0, -20);
    const changed = (at: number, byte: number): Buffer => {
      const copy = Buffer.from(body);
      copy[at] = byte;
      return copy;
    };
    const broken = [
      sealed(body.subarray(0, -1)),
      sealed(Buffer.concat([body, Buffer.alloc(4)])),
      ...[changed(7, 1), changed(7, 5), changed(7, 4), changed(11, 9), changed(11, 1), changed(0, 0x64)].map(sealed),
      // The length that stands before a name is not its length.
      sealed(changed(12 + 61, 3)),
      Buffer.concat([changed(12 + 45, 7), whole.subarray(-20)]),
      Buffer.alloc(0),
    ];
    for (const bytes of broken) {
      writeFileSync(inGit("index"), bytes);
      await expectUnavailable();
    }
    // As git writes it with `index.skipHash`.
    writeFileSync(inGit("index"), Buffer.concat([body, Buffer.alloc(20)]));
    await expectReconciled();
    rmSync(inGit("index"));
    symlinkSync("/dev/zero", inGit("index"));
    await expectUnavailable();
  });
});

describe("what is checked out", () => {
  /** A commit with an undeclared change; the branch, the index and the work tree are back at the baseline. */
  const evilCommit = (): string => {
    repository.write("src/code.ts", "evil\n");
    const evil = repository.commit();
    repository.git("reset", "-q", "--hard", baseline);
    return evil;
  };

  it("is refused where packed refs hold a name twice, are not in order, or are not what git writes", async () => {
    const evil = evilCommit();
    rmSync(inGit("refs/heads/main"));
    const header = "# pack-refs with: peeled fully-peeled sorted \n";
    const [good, bad] = [baseline, evil].map((commit) => `${commit} refs/heads/main\n`) as [string, string];
    const before = `${evil} refs/heads/a\n`;
    const write = (text: string): void => writeFileSync(inGit("packed-refs"), text);
    for (const text of [good, header + good, header + before + good, `${header + before}^${evil}\n${good}`]) {
      write(text);
      await expectReconciled();
    }
    for (const text of [
      ...[
        header + good + bad,
        header + bad + good,
        good + bad,
        header + good + bad + bad + bad,
        header + good + before,
      ],
      ...[
        good.trimEnd(),
        good + header,
        `^${evil}\n${good}`,
        good.replace("\n", "\r\n"),
        `${good}\n`,
        good.toUpperCase(),
      ],
      ...[`${good}^${evil}\n^${evil}\n`, `${evil} CHERRY_PICK_HEAD\n${good}`],
    ]) {
      write(text);
      await expectRefused("`packed-refs` is not what git writes");
    }
    // As after `git gc` and a commit: the branch's own file counts for git.
    writeFileSync(inGit("refs/heads/main"), `${evil}\n`);
    write(header + good);
    expect(await undeclared()).toEqual(["src/code.ts"]);
  });

  it("is refused where HEAD is on no branch, on a ref of another kind, or not what git writes", async () => {
    repository.git("update-ref", "refs/worktree/x", baseline);
    repository.git("update-ref", "refs/remotes/o/x", baseline);
    repository.git("symbolic-ref", "refs/heads/alias", "refs/heads/main");
    for (const head of [
      ...[`${baseline}\n`, "ref: refs/worktree/x\n", "ref: refs/remotes/o/x\n", "ref: refs/heads/alias\n"],
      ...[
        "ref: refs/heads/main",
        "ref:refs/heads/main\n",
        "ref: refs/heads/main \n",
        "ref: refs/heads/../heads/main\n",
      ],
      ...["ref: refs/heads/main\nref: refs/heads/other\n", "ref: refs/heads//main\n", "ref: refs/heads/none\n", ""],
    ]) {
      writeFileSync(inGit("HEAD"), head);
      await expectUnavailable();
    }
    rmSync(inGit("HEAD"));
    symlinkSync("refs/heads/main", inGit("HEAD"));
    await expectUnavailable();
  });

  it("is refused where the branch's own file cannot be looked at, whatever the packed refs say", async () => {
    if (process.platform === "win32") return;
    repository.git("pack-refs", "--all");
    rmSync(inGit("refs/heads"), { recursive: true });
    // As a folder that its owner has closed for a while; a link to itself is closed to everybody.
    symlinkSync("heads", inGit("refs/heads"));
    await expectRefused("`refs/heads/main` lies behind a link, or cannot be read");
  });

  it("is refused where the branch's file is a link, lies behind one, or holds more than a commit", async () => {
    const other = makeRepository(join(folder, uniqueName("other")));
    const commits = [`${baseline}`, `${baseline} \n`, `${baseline}\n${baseline}\n`, `${baseline.slice(1)}\n`, "\n"];
    for (const text of commits) {
      writeFileSync(inGit("refs/heads/main"), text);
      await expectUnavailable();
    }
    rmSync(inGit("refs/heads"), { recursive: true });
    mkdirSync(join(other.top, "heads"));
    writeFileSync(join(other.top, "heads/main"), `${baseline}\n`);
    symlinkSync(join(other.top, "heads"), inGit("refs/heads"));
    await expectRefused("lies behind a link");
    rmSync(inGit("refs/heads"));
    mkdirSync(inGit("refs/heads"));
    symlinkSync(join(other.top, "heads/main"), inGit("refs/heads/main"));
    await expectUnavailable();
  });

  it("is refused where another folder would say: commondir, a reftable", async () => {
    const other = makeRepository(join(folder, uniqueName("other")));
    writeFileSync(inGit("commondir"), `${other.top}/.git\n`);
    await expectRefused("keeps a part elsewhere: `commondir`");
    rmSync(inGit("commondir"));
    mkdirSync(inGit("reftable"));
    await expectRefused("keeps a part elsewhere: `reftable`");
  });
});

describe("a command that is not finished", () => {
  it.each([
    ...["MERGE_HEAD", "MERGE_MSG", "MERGE_MODE", "CHERRY_PICK_HEAD", "REVERT_HEAD", "REBASE_HEAD", "SQUASH_MSG"],
    ...[
      "AUTO_MERGE",
      "BISECT_LOG",
      "BISECT_START",
      "rebase-merge/head-name",
      "rebase-apply/applying",
      "sequencer/todo",
    ],
  ])("is refused: %s", async (name) => {
    repository.write(`.git/${name}`, `${baseline}\n`);
    await expectRefused("in the middle of something");
  });

  it("is nothing else that git leaves", async () => {
    for (const name of ["ORIG_HEAD", "FETCH_HEAD", "COMMIT_EDITMSG", "MERGE_RR", "gc.pid", "description", "GITGUI_MSG"])
      repository.write(`.git/${name}`, `${baseline}\n`);
    await expectReconciled();
  });
});
