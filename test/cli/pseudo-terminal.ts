/** A command on a pseudo terminal, made by `script` of util-linux: what a person would see, and keys that a person would press. */

import { spawn, spawnSync } from "node:child_process";

/** Whether this machine has a `script` that takes util-linux's options. */
export const hasPseudoTerminal =
  process.platform === "linux" && spawnSync("script", ["-qec", "true", "/dev/null"]).status === 0;

export interface OnTerminal {
  /** Everything that was drawn so far, with control sequences. */
  seen(): string;
  /** Waits until this has been drawn behind what an earlier wait has found. Rejects with what was seen when it does not come. */
  until(text: string | RegExp): Promise<string>;
  press(keys: string): void;
  /** The exit code of the command. */
  ended(): Promise<number>;
}

const PATIENCE_MS = 30_000;

/** `command` is a line for `sh`. */
export function onTerminal(command: string, env: NodeJS.ProcessEnv = {}, cwd?: string): OnTerminal {
  const child = spawn("script", ["-qefc", `stty cols 200 rows 50; ${command}`, "/dev/null"], {
    // A shell of the machine may be any; the lines here are for `sh`.
    env: { ...process.env, SHELL: "/bin/sh", TERM: "xterm", CI: undefined, NO_COLOR: undefined, ...env },
    ...(cwd === undefined ? {} : { cwd }),
  });
  let drawn = "";
  let from = 0;
  const listeners = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      drawn += text;
      for (const listener of listeners) listener();
    });
  const end = new Promise<number>((resolve) => child.on("close", (code) => resolve(code ?? -1)));
  return {
    seen: () => drawn,
    until: (text) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          child.kill("SIGHUP");
          reject(new Error(`${text} was not drawn: ${JSON.stringify(drawn.slice(from))}`));
        }, PATIENCE_MS);
        const look = (): void => {
          const rest = drawn.slice(from);
          const found = typeof text === "string" ? (rest.includes(text) ? text : undefined) : text.exec(rest)?.[0];
          if (found === undefined) return;
          from += rest.indexOf(found) + found.length;
          clearTimeout(timer);
          listeners.delete(look);
          resolve(found);
        };
        listeners.add(look);
        look();
      }),
    press: (keys) => void child.stdin.write(keys),
    ended: () => {
      const timer = setTimeout(() => child.kill("SIGHUP"), PATIENCE_MS);
      return end.finally(() => clearTimeout(timer));
    },
  };
}
