/** The thread of a hook that reads, evaluates and records, so that the other one is always there to deny (see process.ts). */

import { parentPort, workerData } from "node:worker_threads";
import { runHook } from "./run.ts";

const input = new Promise<Uint8Array>((resolve) => parentPort?.once("message", resolve));
void runHook(workerData as readonly string[], () => input).then((outcome) => parentPort?.postMessage(outcome));
