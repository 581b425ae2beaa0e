#!/usr/bin/env node
// Where not even the program can be read, it has not succeeded, and a hook has not allowed anything.
try {
  const { main } = await import("../dist/bin/main.js");
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`internal error: ${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 2;
}
