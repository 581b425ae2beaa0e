/**
 * Patterns of command lines: words with single spaces between them. A word stands for itself; `*` for one word that does not begin
 * with `-`, `+` or `@`; `-*` for one that begins with `-`; at the end `*` for any number of words as `*`, and `**` for any words.
 */

/** A word that is wholly bare, or wholly in quotes that hold nothing which a shell reads. */
const WORD = /^(?:[A-Za-z0-9_@+:,./-][A-Za-z0-9_@+=:,./-]*|'[ "#%&(-[\]-_a-~]*'|"[ #%-[\]-_a-~]*")$/;
/** Words of a line, as far as spaces and quotes show them. */
const WORDS = /'[^']*'|"[^"]*"|[^ ]+/g;

export interface CommandPattern {
  /** As written. */
  readonly text: string;
  /** The program. */
  readonly first: string;
  readonly words: readonly PatternWord[];
  /** What may follow; `undefined`: nothing. */
  readonly rest: "words" | "any" | undefined;
}

/** A text for itself, one word, or one option. */
export type PatternWord = string | { readonly any: "word" | "option" };

/** The pattern, or what is wrong with the text. */
export function parseCommandPattern(text: string): CommandPattern | { readonly problem: string } {
  const written = text.match(WORDS) ?? [];
  if (written.join(" ") !== text) return { problem: "has not one space between two words, and none at its ends" };
  const words: PatternWord[] = [];
  let rest: CommandPattern["rest"];
  for (const [i, word] of written.entries()) {
    const isLast = i === written.length - 1;
    if (word === "*" && isLast) rest = "words";
    else if (word === "**" && isLast) rest = "any";
    else if (word === "**") return { problem: "has `**` before its end" };
    else if (word === "*") words.push({ any: "word" });
    else if (word === "-*") words.push({ any: "option" });
    else if (WORD.test(word)) words.push(unquoted(word));
    else return { problem: `has \`${word}\`, which shells would not read as one word` };
  }
  const [first] = words;
  if (typeof first !== "string") return { problem: "begins with no word that stands for itself" };
  if (first.includes("=")) return { problem: "has a `=` in its first word, which would set a variable" };
  return { text, first, words, rest };
}

function unquoted(word: string): string {
  return /^['"]/.test(word) ? word.slice(1, -1) : word;
}

/** Programs that run what their arguments say, with the words that must follow for that. */
const LAUNCHERS: readonly (readonly string[])[] = [
  ..."env sh bash dash zsh ksh fish busybox xargs parallel find cd pushd export alias eval exec command builtin source . trap"
    .split(" ")
    .map((name) => [name]),
  ..."sudo doas su nohup time timeout nice setsid script watch ssh chroot unshare nsenter flock strace gdb make npx bunx tsx"
    .split(" ")
    .map((name) => [name]),
  ..."node deno bun python python3 perl ruby php lua awk gawk sed vim vi emacs ed less man tee install crontab at"
    .split(" ")
    .map((name) => [name]),
  ["npm", "run"],
  ["npm", "exec"],
  ["npm", "x"],
  ["pnpm", "run"],
  ["pnpm", "exec"],
  ["pnpm", "dlx"],
  ["yarn", "run"],
  ["yarn", "exec"],
  ["yarn", "dlx"],
  ["docker", "run"],
  ["docker", "exec"],
  ["podman", "run"],
  ["kubectl", "exec"],
  ["git", "config"],
];

/** What makes a pattern wider than it looks; `undefined` where nothing does. */
export function widthOf({ words, rest }: CommandPattern): string | undefined {
  if (rest === "any") return "`**` stands for options, too, and options write and execute";
  if (words.some((word) => typeof word !== "string" && word.any === "option"))
    return "`-*` stands for every option, and options write and execute";
  const isOpen = rest !== undefined || words.some((word) => typeof word !== "string");
  const program = (words[0] as string).replace(/^.*\//, "");
  // `npm *` stands for `npm run x`, too.
  const mayBe = (word: string, at: number): boolean =>
    words[at] === word || (at < words.length ? typeof words[at] !== "string" : rest !== undefined);
  const launcher = LAUNCHERS.find(
    ([name, ...then]) => name === (program === "" ? "." : program) && then.every((word, i) => mayBe(word, i + 1)),
  );
  if (isOpen && launcher !== undefined)
    return `\`${launcher.join(" ")}\` runs, or changes, what the words behind it say`;
  return undefined;
}
