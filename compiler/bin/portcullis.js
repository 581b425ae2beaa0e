#!/usr/bin/env node
"use strict";
// Where not even the program can be read, or it ends before its answer, it has not succeeded, and a hook has not allowed anything.
process.once("exit", () => {
  process.exitCode ??= 2;
});
(async () => {
  try {
    const { main } = require("../dist/bin/start.cjs");
    process.exitCode = await main(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`internal error: ${error instanceof Error ? error.message : error}\n`);
    process.exitCode = 2;
  }
})();
