#!/usr/bin/env node
"use strict";
// Where not even the program can be read, or it ends before its answer, it has not succeeded, and a hook has not allowed anything.
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
(async () => {
  try {
    const { main } = require("../dist/bin/start.cjs");
    process.exitCode = await main(process.argv.slice(2));
  } catch (error) {
    const problem = `internal error: ${error instanceof Error ? error.message : error}`;
    if (process.argv[2] === "hook") deny(problem);
    process.stderr.write(`${problem}\n`);
    process.exitCode = 2;
  }
})();
