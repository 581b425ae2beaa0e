/** A call that a person signs for: denied with its digest, approved by `portcullis approve`, made once, and denied again. */

import { execFileSync } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { removeFolder, temporaryFolder, write } from "../cli/terminal.ts";
import { configuredHook, portcullis, run } from "./configured.ts";
import type { AgentHost } from "./hosts.ts";
import { scriptedModel } from "./model.ts";
import { foldersIn, WRONG } from "./outcome.ts";

const WORDS = ["--role", "EDITOR", "--lane", "PAYOUTS"];
const command = (...words: readonly string[]): string =>
  execFileSync(process.execPath, [portcullis, ...words], { encoding: "utf8", stdio: "pipe" });

/** A bundle whose one tool needs a person's signature. */
function policyIn(folder: string, key: string): string {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  write(key, privateKey.export({ type: "pkcs8", format: "pem" }));
  const tool = { tool_name: "release", approval: "bound", enabled: true, implementation_status: "implemented" };
  const lane = { allowed_callers: { roles: ["EDITOR"] }, allowed_actions: { tools: ["release"] } };
  const files = {
    roles: { roles: [{ role_id: "EDITOR" }] },
    lanes: { lanes: [{ lane_id: "PAYOUTS", ...lane }] },
    tool_registry: { tools: [tool] },
    approvers: { approvers: [{ name: "m.ortiz", key: publicKey.export({ format: "jwk" }) }] },
  };
  for (const [name, content] of Object.entries(files)) write(join(folder, `set/${name}.yaml`), content);
  command("build", join(folder, "set"), "-o", join(folder, "built"));
  return join(folder, "built/bundle.tar.gz");
}

/** Three runs of the program, with the same call. */
export async function signedApproval(host: AgentHost, version: string): Promise<string> {
  const at = foldersIn(temporaryFolder());
  const key = join(at.folder, "m.ortiz.pem");
  const approvals = join(at.folder, "policy/approvals");
  try {
    const policy = policyIn(at.folder, key);
    const words = [...WORDS, "--map", `${host.tool}=release`];
    let bundle: string | undefined;
    const ran: number[] = [];
    for (const turn of [1, 2, 3]) {
      const model = await scriptedModel([host.shell(`echo ran >> ${at.made}`)]);
      const place = { ...at, port: model.port };
      host.configure?.(place);
      const configured = configuredHook(host, { ...at, version, place, words, policy });
      if (typeof configured === "string") return configured;
      bundle = configured.bundle;
      await run(host, place);
      model.close();
      if (model.called() !== 1 || !existsSync(configured.heard)) return "the hook was not asked";
      ran.push(existsSync(at.made) ? readFileSync(at.made, "utf8").split("\n").length - 1 : 0);
      const waiting = readdirSync(approvals).filter((name) => name.endsWith(".call.json"));
      const [call = ""] = waiting;
      const isTold = host.isUntold === true || model.heard(call.replace(".call.json", ""));
      if (turn === 1 && !(waiting.length === 1 && isTold)) return WRONG;
      if (turn === 1) command("approve", join(approvals, call), "--policy", bundle, "--key", key, "--yes");
    }
    return ran.join() === "0,1,1" ? "obeyed" : WRONG;
  } finally {
    removeFolder(at.folder);
  }
}
