/** Turns of requests in sessions that end while the requests are under way. */

import { describe, expect, it } from "vitest";
import { Sessions, Turn } from "../../../compiler/enforcement/gateway/sessions.ts";

function setting() {
  const faults: string[] = [];
  const sessions = new Sessions({ most: 9, idleMs: 1e9 }, () => {});
  sessions.open("a", "p");
  return { sessions, faults, turn: new Turn(sessions, (line) => void faults.push(line)) };
}

describe("a turn", () => {
  // One client's DELETE crosses its other request: that one still has its answer.
  it.each([true, false])(
    "of a session that is over before it begins holds nothing, and ends: answered %s",
    (answered) => {
      const { sessions, faults, turn } = setting();
      sessions.close("a");
      expect(turn.begin("a", 1)).toBe(true);
      expect(() => turn.over(answered)).not.toThrow();
      expect(faults).toEqual([]);
    },
  );

  it("of a session that ends under way ends without a fault", () => {
    const { sessions, faults, turn } = setting();
    expect(turn.begin("a", 1)).toBe(true);
    sessions.close("a");
    turn.over(false);
    expect(faults).toEqual([]);
  });
});
