/** Values that are not times or sizes, or that a timer does not take (it fires at once for them), are refused where they are given. */

import { readFileSync } from "node:fs";
import { auditLedger, decisionLog, type EventSink, httpSource, load } from "@portcullis/runtime";
import { fileSource, fileStore } from "@portcullis/runtime/node";
import { describe, expect, it } from "vitest";
import { portcullis } from "../../cli/terminal.ts";

/** https://html.spec.whatwg.org/multipage/timers-and-user-prompts.html: a signed integer of 32 bits. */
const TOO_LONG = 2 ** 31;
const NO_TIMES = [-1, Number.NaN, Number.POSITIVE_INFINITY, TOO_LONG];
const NO_SIZES = [0, -1, Number.NaN];
const url = "http://127.0.0.1:1/bundle.tar.gz";
const sink: EventSink = { write: () => undefined };

describe("an option that is not a time", () => {
  it.each(NO_TIMES)("%d is refused", (time) => {
    for (const give of [
      () => httpSource(url, { timeout: time }),
      () => httpSource(url, { wait: time }),
      () => httpSource(url, { minDelay: time }),
      () => httpSource(url, { minDelay: 0, maxDelay: time }),
      () => fileSource("x", { settle: time }),
      () => fileSource("x", { interval: time }),
      () => decisionLog({ sink, flushMs: time }),
      () => decisionLog({ sink, timeoutMs: time }),
      () => auditLedger(sink, { flushMs: time }),
      () => auditLedger(sink, { timeoutMs: time }),
    ])
      expect(give, give.toString()).toThrow(RangeError);
  });

  it("is not one that a timer still takes", () => {
    const longest = TOO_LONG - 1;
    expect(() => httpSource(url, { timeout: longest, wait: 0, minDelay: 0, maxDelay: longest })).not.toThrow();
    expect(() => fileSource("x", { settle: 0, interval: longest })).not.toThrow();
    expect(() => decisionLog({ sink, flushMs: longest, timeoutMs: longest })).not.toThrow();
    // Together they are one timer's.
    expect(() => httpSource(url, { timeout: longest, wait: 1 })).toThrow(RangeError);
  });
});

describe("an option that is not a size", () => {
  it.each(NO_SIZES)("%d is refused", (size) => {
    for (const give of [
      () => httpSource(url, { maxBytes: size }),
      () => fileSource("x", { maxBytes: size }),
      () => fileStore("x", { maxBytes: size }),
      () => decisionLog({ sink, bufferBytes: size }),
    ])
      expect(give, give.toString()).toThrow(RangeError);
  });

  it("limits everything, and not nothing, in `bundleLimits`", async () => {
    const bundle = readFileSync("generated/bundle.tar.gz");
    for (const name of ["packed", "unpacked", "entries", "manifest", "module", "file", "nesting"]) {
      const limited = load(bundle, { bundleLimits: { [name]: Number.NaN } });
      await expect(limited, name).rejects.toBeInstanceOf(TypeError);
    }
  });
});

describe("the command line", () => {
  it.each([
    ["serve", "--timeout", "30000"],
    ["serve", "--max-body", "9007199254740991"],
    ["serve", "--follow", "2147484"],
    ["serve", "--follow", "1", "--stale-after", "2147484"],
    ["mcp", "--timeout", "2147484"],
    ["mcp", "--max-message", "9007199254740991"],
  ])("refuses %s %s %s", async (command, ...flags) => {
    const rest =
      command === "serve"
        ? [url]
        : ["--policy", "generated/bundle.tar.gz", "--role", "WRITER", "--lane", "DRAFTING", "--", "true"];
    const { code, err } = await portcullis(command, ...flags, ...rest);
    expect(code).toBe(2);
    expect(err).toContain(`\`${flags.slice(-2).join(" ")}\`: a whole number from 1 to `);
  });
});
