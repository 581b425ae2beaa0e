/**
 * A lock that the processes of one machine take in turn: a file, linked into place whole. One that a dead process has left is found
 * by who took it, never by its age: a process that stands still for an hour still holds it.
 *
 *   lock            who holds it: `{ id, pid, started, boot, space }`
 *   gone-<id>       who may take away the lock of a dead process; taken like the lock itself, so that only one does
 *
 * INVARIANT: only its owner, or the holder of the claim on it, removes a lock. A claim is removed after its lock.
 */

import { linkSync, readFileSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { attempt } from "../host/attempt.ts";
import { newId } from "../observe/index.ts";
import { regularText } from "./regular-text.ts";

interface Owner {
  readonly id: string;
  readonly pid: number;
  /** When the process started, in ticks of the kernel; absent where it does not say. */
  readonly started?: string | undefined;
  /** Which start of the machine; absent where it does not say. */
  readonly boot?: string | undefined;
  /** Machine and space of process numbers. */
  readonly space: string;
}

/** A lock that is held. */
export interface HeldLock {
  release(): void;
}

/**
 * Takes the lock of a folder, and waits for it. Rejects with who holds it when `wait` milliseconds are over, and where files cannot
 * be linked.
 */
export async function takeLock(folder: string, wait: number): Promise<HeldLock> {
  const deadline = performance.now() + wait;
  for (let pause = 1; ; pause = Math.min(pause * 2, 16)) {
    const owner = ownerHere();
    if (put(folder, "lock", owner)) return { release: () => rmSync(join(folder, "lock"), { force: true }) };
    const holder = read(folder, "lock");
    const isGone = holder === undefined || clearsAway(folder, "lock", holder);
    // Also of one that seems to be gone: a link that leads nowhere is there, and cannot be read.
    if (performance.now() > deadline)
      throw new Error(`process ${holder?.pid ?? "of no number"} holds the lock of \`${folder}\``);
    if (isGone) continue;
    await new Promise((resolve) => setTimeout(resolve, pause * (0.5 + Math.random())));
  }
}

/** Removes the file of a dead owner, as the only one who may. False where its owner, or another one who may, is alive. */
function clearsAway(folder: string, name: string, holder: Owner): boolean {
  if (isAlive(holder)) return false;
  const claim = `gone-${holder.id}`;
  const owner = ownerHere();
  if (!put(folder, claim, owner)) {
    const other = read(folder, claim);
    return other === undefined || clearsAway(folder, claim, other);
  }
  // Another one may have removed it, and its claim, before this one was made.
  if (read(folder, name)?.id === holder.id) rmSync(join(folder, name), { force: true });
  rmSync(join(folder, claim), { force: true });
  return true;
}

/** Whether the file is ours now. No process sees a part of it. */
function put(folder: string, name: string, owner: Owner): boolean {
  const whole = join(folder, `.${owner.id}.new`);
  try {
    writeFileSync(whole, JSON.stringify(owner), { flag: "wx", mode: 0o600 });
    linkSync(whole, join(folder, name));
    return true;
  } catch (error) {
    if ((error as { code?: unknown }).code === "EEXIST") return false;
    throw error;
  } finally {
    rmSync(whole, { force: true });
  }
}

/** `undefined` where it is gone by now. What cannot be read was left by a machine that lost its power. */
function read(folder: string, name: string): Owner | undefined {
  const text = regularText(join(folder, name));
  if (text === undefined) return undefined;
  try {
    const owner = JSON.parse(text) as Owner;
    if (typeof owner.id === "string" && Number.isSafeInteger(owner.pid)) return owner;
  } catch {
    // As below.
  }
  return { id: "unreadable", pid: 0, boot: "another", space: machine().space };
}

function isAlive({ pid, started, boot, space }: Owner): boolean {
  const here = machine();
  // Numbers of another machine, or of another container, say nothing here.
  if (space !== here.space) return true;
  if (boot !== here.boot) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as { code?: unknown }).code !== "ESRCH";
  }
  return started === undefined || startOf(pid) === started;
}

/** Unset where the kernel does not say, which counts as one value: without it only the number tells. */
interface Machine {
  readonly boot: string | undefined;
  readonly space: string;
}

let known: Machine | undefined;

function machine(): Machine {
  known ??= {
    boot: attempt(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()),
    space: `${hostname()} ${attempt(() => readlinkSync("/proc/self/ns/pid")) ?? ""}`,
  };
  return known;
}

function ownerHere(): Owner {
  return { id: newId(), pid: process.pid, started: startOf(process.pid), ...machine() };
}

/** The start of a process, in ticks; `undefined` for one that has ended and waits for its parent, or where there is no such file. */
function startOf(pid: number): string | undefined {
  const text = attempt(() => readFileSync(`/proc/${pid}/stat`, "utf8"));
  // The name of the program, in brackets, may hold anything.
  const fields = text?.slice(text.lastIndexOf(")") + 2).split(" ");
  return fields === undefined || fields[0] === "Z" || fields[0] === "X" ? undefined : fields[19];
}
