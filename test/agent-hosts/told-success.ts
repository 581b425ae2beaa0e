/** A call that may come only after another has succeeded: the first is a tool of a server, which fails, and then does not. */

import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { removeFolder, temporaryFolder, write } from "../cli/terminal.ts";
import { configuredHook, portcullis, run } from "./configured.ts";
import type { AgentHost } from "./hosts.ts";
import { scriptedModel } from "./model.ts";
import { foldersIn, WRONG } from "./outcome.ts";

const SERVER = [process.execPath, fileURLToPath(new URL("server.mjs", import.meta.url))];
/** Tools of the server, which are one tool of the policy. */
const TOOLS = ["bad", "good"];

/** An unsigned bundle: in a session, `publish` comes only after `review`. */
function policyIn(folder: string): string {
  const names = ["review", "publish"];
  const tools = names.map((tool_name) => ({ tool_name, enabled: true, implementation_status: "implemented" }));
  const lane = { allowed_callers: { roles: ["EDITOR"] }, allowed_actions: { tools: names } };
  const order = { calls: { tools: ["publish"] }, per: ["session"], only_after: { tools: ["review"] } };
  const files = {
    roles: { roles: [{ role_id: "EDITOR" }] },
    lanes: { lanes: [{ lane_id: "DESK", ...lane }] },
    tool_registry: { tools },
    limits: { limits: [{ limit_id: "REVIEWED", ...order }] },
  };
  for (const [name, content] of Object.entries(files)) write(join(folder, `set/${name}.yaml`), content);
  execFileSync(process.execPath, [portcullis, "build", join(folder, "set"), "-o", join(folder, "built")], {
    stdio: "pipe",
  });
  return join(folder, "built/bundle.tar.gz");
}

/** A run of the program for each tool of the server. */
export async function toldSuccess(host: AgentHost, version: string): Promise<string> {
  const made: boolean[] = [];
  for (const tool of TOOLS) {
    const at = foldersIn(temporaryFolder());
    const model = await scriptedModel([host.server.call(tool), host.shell(`touch ${at.made}`)]);
    try {
      const place = { ...at, port: model.port };
      host.configure?.(place);
      host.server.configure(place, SERVER);
      const mapped = TOOLS.flatMap((name) => ["--map", `${host.server.heard(name)}=review`]);
      const words = ["--role", "EDITOR", "--lane", "DESK", "--map", `${host.tool}=publish`, ...mapped];
      const configured = configuredHook(host, { ...at, version, place, words, policy: policyIn(at.folder) });
      if (typeof configured === "string") return configured;
      await run(host, place);
      if (model.called() !== 2 || !existsSync(configured.heard)) return "the hook was not asked";
      made.push(existsSync(at.made));
    } finally {
      model.close();
      removeFolder(at.folder);
    }
  }
  return made.join() === "false,true" ? "obeyed" : WRONG;
}
