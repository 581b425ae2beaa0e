/** Times in contracts and packets: a text that is not a time gives none, so that nothing lives longer by it. */
import { describe, expect, it } from "vitest";
import { instant } from "../../../compiler/enforcement/execution/instant.ts";

describe("an instant", () => {
  it.each([
    ["2026-03-02T09:00:00Z", "2026-03-02T09:00:00.000Z"],
    ["2026-03-02T09:00:00", "2026-03-02T09:00:00.000Z"],
    ["2026-03-02T09:00:00.25Z", "2026-03-02T09:00:00.250Z"],
    ["2026-03-02T09:00:00+05:30", "2026-03-02T03:30:00.000Z"],
    ["2026-03-02T09:00:00-23:59", "2026-03-03T08:59:00.000Z"],
    ["2024-02-29T00:00:00Z", "2024-02-29T00:00:00.000Z"],
  ])("is read from %s", (text, expected) => {
    expect(new Date(instant(text)!).toISOString()).toBe(expected);
  });

  it.each([
    "2026-02-29T09:00:00Z",
    "2026-13-01T00:00:00Z",
    "2026-03-02T24:00:00Z",
    "2026-03-02T09:60:00Z",
    "2026-03-02T09:00:60Z",
    "2026-03-02T09:00:00-99:99",
    "2026-03-02T09:00:00-24:00",
    "2026-03-02T09:00:00+00:60",
    "2026-03-02T09:00:00+0530",
    "2026-03-02 09:00:00Z",
    "2026-03-02T09:00Z",
    "2026-03-02",
    "0001-01-01T00:00:00Z",
    "12026-03-02T09:00:00Z",
    " 2026-03-02T09:00:00Z",
    "2026-03-02T09:00:00Z\n",
    "",
    "never",
    1772442000,
    null,
    undefined,
    {},
    [["2026-03-02T09:00:00Z"]],
  ])("is not read from %j", (text) => {
    expect(instant(text)).toBeUndefined();
  });
});
