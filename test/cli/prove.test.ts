/** `prove` of the shipped example: every property holds, of its sources and of its bundle. */

import { join } from "node:path";
import { expect, it } from "vitest";
import { isWhole } from "../campaign.ts";
import { portcullis } from "./terminal.ts";

const root = join(import.meta.dirname, "../..");
/** In `make test` one grant is taken away, and not each. */
const REMOVALS = isWhole ? [] : ["--removals", "1"];

it.each(["policies", "generated/bundle.tar.gz"])("every property of %s holds", async (path) => {
  const { code, out, err } = await portcullis("prove", join(root, path), ...REMOVALS, "--format", "json");
  const { ok, properties } = JSON.parse(out) as { ok: boolean; properties: { name: string; holds: boolean }[] };
  expect(properties.filter(({ holds }) => !holds)).toEqual([]);
  expect(properties.length).toBeGreaterThan(8);
  expect({ ok, code, err }).toEqual({ ok: true, code: 0, err: "" });
});
