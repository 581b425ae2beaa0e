/** A log in memory, and what stands in it. */

import type { DecisionEvent, EventSink } from "@portcullis/runtime";

export interface Memory extends EventSink {
  text: string;
  /** What writing fails with. */
  problem: Error | undefined;
}

export function memory(): Memory {
  const sink: Memory = {
    text: "",
    problem: undefined,
    write(batch) {
      if (sink.problem !== undefined) throw sink.problem;
      sink.text += new TextDecoder().decode(batch);
    },
  };
  return sink;
}

export const linesOf = ({ text }: Memory): string[] => text.trimEnd().split("\n");

export const eventsOf = (sink: Memory): DecisionEvent[] =>
  linesOf(sink)
    .map((line) => JSON.parse(line) as DecisionEvent)
    .filter(({ path }) => path !== undefined);
