/** `init --for`: what a host finds wrong with its own settings, of which it then takes nothing, is found. */

import { chmodSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { canConfigure, emptyProject, hookWords } from "./configured-hosts.ts";
import { portcullis, type Ran, write } from "./terminal.ts";

const place = emptyProject();

/** A program of the host's name that answers `--version`, and says this as `doctor`. */
async function init(said: string, ...more: readonly string[]): Promise<Ran> {
  const program = write(
    join(place.folder, "bin/claude"),
    `#!/bin/sh\n[ "$1" = --version ] && { echo 9.0.0; exit; }\ncat <<'END'\n${said}\nEND\n`,
  );
  chmodSync(program, 0o755);
  vi.stubEnv("PATH", `${join(place.folder, "bin")}:${process.env["PATH"]}`);
  try {
    return await portcullis("init", "--for", "claude-code", "--file", file(), "--project", place.project, ...more);
  } finally {
    vi.unstubAllEnvs();
  }
}
const file = (): string => join(place.folder, "host/settings.json");

describe.skipIf(!canConfigure)("settings that Claude Code cannot read", () => {
  it("are found by what it says itself", async () => {
    const words = hookWords(join(place.folder, "policy"));
    write(file(), '{ "cleanupPeriodDays": "x" }');
    const heading = "Claude Code doctor\n\nInvalid settings\n";
    const line = `- ${file()} › cleanupPeriodDays: Expected number, but received string`;
    const elsewhere = "- /elsewhere/settings.json › model: Expected string, but received number";
    const ignored = `- ${file()} › allowedMcpServers[0]: Invalid entry was ignored: expected object`;
    const refused = await init(`${heading}${line}\n${elsewhere}`, ...words);
    expect([refused.code, refused.err.match(/error: .*/g)]).toEqual([
      1,
      [
        `error: \`${file()}\`: cleanupPeriodDays: Expected number, but received string: Claude Code takes nothing of such a file, this hook neither`,
      ],
    ]);
    expect(readFileSync(file(), "utf8")).toBe('{ "cleanupPeriodDays": "x" }');
    expect(await init(`${heading}${elsewhere}\n${ignored}`, ...words)).toMatchObject({ code: 0 });
    expect(await init(`${heading}${line}`, "--check", "--unsigned")).toMatchObject({ code: 1 });
    expect(await init("Claude Code doctor", "--check", "--unsigned")).toMatchObject({ code: 0 });
    expect(await init("?", "--check", "--unsigned")).toMatchObject({
      code: 1,
      err: expect.stringContaining("`claude doctor` says nothing"),
    });
  });
});
