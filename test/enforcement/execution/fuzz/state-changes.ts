/** What somebody may do to a git folder beside its index and refs: states of commands, settings, and where the folder lies. */

import { appendFileSync, cpSync, existsSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Change } from "./git-folder.ts";

/** What commands leave, and what tells git to read something else than the objects. */
export const STATE_CHANGES: readonly Change[] = [
  [
    "a state",
    (f) =>
      f.put(
        f.random.pick([
          "MERGE_HEAD",
          "CHERRY_PICK_HEAD",
          "REVERT_HEAD",
          "REBASE_HEAD",
          "BISECT_HEAD",
          "AUTO_MERGE",
          "ORIG_HEAD",
          "FETCH_HEAD",
        ]),
        `${f.commit()}\n`,
      ),
  ],
  ["a message", (f) => f.put(f.random.pick(["MERGE_MSG", "SQUASH_MSG", "MERGE_MODE", "COMMIT_EDITMSG"]), "text\n")],
  [
    "a sequence",
    (f) =>
      f.put(
        f.random.pick(["rebase-merge/head-name", "rebase-apply/applying", "sequencer/todo", "BISECT_LOG"]),
        `${f.commit()}\n`,
      ),
  ],
  ["grafts", (f) => f.put("info/grafts", `${f.names.base} ${f.commit()}\n`)],
  ["a shallow boundary", (f) => f.put("shallow", `${f.commit()}\n`)],
  ["a replaced commit", (f) => f.put(`refs/replace/${f.commit()}`, `${f.commit()}\n`)],
  ["a replaced tree", (f) => f.put(`refs/replace/${f.names.baseTree}`, `${f.names.evilTree}\n`)],
  ["attributes", (f) => f.put("info/attributes", "* text eol=crlf ident working-tree-encoding=UTF-16\n")],
  [
    "a setting",
    (f) =>
      appendFileSync(
        f.in("config"),
        f.random.pick([
          "[core]\n\tworktree = /nowhere\n",
          "[core]\n\tbare = true\n",
          "[index]\n\tsparse = true\n[core]\n\tsparseCheckout = true\n",
          "[feature]\n\tmanyFiles = true\n",
          "[core]\n\tsplitIndex = true\n",
          "[core]\n\tignoreCase = true\n",
          "[core]\n\trepositoryFormatVersion = 1\n[extensions]\n\tworktreeConfig = true\n",
          "[extensions]\n\tobjectFormat = sha256\n",
        ]),
      ),
  ],
];

/** Other places for the folder and its refs. */
export const PLACE_CHANGES: readonly Change[] = [
  [
    "a .git that is a file",
    (f) => {
      renameSync(f.in(), `${f.top}-elsewhere`);
      writeFileSync(f.in(), `gitdir: ${f.top}-elsewhere\n`);
    },
  ],
  [
    "a .git that is a link",
    (f) => {
      renameSync(f.in(), `${f.top}-elsewhere`);
      symlinkSync(`${f.top}-elsewhere`, f.in());
    },
  ],
  [
    "a common folder elsewhere",
    (f) => {
      cpSync(f.in(), `${f.top}-elsewhere`, { recursive: true });
      writeFileSync(`${f.top}-elsewhere/refs/heads/main`, `${f.commit()}\n`);
      f.put("commondir", `${f.top}-elsewhere\n`);
    },
  ],
  [
    "a linked work tree of itself",
    (f) => {
      const other = `${f.top}-elsewhere`;
      renameSync(f.in(), other);
      const own = join(other, "worktrees/w");
      mkdirSync(join(own, "refs/worktree"), { recursive: true });
      cpSync(join(other, "index"), join(own, "index"));
      writeFileSync(join(own, "commondir"), "../..\n");
      writeFileSync(join(own, "gitdir"), `${f.in()}\n`);
      writeFileSync(
        join(own, "HEAD"),
        f.random.pick(["ref: refs/worktree/x\n", "ref: refs/heads/other\n", "ref: refs/heads/main\n"]),
      );
      writeFileSync(join(own, "refs/worktree/x"), `${f.commit()}\n`);
      writeFileSync(f.in(), `gitdir: ${own}\n`);
    },
  ],
  [
    "no refs",
    (f) => {
      f.git("pack-refs", "--all");
      rmSync(f.in("refs"), { recursive: true });
    },
  ],
  [
    "refs behind a link",
    (f) => {
      if (existsSync(f.in("refs"))) {
        renameSync(f.in("refs"), `${f.top}-elsewhere`);
        symlinkSync(`${f.top}-elsewhere`, f.in("refs"));
      }
    },
  ],
];
