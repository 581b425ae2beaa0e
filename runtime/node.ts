/** Node's file system, for services that keep their bundle in a file. */

import { constants, lstatSync, realpathSync, watch } from "node:fs";
import { type FileHandle, lutimes, open, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, sep } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { LoadError } from "./errors.ts";
import type { PathResolver } from "./facts/index.ts";
import type { PolicyIds } from "./governance/policy-ids.ts";
import { attempt } from "./host/attempt.ts";
import { DEFAULT_BUNDLE_LIMITS } from "./load/limits.ts";
import { LOAD_OPTIONS, type LoadOptions, load } from "./load/load.ts";
import { newId } from "./observe/decision-event.ts";
import { type BundleSource, type BundleStore, SourceError } from "./operate/bundle-source.ts";
import type { EventSink } from "./operate/sinks.ts";
import { sizeLimit, sleep, staleLimit, timerLimit } from "./operate/times.ts";
import { holdOptions, type OptionTable } from "./options.ts";
import type { PlatformAbortSignal } from "./platform.ts";
import type { Policy } from "./policy.ts";

export { approvalFolder } from "./node/approval-folder.ts";
export { type AwsCredentials, type AwsSignatureOptions, awsSignature } from "./node/aws-signature.ts";
export { type FileHistoryOptions, fileHistory } from "./node/file-history.ts";
export { type OciSourceOptions, ociSource, pushBundle } from "./node/oci.ts";

/** Loads a bundle or module from a file. Throws LoadError, also when the file cannot be read. */
export async function loadFile<Ids extends PolicyIds = PolicyIds>(
  path: string,
  options: LoadOptions = {},
): Promise<Policy<Ids>> {
  holdOptions(options, LOAD_OPTIONS);
  const { packed, module } = { ...DEFAULT_BUNDLE_LIMITS, ...options.bundleLimits };
  let bytes: Uint8Array;
  try {
    bytes = await bytesOf(path, Math.max(packed, module));
  } catch (error) {
    if (error instanceof TooLarge) throw new LoadError("bundle-too-large", `\`${path}\`: ${error.message}`);
    throw new LoadError("not-a-policy", `cannot read \`${path}\`: ${(error as Error).message}`);
  }
  return load<Ids>(bytes, options);
}

/**
 * Lines at the end of a file, which is made where it is missing. A batch is on the disk when it is taken; one that cannot be
 * written whole is taken away again. What a process that was stopped left of a line ends before the batch begins. Several processes
 * may write to one file. A pipe may be one, too, while somebody reads it.
 */
export function fileSink(path: string): EventSink {
  /** A pipe has a part of a batch that was given up. */
  let isCut = false;
  return {
    async write(batch, { gzip, signal }) {
      const file = await open(path, APPENDING, 0o600);
      try {
        let there = await file.stat();
        let isWhole = gzip || (there.isFile() ? await endsInLine(path, there.size) : !isCut);
        // What another process writes just now has no end yet, and grows; what was left is as it was.
        for (let before = -1; !isWhole && there.isFile() && there.size !== before && !signal.aborted; ) {
          before = there.size;
          await pause(PAUSE_MS);
          there = await file.stat();
          isWhole = await endsInLine(path, there.size);
        }
        const { size } = there;
        const bytes = isWhole ? batch : Buffer.concat([Buffer.from("\n"), batch]);
        let written = 0;
        try {
          // In one piece, where the disk takes it: another process may write there, too.
          while (written < bytes.length) written += await taken(file, bytes, written, signal);
          isCut = false;
          if (there.isFile()) await file.datasync();
        } catch (error) {
          isCut = !there.isFile() && (isCut || written > 0);
          // A device cannot be cut, and what another one wrote since is not taken away; what went wrong first is what counts.
          if ((await file.stat()).size === size + written) await file.truncate(size).catch(() => undefined);
          throw error;
        }
      } finally {
        await file.close();
      }
    },
  };
}

/** A pipe without a reader would be waited for by a thread, for good, and the process with it. */
const APPENDING = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | (constants.O_NONBLOCK ?? 0);
/** Without waiting, too: a pipe may have taken the file's place meanwhile. */
const READING = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);
/** Milliseconds until a pipe that is full, or a line without an end, is looked at again. The process lives until then. */
const PAUSE_MS = 20;

/** How much was written. Throws once the batch was given up. */
async function taken(file: FileHandle, bytes: Uint8Array, from: number, signal: PlatformAbortSignal): Promise<number> {
  if (signal.aborted) throw new Error("the batch was given up");
  try {
    return (await file.write(bytes, from)).bytesWritten;
  } catch (error) {
    if ((error as { code?: unknown }).code !== "EAGAIN") throw error;
    await pause(PAUSE_MS);
    return 0;
  }
}

/** Bytes of a token's file. */
const MOST_TOKEN = 1 << 16;

/**
 * For `headers` of `httpSource`: the word in a file as a bearer token. The file is read for each check, so that a token is rotated by
 * writing it. Rejects for a file that holds anything else, and the check fails.
 */
export function bearerFile(path: string): () => Promise<{ readonly authorization: string }> {
  return async () => {
    const token = Buffer.from(await bytesOf(path, MOST_TOKEN))
      .toString("utf8")
      .trim();
    // The message must not say what it is.
    if (!/^[\x21-\x7e]+$/.test(token)) throw new Error(`\`${path}\` holds no token`);
    return { authorization: `Bearer ${token}` };
  };
}

const NEWLINE = 0x0a;

/** Whether this many bytes of a file end with a line. With write permission alone we cannot read it to find out. */
async function endsInLine(path: string, size: number): Promise<boolean> {
  const file = size === 0 ? undefined : await open(path, READING).catch(() => undefined);
  if (file === undefined) return true;
  try {
    const { buffer } = await file.read(Uint8Array.of(NEWLINE), 0, 1, size - 1);
    return buffer[0] === NEWLINE;
  } finally {
    await file.close();
  }
}

/** When a file is looked at again, and how much of it is taken. */
export interface FileSourceOptions {
  /** Milliseconds after a change until the file is read, so that one that is still being written settles; default 100. */
  readonly settle?: number;
  /** Milliseconds between looks where the file system tells of no changes; default 5,000. */
  readonly interval?: number;
  /** Milliseconds without a successful look after which the policy is stale; default: never. */
  readonly staleAfter?: number;
  /** Bytes that the file may have; default 64 MiB. */
  readonly maxBytes?: number;
}

const SOURCE: OptionTable = { settle: "number", interval: "number", staleAfter: "number", maxBytes: "number" };

/**
 * A bundle in a file. Replace it by renaming another one over it: a file that is half written is refused when it is read, and
 * read again when it is whole.
 */
export function fileSource(path: string, options: FileSourceOptions = {}): BundleSource {
  holdOptions(options, SOURCE);
  const { settle = 100, interval = 5000, maxBytes = DEFAULT_BUNDLE_LIMITS.packed } = options;
  timerLimit("settle", settle);
  timerLimit("interval", interval, 1);
  sizeLimit("maxBytes", maxBytes);
  const staleAfter = staleLimit(options.staleAfter);
  let seen = "";
  const tagOf = async (): Promise<string> => {
    const { ino, size, mtimeMs, ctimeMs } = await stat(path);
    return [ino, size, mtimeMs, ctimeMs].join("-");
  };
  return {
    name: path,
    staleAfter,
    async fetch(tag) {
      try {
        seen = await tagOf();
        return seen === tag ? { bytes: undefined, tag } : { bytes: await bytesOf(path, maxBytes), tag: seen };
      } catch (error) {
        if (error instanceof TooLarge) throw new SourceError("too-large", `\`${path}\`: ${error.message}`);
        throw new SourceError("unreachable", `cannot read \`${path}\`: ${(error as Error).message}`);
      }
    },
    async pause(_failures, _error, signal) {
      const woken = new AbortController();
      const wake = (): void => woken.abort();
      signal.addEventListener("abort", wake);
      // The folder, not the file: a file that takes its place is another one, and so is what a link points to.
      const watcher = attempt(() => watch(dirname(path), { persistent: false }, wake));
      watcher?.on("error", () => watcher.close());
      try {
        // What changed before anybody watched.
        if ((await tagOf().catch(() => seen)) === seen) await sleep(interval, woken.signal);
        await sleep(settle, signal);
      } finally {
        watcher?.close();
        signal.removeEventListener("abort", wake);
      }
    },
  };
}

/**
 * Keeps a bundle in a file, for `persist`: whole or not at all, and readable by its owner alone. Its time is that of the last
 * good check. Several processes may keep theirs in one place. A link there is not followed: it is replaced.
 */
export function fileStore(path: string, options: { readonly maxBytes?: number } = {}): BundleStore {
  holdOptions(options, { maxBytes: "number" });
  const { maxBytes = DEFAULT_BUNDLE_LIMITS.packed } = options;
  sizeLimit("maxBytes", maxBytes);
  return {
    read: () => unlessMissing(() => bytesOf(path, maxBytes, constants.O_NOFOLLOW ?? 0)),
    async write(bytes) {
      // A name that cannot be guessed, and no file that is there already.
      const fresh = `${path}.${newId()}.new`;
      try {
        const file = await open(fresh, "wx", 0o600);
        try {
          await file.writeFile(bytes);
          await file.sync();
        } finally {
          await file.close();
        }
        await rename(fresh, path);
        await syncFolder(dirname(path));
      } catch (error) {
        await rm(fresh, { force: true });
        throw error;
      }
    },
    async lastCheck() {
      const { mtime } = (await unlessMissing(() => stat(path))) ?? {};
      return mtime;
    },
    async checked() {
      const now = new Date();
      await lutimes(path, now, now);
    },
  };
}

class TooLarge extends Error {}

/** Bytes of a regular file: a pipe would never end, and a device holds no bundle. */
async function bytesOf(path: string, most: number, flags = 0): Promise<Uint8Array> {
  const file = await open(path, READING | flags);
  try {
    const found = await file.stat();
    if (!found.isFile()) throw new Error("it is no regular file");
    if (found.size > most) throw new TooLarge(`it has ${found.size} bytes, and the limit is ${most}`);
    // What is added while it is read is not read: the limit holds for what is taken.
    const bytes = new Uint8Array(found.size);
    for (let at = 0; at < bytes.length; ) {
      const { bytesRead } = await file.read(bytes, at, bytes.length - at, at);
      if (bytesRead === 0) throw new Error("it became shorter while it was read");
      at += bytesRead;
    }
    return bytes;
  } finally {
    await file.close();
  }
}

async function unlessMissing<T>(work: () => Promise<T>): Promise<T | undefined> {
  return work().catch((error: { code?: string }) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
}

/** A name is on the disk when its folder is. Some file systems have no such thing. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, constants.O_RDONLY).catch(() => undefined);
  await folder?.sync().catch(() => undefined);
  await folder?.close();
}

/**
 * Where the files of a project lie: for `paths` of `guardTool`. A relative text starts at `from`, by default the root. Links are
 * followed up to the deepest part that exists. `undefined` for what lies outside of the root, for a text that begins with `~`,
 * which some readers take for another folder, and for what cannot be followed.
 *
 * What it says holds when it is said: a link that is put there afterwards leads elsewhere, and a second name of a file (a hard
 * link) is a file of its own. Throws for a root that is not there.
 */
export function projectPaths(root: string, from: string = root): PathResolver {
  const folder = realpathSync.native(root);
  const base = folder.endsWith(sep) ? folder : folder + sep;
  return (text) => {
    if (text === "" || text.startsWith("~")) return undefined;
    // Not `resolve`: it takes `link/..` for nothing, and the file system follows the link first.
    const absolute = deepestRealPath(isAbsolute(text) ? text : `${from}${sep}${text}`);
    if (absolute === undefined || !absolute.startsWith(base)) return undefined;
    return { path: absolute.slice(base.length).split(sep).join("/"), absolute };
  };
}

/**
 * The canonical path of a place: links resolved, and case as the file system has it, up to the deepest part that exists; the rest
 * as it is written. `undefined` when a link leads nowhere, or a part cannot be followed.
 */
export function deepestRealPath(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    const name = basename(path);
    // With a slash behind it, a link to a file, or to nothing, is as absent as a folder that is not there.
    const itself = path.slice(0, path.lastIndexOf(name) + name.length);
    if (!isAbsent(itself) || name === ".." || name === "." || name === "" || dirname(path) === path) return undefined;
    const folder = deepestRealPath(dirname(path));
    return folder === undefined ? undefined : join(folder, name);
  }
}

/** Nothing is there, not even a link without a target or a file where a folder was expected. */
function isAbsent(path: string): boolean {
  try {
    lstatSync(path);
    return false;
  } catch (error) {
    const { code } = error as { code?: unknown };
    return code === "ENOENT" || code === "ENOTDIR";
  }
}
