/**
 * Preloaded into each process of the fleet (`node --import`): its clock shows the minute that a file holds, and the seconds since
 * it was read, but no minute more. SIGUSR2 reads the file again. Timers run as they do.
 */

import { readFileSync } from "node:fs";

const file = process.env["REHEARSAL_CLOCK"];
const Real = Date;
const START = Real.UTC(2026, 0, 1);
let minute = 0;
let since = 0;

function read() {
  minute = Number(readFileSync(file, "utf8"));
  since = performance.now();
}

const now = () => START + minute * 60_000 + Math.min(59_000, performance.now() - since);

globalThis.Date = class extends Real {
  constructor(...parts) {
    if (parts.length === 0) super(now());
    else super(...parts);
  }
  static now() {
    return now();
  }
};
read();
process.on("SIGUSR2", read);
