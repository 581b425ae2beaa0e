/** Node's file system, for services that keep their bundle in a file. */

import { watch } from "node:fs";
import { open, readFile, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { LoadError } from "./errors.ts";
import type { PolicyIds } from "./governance/policy-ids.ts";
import { type LoadOptions, load } from "./load/load.ts";
import { type BundleSource, type BundleStore, SourceError, sleep } from "./operate/bundle-source.ts";
import type { EventSink } from "./operate/sinks.ts";
import type { Policy } from "./policy.ts";

/** Loads a bundle or module from a file. Throws LoadError, also when the file cannot be read. */
export async function loadFile<Ids extends PolicyIds = PolicyIds>(
  path: string,
  options: LoadOptions = {},
): Promise<Policy<Ids>> {
  let bytes: Uint8Array;
  try {
    bytes = await readFile(path);
  } catch (error) {
    throw new LoadError("not-a-policy", `cannot read \`${path}\`: ${(error as Error).message}`);
  }
  return load<Ids>(bytes, options);
}

/**
 * Lines at the end of a file, which is made where it is missing. A batch is on the disk when it is taken; one that cannot be
 * written whole is taken away again.
 */
export function fileSink(path: string): EventSink {
  return {
    async write(batch) {
      const file = await open(path, "a", 0o600);
      try {
        const { size } = await file.stat();
        try {
          await file.writeFile(batch);
          await file.datasync();
        } catch (error) {
          await file.truncate(size);
          throw error;
        }
      } finally {
        await file.close();
      }
    },
  };
}

export interface FileSourceOptions {
  /** Milliseconds after a change until the file is read, so that one that is still being written settles; default 100. */
  readonly settle?: number;
  /** Milliseconds between looks where the file system tells of no changes; default 5,000. */
  readonly interval?: number;
  /** Milliseconds without a successful look after which the policy is stale; default: never. */
  readonly staleAfter?: number;
}

/**
 * A bundle in a file. Replace it by renaming another one over it: a file that is half written is refused when it is read, and
 * read again when it is whole.
 */
export function fileSource(path: string, options: FileSourceOptions = {}): BundleSource {
  const { settle = 100, interval = 5000, staleAfter } = options;
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
        return seen === tag ? { bytes: undefined, tag } : { bytes: await readFile(path), tag: seen };
      } catch (error) {
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

/** Keeps a bundle in a file, for `persist`: whole or not at all, and readable by its owner alone. */
export function fileStore(path: string): BundleStore {
  return {
    async read() {
      return readFile(path).catch((error: { code?: string }) => {
        if (error.code === "ENOENT") return undefined;
        throw error;
      });
    },
    async write(bytes) {
      const fresh = `${path}.${process.pid}.new`;
      try {
        const file = await open(fresh, "w", 0o600);
        try {
          await file.writeFile(bytes);
          await file.sync();
        } finally {
          await file.close();
        }
        await rename(fresh, path);
      } catch (error) {
        await rm(fresh, { force: true });
        throw error;
      }
    },
  };
}

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
