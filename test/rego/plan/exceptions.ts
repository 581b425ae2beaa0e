/** Conformance cases that the planner's own test does not hold, each with its reason. One that starts to hold fails the test. */
export const exceptions: ReadonlyMap<string, string> = new Map([
  ["time/time caching", "calls `test.sleep`, which only OPA's own test runner has"],
]);
