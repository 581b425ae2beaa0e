/**
 * Approvals in a folder, by the digest of their calls:
 *
 *   DIGEST.call.json      a call that waits for an approval, for `portcullis approve`
 *   DIGEST.approve.json   the approval of it, and
 *   DIGEST.refuse.json    its refusal, as `portcullis approve` writes them
 *
 * What stands there is verified before it counts: a program that can write to the folder cannot approve, and can only ask, or take away.
 */

import { constants } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { ApprovalSource } from "../facts/index.ts";
import { strictJson } from "../json/index.ts";
import { newId } from "../observe/index.ts";

/** An approval has 800 bytes. */
const MOST_BYTES = 65_536;

/** The approvals that people gave for calls of this host. Files that are missing or cannot be read are no approval. */
export function approvalFolder(folder: string): ApprovalSource {
  return {
    async find(callSha256) {
      const names = ["refuse", "approve"].map((decision) => join(folder, `${callSha256}.${decision}.json`));
      const found = await Promise.all(names.map(read));
      return found.filter((approval) => approval !== undefined);
    },
    async ask(callSha256, call) {
      const fresh = join(folder, `.${newId()}.tmp`);
      try {
        const file = await open(fresh, "wx", 0o600);
        try {
          await file.writeFile(`${JSON.stringify(call, null, 2)}\n`);
        } finally {
          await file.close();
        }
        await rename(fresh, join(folder, `${callSha256}.call.json`));
      } catch (error) {
        await rm(fresh, { force: true });
        throw error;
      }
    },
  };
}

/** The content of a regular file; `undefined` for one that is missing, too large, or not JSON that all readers read alike. */
async function read(path: string): Promise<unknown> {
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)).catch(() => undefined);
  if (file === undefined) return undefined;
  try {
    const { size } = await file.stat();
    if (size > MOST_BYTES) return undefined;
    const bytes = new Uint8Array(size);
    const { bytesRead } = await file.read(bytes, 0, size, 0);
    return bytesRead === size ? strictJson(new TextDecoder("utf-8", { fatal: true }).decode(bytes)) : undefined;
  } catch {
    return undefined;
  } finally {
    await file.close();
  }
}
