/** Where and on what numbers were taken; without it they mean nothing. */

import { cpus, loadavg, type as osType, totalmem } from "node:os";

export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGb: number;
  readonly system: string;
  readonly node: string;
  /** Runnable processes over the last minute: above the number of cores, times are too long. */
  readonly loadAtStart: number;
  readonly loadAtEnd: number;
}

/** The machine, as it was at the start; `loadAtEnd` is that of now. */
export function machineNow(loadAtStart: number): Machine {
  return {
    cpu: cpus()[0]?.model ?? "unknown",
    cores: cpus().length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    system: `${osType()} ${process.arch}`,
    node: process.version,
    loadAtStart,
    loadAtEnd: loadNow(),
  };
}

export function loadNow(): number {
  return Math.round((loadavg()[0] as number) * 10) / 10;
}

/** Whether times of the two can be compared: the same processor and Node. */
export function sameMachine(a: Machine, b: Machine): boolean {
  return a.cpu === b.cpu && a.cores === b.cores && a.system === b.system && a.node === b.node;
}

export function machineText({ cpu, cores, memoryGb, system, node }: Machine): string {
  return `${cpu}, ${cores} cores, ${memoryGb} GB, ${system}, Node ${node}`;
}

/** What a reader must know before believing a time; empty when nothing speaks against it. */
export function busyText({ cores, loadAtStart, loadAtEnd }: Machine): string {
  const load = Math.max(loadAtStart, loadAtEnd);
  return load > cores ? `The machine was busy (load ${load}): absolute times are too long.` : "";
}
