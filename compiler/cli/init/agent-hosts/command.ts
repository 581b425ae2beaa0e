/**
 * The line that hosts give to a shell. Hosts let a call pass whose hook is missing, crashes, ends with any code but 2 or never
 * ends. So the line itself denies then: a program that is not there, or is killed for its time, is an answer too.
 *
 *   unset NAMES…; out=$(TIMEOUT -s KILL n /bin/sh -c HELD sh NODE PROGRAM hook WORDS…); code=$?; …
 *   the hook's own answer, or: echo DENIAL; echo REASON >&2; exit 2
 *
 * INVARIANT: standard output is one object, or nothing for an allow. A hook may answer and be killed all the same, and a host
 * that reads all of the output as JSON takes two objects for no denial. So nothing is printed before the hook has ended.
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
 * run what these name before the hook's own program: a file that ends the process with 0 was an allow. A process that takes standard
 * input for the channel of a cluster ends with 0 where that closes.
 */
export const LOADING: readonly string[] = [
  ...["NODE_OPTIONS", "NODE_PATH", "NODE_COMPILE_CACHE", "NODE_ICU_DATA", "NODE_TLS_REJECT_UNAUTHORIZED"],
  ...["NODE_CHANNEL_FD", "NODE_CHANNEL_SERIALIZATION_MODE", "NODE_UNIQUE_ID"],
  ...["OPENSSL_CONF", "OPENSSL_MODULES", "LD_PRELOAD", "LD_AUDIT", "LD_LIBRARY_PATH"],
  ...["DYLD_INSERT_LIBRARIES", "DYLD_LIBRARY_PATH"],
];

const REASON = "The call cannot be decided, so it is denied: the hook is missing, or was killed";
/**
 * `$(…)` waits for whatever has its pipe, such as a process that the hook has left behind. This shell has the outer pipe, and
 * such a process only the inner one: when the shell is killed for its time, the outer pipe is closed.
 */
const HELD = 'out=$("$@"); code=$?; printf %s "$out"; exit $code';
/** The hook prints one line, in which JSON has no control character: with one it is more than an object. */
const BEHIND = [
  `); code=$?; case $out in *[[:cntrl:]]*) code=1 ;; esac`,
  `case $code$out in 0) ;; 0'{'*'}' | 2'{"decision":"block",'*'}') printf '%s\\n' "$out"; exit $code ;; *) echo ${quoted(JSON.stringify(denial(REASON)))}`,
  `echo ${quoted(REASON)} >&2; exit 2 ;; esac`,
].join("; ");
const BEFORE = `unset ${LOADING.join(" ")}; out=$(`;
const WORD = /'((?:[^']|'\\'')*)'/g;

export function commandLine({ timeout, seconds, node, program, words }: HookCommand): string {
  const [killing, hook] = [quoted(timeout), [node, program].map(quoted).join(" ")];
  const held = `/bin/sh -c ${quoted(HELD)} sh`;
  return `${BEFORE}${killing} -s KILL ${seconds} ${held} ${hook} hook ${words.map(quoted).join(" ")}${BEHIND}`;
}

/** Whether a line starts a hook of this program, in whatever form. */
export function isHookLine(line: string): boolean {
  return /portcullis(\.js)?['"]? hook\b/.test(line);
}

/** What `commandLine` was made of; `undefined` for a line that it does not make. */
export function readCommandLine(line: string): HookCommand | undefined {
  const [timeout, , node, program, ...words] = [...line.slice(0, -BEHIND.length).matchAll(WORD)].map(([, word = ""]) =>
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
