/** A line that says how far a long piece of work is: drawn over itself, only while a person watches, only after a second. */

import type { Watch } from "@portcullis/governance/review";
import type { Terminal } from "./terminal.ts";

const FIRST_MS = 1000;
const NEXT_MS = 200;
/** With this many steps, each takes too little time for a look at the clock. */
const MANY = 100_000;

export interface Progress {
  /** Takes the number of steps and returns the function to call at each. Of many steps, it reads the clock at every thousandth. */
  readonly watch: Watch;
  /** Takes the line away again. */
  end(): void;
}

export function progress(terminal: Terminal, label: string): Progress {
  let drawn = false;
  return {
    watch(steps) {
      let done = 0;
      let due = performance.now() + FIRST_MS;
      const between = steps > MANY ? 1023 : 0;
      return () => {
        done++;
        if (!terminal.interactive || (done & between) !== 0 || performance.now() < due) return;
        due = performance.now() + NEXT_MS;
        drawn = true;
        terminal.draw(`${label}: ${Math.floor((100 * done) / steps)} %`);
      };
    },
    end() {
      if (!drawn) return;
      terminal.draw(" ".repeat(label.length + 8));
      terminal.draw("");
    },
  };
}
