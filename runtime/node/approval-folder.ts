/**
 * Approvals in a folder, by the digest of their calls:
 *
 *   DIGEST.call.json      a call that waits for an approval, for `portcullis approve`
 *   DIGEST.approve.json   the approval of it, and
 *   DIGEST.refuse.json    its refusal, or a list of several, as `portcullis approve` writes them
 *
 * What stands there is verified before it counts: a program that can write to the folder cannot approve, and can only ask, or take away.
 *
 * INVARIANT: an agent writes calls, and so they have an end: of one call, of all that wait, and of the time for which they do.
 */

import { constants } from "node:fs";
import { type FileHandle, lstat, open, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { ApprovalSource } from "../facts/index.ts";
import { strictJson } from "../json/index.ts";
import { newId } from "../observe/index.ts";

/** An approval has 800 bytes. */
const MOST_BYTES = 65_536;

/** Bytes of a call's file: a person has to read it. */
const MOST_CALL_BYTES = 1 << 20;
const MOST_CALLS = 1000;
/** An approval is good for no longer, and what is asked again waits again. */
const WAITS_MS = 24 * 60 * 60 * 1000;
const CALL = /^[0-9a-f]{64}\.call\.json$/;

/**
 * The approvals that people gave for calls of this host. Files that are missing or cannot be read are no approval. Where the folder itself
 * is missing, or the file of a refusal cannot be read, `find` rejects: nothing is known of refusals then.
 */
export function approvalFolder(folder: string): ApprovalSource {
  return {
    async find(callSha256) {
      if (!(await stat(folder)).isDirectory()) throw new Error(`\`${folder}\` is not a folder`);
      const place = (decision: string): string => join(folder, `${callSha256}.${decision}.json`);
      const refusal = await read(place("refuse"));
      const approval = await read(place("approve")).catch(() => undefined);
      return [refusal]
        .flat()
        .concat(approval)
        .filter((one) => one !== undefined);
    },
    async ask(callSha256, call) {
      const name = `${callSha256}.call.json`;
      const bytes = new TextEncoder().encode(`${JSON.stringify(call, null, 2)}\n`);
      if (bytes.length > MOST_CALL_BYTES) throw new Error("the call is too large to wait for a person");
      await holdRoom(folder, name);
      const fresh = join(folder, `.${newId()}.tmp`);
      try {
        const file = await open(fresh, "wx", 0o600);
        try {
          await file.writeFile(bytes);
        } finally {
          await file.close();
        }
        await rename(fresh, join(folder, name));
      } catch (error) {
        await rm(fresh, { force: true });
        throw error;
      }
    },
  };
}

/** Throws where as many calls wait as may; those that have waited for a day make room first. */
async function holdRoom(folder: string, name: string): Promise<void> {
  const waiting = (await readdir(folder)).filter((one) => CALL.test(one));
  if (waiting.length < MOST_CALLS || waiting.includes(name)) return;
  const since = Date.now() - WAITS_MS;
  let left = waiting.length;
  for (const one of waiting) {
    const path = join(folder, one);
    try {
      if ((await lstat(path)).mtimeMs >= since) continue;
      await rm(path);
      left--;
    } catch {
      // Gone meanwhile, or no file: it is counted as one that waits.
    }
  }
  if (left >= MOST_CALLS) throw new Error(`${left} calls wait for a person, and no more may`);
}

/** `undefined` for a file that is missing. Rejects for one that is too large, no file, or not JSON that all readers read alike. */
async function read(path: string): Promise<unknown> {
  let file: FileHandle;
  try {
    file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    if ((error as { code?: unknown }).code === "ENOENT") return undefined;
    throw error;
  }
  try {
    const { size } = await file.stat();
    if (size > MOST_BYTES) throw new Error(`\`${path}\` is too large`);
    const bytes = new Uint8Array(size);
    const { bytesRead } = await file.read(bytes, 0, size, 0);
    return strictJson(new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(0, bytesRead)));
  } finally {
    await file.close();
  }
}
