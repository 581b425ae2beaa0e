/**
 * The line that hosts give to a shell. Hosts let a call pass whose hook is missing, crashes, ends with any code but 2 or never
 * ends. So the line itself denies then: a program that is not there, or is killed for its time, is an answer too.
 *
 *   unset NAMES…; TIMEOUT -s KILL n NODE PROGRAM hook WORDS…; case $? in 0) ;; 2) exit 2 ;; *) echo DENIAL; echo REASON >&2; exit 2 ;; esac
 */

import { denial } from "@portcullis/enforcement/gateway";

/** Absolute paths, and what stands behind `hook`. */
export interface HookCommand {
  /** coreutils' `timeout`, and the seconds after which it kills. */
  readonly timeout: string;
  readonly seconds: number;
  readonly node: string;
  readonly program: string;
  readonly words: readonly string[];
}

/**
 * Taken out of the hook's environment. Hosts fill theirs from files of the project (`.env`, `env` of settings), and Node would
 * run what these name before the hook's own program: a file that ends the process with 0 was an allow.
 */
export const LOADING: readonly string[] = [
  ...["NODE_OPTIONS", "NODE_PATH", "NODE_COMPILE_CACHE", "NODE_ICU_DATA", "NODE_TLS_REJECT_UNAUTHORIZED"],
  ...["OPENSSL_CONF", "OPENSSL_MODULES", "LD_PRELOAD", "LD_AUDIT", "LD_LIBRARY_PATH"],
  ...["DYLD_INSERT_LIBRARIES", "DYLD_LIBRARY_PATH"],
];

const REASON = "The call cannot be decided, so it is denied: the hook is missing, or was killed";
const BEHIND = `; case $? in 0) ;; 2) exit 2 ;; *) echo ${quoted(JSON.stringify(denial(REASON)))}; echo ${quoted(REASON)} >&2; exit 2 ;; esac`;
const BEFORE = `unset ${LOADING.join(" ")}; `;
const WORD = /'((?:[^']|'\\'')*)'/g;

export function commandLine({ timeout, seconds, node, program, words }: HookCommand): string {
  const [killing, hook] = [quoted(timeout), [node, program].map(quoted).join(" ")];
  return `${BEFORE}${killing} -s KILL ${seconds} ${hook} hook ${words.map(quoted).join(" ")}${BEHIND}`;
}

/** Whether a line starts a hook of this program, in whatever form. */
export function isHookLine(line: string): boolean {
  return /portcullis(\.js)?['"]? hook\b/.test(line);
}

/** What `commandLine` was made of; `undefined` for a line that it does not make. */
export function readCommandLine(line: string): HookCommand | undefined {
  const [timeout, node, program, ...words] = [...line.slice(0, -BEHIND.length).matchAll(WORD)].map(([, word = ""]) =>
    word.replaceAll("'\\''", "'"),
  );
  const seconds = Number(/ -s KILL (\d+) /.exec(line)?.[1]);
  if (timeout === undefined || node === undefined || program === undefined) return undefined;
  const command = { timeout, seconds, node, program, words };
  return commandLine(command) === line ? command : undefined;
}

/** As a POSIX shell reads it back. */
function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
