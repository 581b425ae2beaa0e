#!/usr/bin/env node
// A program that cannot be read, or that ends before its answer, has not succeeded; and a hook has not allowed anything.
process.once("exit", () => {
  process.exitCode ??= 2;
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
// In a function, so that a program which never answers ends with the code from above, and not with one of Node's own.
(async () => {
  try {
    const { main } = await import("../dist/bin/start.js");
    process.exitCode = await main(process.argv.slice(2));
  } catch (error) {
    const problem = `internal error: ${error instanceof Error ? error.message : error}`;
    if (process.argv[2] === "hook") deny(problem);
    process.stderr.write(`${problem}\n`);
    process.exitCode = 2;
  }
})();
