/**
 * The history of calls in a folder, for the processes of one machine: many short ones, as `hook` starts them, as well as long ones.
 *
 *   lock                      see process-lock.ts: one process at a time
 *   clock                     the latest time that was seen
 *   ab/limit-ab….json         what stands under one key; `nonce-…`, `refused-…`: approvals that were used, calls that were refused
 *
 * Each file is replaced whole. A process that dies in between has used up what it has written. INVARIANT: what is read was written by
 * this user alone: the folder is closed to others.
 */

import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import {
  type ClearedHistory,
  commitIn,
  entryOf,
  type HistoryEntry,
  type HistoryTable,
  isAwaited,
  isCleared,
  isKeyState,
  isMark,
  type KeptHistory,
  type KeyState,
  type Mark,
  type MarkKind,
  releaseIn,
  reservationOf,
  reserveIn,
  storeTime,
} from "../history/index.ts";
import { attempt } from "../host/attempt.ts";
import { messageOf } from "../host/message-of.ts";
import { newId } from "../observe/index.ts";
import { timerLimit } from "../operate/index.ts";
import { holdOptions, type OptionTable } from "../options.ts";
import { takeLock } from "./process-lock.ts";
import { regularText } from "./regular-text.ts";

/** What time it is, and how long a process waits for another one. */
export interface FileHistoryOptions {
  /** Milliseconds that a call waits for the lock of the folder; default 5,000. */
  readonly wait?: number;
  /** Milliseconds since 1970; default `Date.now`. */
  readonly clock?: () => number;
}

const FILE_HISTORY_OPTIONS: OptionTable = { wait: "number", clock: "function" };

/** Every how many calls one of the 256 folders is looked through for what has expired. */
const SWEPT_EVERY = 16;
/** Milliseconds after which a half written file was left by a process that died. */
const LEFT_MS = 3_600_000;

/**
 * A store of history in a folder, which is made where it is missing, for its owner alone; one that others may look into is refused.
 * For one machine: folders that are shared over a network have no locks that could be relied on. Calls take their turn; each writes
 * its keys to the disk before it is answered. Throws TypeError for an option that there is not or of another type.
 */
export function fileHistory(folder: string, options: FileHistoryOptions = {}): KeptHistory {
  holdOptions(options, FILE_HISTORY_OPTIONS);
  const { wait = 5000, clock = Date.now } = options;
  timerLimit("wait", wait);
  const place = resolve(folder);
  let last: Promise<unknown> = Promise.resolve();
  /** There was a clock: what counts leaves one, and so does clearing. */
  let isBegun = false;
  /** One after the other, and each with the lock: no two calls of one process wait for each other's files. */
  const locked = <T>(
    work: (table: FileTable) => T,
    clockOf: (folder: string) => Clock = readClock,
    left: () => number = () => wait,
  ): Promise<T> => {
    const run = last.then(async () => {
      // A disk that is not mounted any more would be a fresh budget.
      if (isBegun && !hasClock(place))
        throw new Error(`what was counted in \`${place}\` is gone: \`portcullis history clear\` begins anew`);
      openFolder(place);
      const lock = await takeLock(place, left());
      try {
        const table = new FileTable(place, clockOf(place));
        const value = work(table);
        table.save();
        isBegun ||= hasClock(place);
        return value;
      } finally {
        lock.release();
      }
    });
    last = run.catch(() => undefined);
    return run;
  };
  return {
    async reserve(request) {
      // From now on: what waits behind others must not wait for as long as all of them.
      const end = performance.now() + wait;
      const reserved = await locked(
        (table) => reserveIn(table, request, clock()),
        readClock,
        () => end - performance.now(),
      );
      return reservationOf(reserved, {
        commit: async () => {
          if (isAwaited(reserved)) await locked((table) => commitIn(table, reserved, clock()));
        },
        release: () => locked((table) => releaseIn(table, reserved, clock())),
      });
    },
    async entries() {
      return locked((table) => table.entries(clock()), clockIfReadable);
    },
    async clear(which = {}) {
      // Only with everything a clock goes that cannot be read.
      const isAll = which.limit === undefined && which.key === undefined;
      return locked((table) => table.clear(which), isAll ? clockIfReadable : readClock);
    },
  };
}

/** Throws for a folder that others may look into, or that belongs to somebody else. */
function openFolder(place: string): void {
  makeFolder(place);
  const found = statSync(place);
  if (!found.isDirectory()) throw new Error(`\`${place}\` is not a folder`);
  const uid = process.getuid?.();
  if (uid === undefined) return;
  if (found.uid !== uid) throw new Error(`\`${place}\` belongs to another user`);
  if ((found.mode & 0o077) !== 0) throw new Error(`others may look into \`${place}\`: chmod 700 makes it yours alone`);
}

interface Clock {
  readonly latest: number;
  readonly calls: number;
  readonly problem?: string;
}

function hasClock(folder: string): boolean {
  return existsSync(join(folder, "clock"));
}

/** A loss of power may empty it: then the latest time is not known. */
function readClock(folder: string): Clock {
  return readJson(join(folder, "clock"), isClock, true) ?? { latest: 0, calls: 0 };
}

/** For people alone: no call is decided without the latest time. */
function clockIfReadable(folder: string): Clock {
  try {
    return readClock(folder);
  } catch (error) {
    return { latest: 0, calls: 0, problem: messageOf(error) };
  }
}

/** The files, for as long as the lock is held. What changes is written by `save`. */
class FileTable implements HistoryTable {
  latest: number;
  private readonly calls: number;
  private readonly seen: number;
  private readonly clockProblem: string | undefined;
  private isCleared = false;
  private readonly folder: string;
  private readonly changed = new Map<string, KeyState | Mark | undefined>();

  constructor(folder: string, clock: Clock) {
    this.folder = folder;
    this.clockProblem = clock.problem;
    this.latest = clock.latest;
    this.seen = clock.latest;
    this.calls = clock.calls + 1;
  }

  newName(): string {
    return newId();
  }

  limit(key: string): KeyState | undefined {
    return this.find(`limit-${key}`, isKeyState);
  }

  mark(kind: MarkKind, digest: string): Mark | undefined {
    return this.find(`${kind}-${digest}`, isMark);
  }

  setLimit(key: string, state: KeyState | undefined): void {
    this.changed.set(`limit-${key}`, state);
  }

  setMark(kind: MarkKind, digest: string, mark: Mark | undefined): void {
    this.changed.set(`${kind}-${digest}`, mark);
  }

  save(): void {
    for (const [name, entry] of this.changed) {
      const { shard, file } = this.placeOf(name);
      if (entry === undefined) rmSync(file, { force: true });
      else {
        makeFolder(shard);
        replace(shard, file, JSON.stringify(entry));
      }
    }
    // Before anything is swept: what has expired has done so by the time that stands here.
    if (this.latest !== this.seen || this.changed.size > 0 || this.isCleared)
      replace(
        this.folder,
        join(this.folder, "clock"),
        JSON.stringify({ latest: this.latest, calls: this.calls }),
        false,
      );
    if (this.calls % SWEPT_EVERY === 0) this.sweep((this.calls / SWEPT_EVERY) % 256);
  }

  entries(now: number): readonly HistoryEntry[] {
    const problem = this.clockProblem ?? this.aheadProblem(now);
    const clock: HistoryEntry[] = problem === undefined ? [] : [{ kind: "damaged", key: "clock", problem }];
    return [...clock, ...this.files().map(({ name, file }) => this.entry(name, file))];
  }

  /** Why limits are denied that nothing is wrong with: the clock was ahead once. */
  private aheadProblem(now: number): string | undefined {
    if (!storeTime(now, this.latest).isBack) return undefined;
    const seconds = Math.ceil((this.latest - now) / 1000);
    return `\`${this.folder}\` has seen a time that is ${seconds} seconds ahead: until then windows and approvals are denied`;
  }

  private entry(name: string, file: string): HistoryEntry {
    try {
      return entryOf(name, this.read(name, file));
    } catch (error) {
      return { kind: "damaged", key: name, problem: messageOf(error) };
    }
  }

  clear(which: ClearedHistory): number {
    const cleared = this.files().filter(({ name, file }) =>
      isCleared(which, name, () => attempt(() => this.read(name, file))),
    );
    // What stands in the place of a file may be a folder.
    for (const { file } of cleared) rmSync(file, { recursive: true, force: true });
    if (which.limit !== undefined || which.key !== undefined) return cleared.length;
    // A clock that was wrong once is forgotten with the rest.
    this.latest = 0;
    this.isCleared = true;
    if (this.clockProblem !== undefined) rmSync(join(this.folder, "clock"), { recursive: true, force: true });
    return cleared.length;
  }

  private files(): readonly { readonly name: string; readonly file: string }[] {
    const shards = readdirSync(this.folder)
      .filter((name) => /^[0-9a-f]{2}$/.test(name))
      .sort();
    return shards.flatMap((shard) => this.filesIn(shard));
  }

  private filesIn(shard: string): readonly { readonly name: string; readonly file: string }[] {
    const folder = join(this.folder, shard);
    const files = attempt(() => readdirSync(folder));
    // It is read as a file, and so is damaged.
    if (files === undefined) return [{ name: shard, file: folder }];
    return files
      .filter((file) => file.endsWith(".json"))
      .sort()
      .map((file) => ({ name: file.slice(0, -".json".length), file: join(folder, file) }));
  }

  /** Removes what has expired, and what a process that died left half written. Others that wait for the lock write as well. */
  private sweep(shard: number): void {
    for (const name of readdirSync(this.folder).filter((file) => file.endsWith(".new"))) {
      const file = join(this.folder, name);
      const { mtimeMs = Date.now() } = attempt(() => statSync(file)) ?? {};
      if (Date.now() - mtimeMs > LEFT_MS) rmSync(file, { force: true });
    }
    const name = shard.toString(16).padStart(2, "0");
    const folder = join(this.folder, name);
    for (const file of attempt(() => readdirSync(folder)) ?? [])
      if (!file.endsWith(".json")) rmSync(join(folder, file), { force: true });
      else {
        // What cannot be read stays, and denies the calls of its key.
        const expires = attempt(() => this.read(file.slice(0, -".json".length), join(folder, file)))?.expires;
        if (expires !== undefined && expires < this.latest) rmSync(join(folder, file), { force: true });
      }
  }

  private find<T extends KeyState | Mark>(name: string, isEntry: (value: unknown) => value is T): T | undefined {
    if (this.changed.has(name)) return this.changed.get(name) as T | undefined;
    return readJson(this.placeOf(name).file, isEntry);
  }

  private read(name: string, file: string): KeyState | Mark | undefined {
    return name.startsWith("limit-") ? readJson(file, isKeyState) : readJson(file, isMark);
  }

  private placeOf(name: string): { readonly shard: string; readonly file: string } {
    const shard = join(this.folder, name.slice(name.indexOf("-") + 1).slice(0, 2));
    return { shard, file: join(shard, `${name}.json`) };
  }
}

function isClock(value: unknown): value is Clock {
  const { latest, calls } = (value ?? {}) as { readonly latest?: unknown; readonly calls?: unknown };
  return Number.isSafeInteger(latest) && Number.isSafeInteger(calls);
}

/** `undefined` for a file that there is not. Throws for one that holds anything else. */
function readJson<T>(path: string, isWanted: (value: unknown) => value is T, mayBeEmpty = false): T | undefined {
  const text = regularText(path);
  if (text === undefined || (text === "" && mayBeEmpty)) return undefined;
  const value = attempt(() => JSON.parse(text) as unknown);
  if (!isWanted(value)) throw new Error(`\`${path}\` holds no history`);
  return value;
}

/** The file has the old content or the new one; where it is durable, a loss of power takes none of it away. */
function replace(folder: string, path: string, text: string, isDurable = true): void {
  const fresh = join(folder, `.${newId()}.new`);
  const file = openSync(fresh, "wx", 0o600);
  try {
    // A disk that gets full takes a part, without an error.
    if (writeSync(file, text) !== Buffer.byteLength(text)) throw new Error(`the disk of \`${folder}\` takes no more`);
    if (isDurable) fsyncSync(file);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
  renameSync(fresh, path);
  if (isDurable) syncFolder(folder);
}

/** A folder of the owner alone, where it is missing: its name is on the disk as well, before a file in it counts as written. */
function makeFolder(path: string): void {
  const first = mkdirSync(path, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let made = path; made.length >= first.length; made = dirname(made)) syncFolder(dirname(made));
}

/** A name is on the disk when its folder is. Some file systems have no such thing. */
function syncFolder(path: string): void {
  const folder = attempt(() => openSync(path, "r"));
  if (folder === undefined) return;
  attempt(() => fsyncSync(folder));
  closeSync(folder);
}
