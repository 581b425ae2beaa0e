/** What somebody may do to the refs and the HEAD of a git folder. */

import { mkdirSync, rmSync, symlinkSync } from "node:fs";
import type { Change } from "./git-folder.ts";

export const REF_CHANGES: readonly Change[] = [
  [
    "packed refs",
    (f) => {
      const names = [
        "refs/heads/main",
        "refs/heads/main",
        "refs/heads/other",
        "refs/heads/a",
        "refs/tags/t",
        "MERGE_HEAD",
      ];
      const rows = Array.from({ length: 1 + f.random.int(4) }, () => `${f.commit()} ${f.random.pick(names)}`);
      if (f.random.chance(1 / 2)) rows.sort((a, b) => (a.slice(41) < b.slice(41) ? -1 : 1));
      if (f.random.chance(1 / 5)) rows.splice(1, 0, `^${f.commit()}`);
      const header = f.random.pick([
        "",
        "# pack-refs with: peeled fully-peeled sorted \n",
        "# pack-refs with: peeled \n",
        "# x\n",
      ]);
      f.put(
        "packed-refs",
        header + rows.join(f.random.pick(["\n", "\n", "\n", "\r\n"])) + f.random.pick(["\n", "\n", "\n", ""]),
      );
      if (f.random.chance(2 / 3)) rmSync(f.in("refs/heads/main"), { recursive: true, force: true });
    },
  ],
  ["packed by git", (f) => void f.git("pack-refs", "--all")],
  [
    "a branch elsewhere",
    (f) => f.put("refs/heads/main", `${f.commit()}${f.random.pick(["\n", "\n", "", " \n", "\nx\n", "\r\n"])}`),
  ],
  ["a branch that is a ref", (f) => f.put("refs/heads/main", "ref: refs/heads/other\n")],
  [
    "a branch that is a link",
    (f) => {
      rmSync(f.in("refs/heads/main"));
      symlinkSync(f.random.pick(["other", "refs/heads/other"]), f.in("refs/heads/main"));
    },
  ],
  [
    "a branch that is a folder",
    (f) => {
      rmSync(f.in("refs/heads/main"));
      mkdirSync(f.in("refs/heads/main"));
      f.put("packed-refs", `${f.commit()} refs/heads/main\n`);
    },
  ],
  [
    "HEAD",
    (f) =>
      f.put(
        "HEAD",
        f.random.pick([
          "ref: refs/heads/other\n",
          "ref: refs/heads/main",
          "ref:refs/heads/main\n",
          "ref:  refs/heads/other \n",
          "ref: refs/heads/main\r\n",
          "ref: refs/worktree/x\n",
          "ref: refs/heads/none\n",
          `${f.commit()}\n`,
          `${f.commit()}`,
          `${f.commit()} x\n`,
          "ref: refs/heads/main\nref: refs/heads/other\n",
          "",
        ]),
      ),
  ],
  [
    "HEAD that is a link",
    (f) => {
      rmSync(f.in("HEAD"));
      symlinkSync("refs/heads/other", f.in("HEAD"));
    },
  ],
  [
    "a ref of the work tree",
    (f) => {
      f.put("refs/worktree/x", `${f.commit()}\n`);
      f.put("HEAD", "ref: refs/worktree/x\n");
    },
  ],
];
