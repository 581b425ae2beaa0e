/** `init --for`: the end of a call is told to the hook where a limit waits for a success. */

import { chmodSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import type { AgentHost, Hook } from "../../compiler/cli/init/agent-hosts/agent-host.ts";
import { AGENT_HOSTS } from "../../compiler/cli/init/agent-hosts/agent-hosts.ts";
import { canConfigure, emptyProject, hookWords } from "./configured-hosts.ts";
import { portcullis, type Ran } from "./terminal.ts";

const place = emptyProject();
let file = "";
beforeEach(() => {
  file = join(place.folder, "host/configuration");
  rmSync(dirname(file), { recursive: true, force: true });
});
const init = (id: string, ...more: string[]): Promise<Ran> =>
  portcullis(...["init", "--for", id, "--file", file, "--host-version", "9.0.0", "--project", place.project, ...more]);
const words = (): string[] => hookWords(join(place.folder, "policy"));
const endOf = ({ endFile }: AgentHost): string => (endFile === undefined ? file : join(dirname(file), endFile));
const read = (path: string): string => readFileSync(path, "utf8");

describe.skipIf(!canConfigure).each(AGENT_HOSTS.map((host) => [host.id, host] as const))(
  "init --for %s",
  (id, host) => {
    it("has the hook told of ends where a limit waits for a success", async () => {
      const { out, err } = await init(id, ...words());
      expect(out).toContain(`wrote ${endOf(host)}`);
      expect(err.includes("whether they succeeded")).toBe(host.untold !== undefined);
      const text = read(endOf(host));
      const [hook] = host.read(text).hooks;
      // As it is for a policy without such a limit.
      const alone = host.write(host.endFile === undefined ? text : undefined, { ...(hook as Hook), hearsEnds: false });
      writeFileSync(file, alone);
      if (host.endFile !== undefined) rmSync(endOf(host));
      expect(host.read(alone)).toMatchObject({ hooks: [{ hearsEnds: false }], problems: [] });
      const checked = await init(id, "--check", "--unsigned");
      expect([checked.code, checked.err]).toEqual([1, expect.stringContaining("`LETTER_FIRST` waits for a success")]);
      expect((await init(id, ...words())).code).toBe(0);
      expect(read(endOf(host))).toBe(text);
      expect((await init(id, "--check", "--unsigned")).code).toBe(0);
    });
  },
);

describe.skipIf(!canConfigure)("a file for the end of a call", () => {
  const cline = AGENT_HOSTS.find(({ id }) => id === "cline") as AgentHost;

  it("is written anew with the hook", async () => {
    await init("cline", ...words());
    const { out } = await init("cline", ...words(), "--deadline", "9");
    expect(out).toContain(`wrote ${endOf(cline)}`);
    expect(read(endOf(cline))).toBe(read(file));
    chmodSync(endOf(cline), 0o644);
    const { code, err } = await init("cline", "--check", "--unsigned");
    expect([code, err]).toEqual([1, expect.stringContaining(`\`${endOf(cline)}\` is no program that can be started`)]);
  });

  it("is not taken from another program", async () => {
    await init("cline", ...words());
    writeFileSync(endOf(cline), "#!/bin/sh\nexit 0\n");
    const { code, err } = await init("cline", ...words());
    expect([code, err]).toEqual([2, expect.stringContaining("a hook of another program")]);
    expect(read(endOf(cline))).toBe("#!/bin/sh\nexit 0\n");
  });
});
