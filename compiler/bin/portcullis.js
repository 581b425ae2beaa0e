#!/usr/bin/env node
// A program that cannot be read, or that ends before its answer, has not succeeded; and a hook has not allowed anything. Node itself
// ends a process with 0 where its environment names a channel to another process (NODE_CHANNEL_FD) that closes.
let hasAnswer = false;
process.once("exit", () => {
  if (!hasAnswer && isHook && !process.exitCode) deny("the hook ended without an answer");
  process.exitCode = hasAnswer ? (process.exitCode ?? 2) : process.exitCode || 2;
});
/** A hook without its program: the answer that all hosts take for a denial (see gateway/denial.ts). */
const deny = (reason) => {
  const permission = { permissionDecision: "deny", permissionDecisionReason: reason };
  const answer = {
    ...{ decision: "block", reason, cancel: true, errorMessage: reason, permission: "deny", ...permission },
    hookSpecificOutput: { hookEventName: "PreToolUse", ...permission },
  };
  process.stdout.write(`${JSON.stringify(answer)}\n`);
};
const [command, ...words] = process.argv.slice(2);
// Help is for people, and only where nothing else is asked for: a hook that printed it would have allowed the call.
const isHook = command === "hook" && !(words.length === 1 && /^(-h|--help)$/.test(words[0]));
// It answers as long as it lives, and ends with the code that the protocol has for what its client said last.
if (command === "lsp") hasAnswer = true;
// In a function, so that a program which never answers ends with the code from above, and not with one of Node's own.
(async () => {
  try {
    // These read, answer and end: V8 makes fast code later than by default, which costs more processor time than it saves.
    if (["check", "eval", "fmt", "test"].includes(command)) (await import("node:v8")).setFlagsFromString("--interrupt-budget=2000000");
    if (isHook) {
      const { hookProcess } = await import("../dist/bin/hook.js");
      // It sees to that by itself.
      hasAnswer = true;
      await hookProcess(words);
    }
    process.exitCode = await (await import("../dist/bin/start.js")).main(process.argv.slice(2));
    hasAnswer = true;
  } catch (error) {
    const problem = `internal error: ${error instanceof Error ? error.message : error}`;
    if (isHook) deny(problem);
    process.stderr.write(`${problem}\n`);
    process.exitCode = 2;
  }
})();
