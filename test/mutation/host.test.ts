/**
 * What mutants of the host's side are asked, asked of what is not changed: so that the questions stay right, and hold without
 * any mutants. `make test` makes some of the repositories, `make mutation-host` all, and more random ones.
 */
import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { load } from "@portcullis/runtime";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SEED, sampled } from "../campaign.ts";
import { hasGit } from "../git.ts";
import * as agents from "./host/agents-battery.ts";
import * as calls from "./host/calls-battery.ts";
import { type Asked, type Battery, firstWrong } from "./host/check.ts";
import * as documents from "./host/documents-battery.ts";
import { makeFixtures } from "./host/fixtures.ts";
import * as gateway from "./host/gateway-battery.ts";
import * as http from "./host/http-battery.ts";
import * as index from "./host/index-battery.ts";
import * as messages from "./host/messages-battery.ts";
import { hostMutantsOf } from "./host/mutants.ts";
import * as repositories from "./host/repositories-battery.ts";
import * as samples from "./host/samples-battery.ts";
import * as servers from "./host/servers-battery.ts";
import * as serving from "./host/serving-battery.ts";
import * as settings from "./host/settings-battery.ts";
import { situationNames } from "./host/situations/index.ts";
import * as state from "./host/state-battery.ts";

// Pipes, sockets and processes as Linux has them.
describe.skipIf(process.platform !== "linux" || !hasGit)("the host's side", () => {
  let asked: Asked;
  let folder = "";
  beforeAll(async () => {
    folder = realpathSync.native(mkdtempSync(join(tmpdir(), "portcullis-host-")));
    const policy = await load(readFileSync(new URL("../../generated/bundle.tar.gz", import.meta.url)));
    asked = { fixtures: makeFixtures(folder, SEED, 1, sampled(situationNames)), policy };
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each<[string, Battery]>([
    ["documents", documents],
    ["repositories", repositories],
    ["index", index],
    ["gateway", gateway],
    ["http", http],
    ["messages", messages],
    ["servers", servers],
    ["calls", calls],
    ["state", state],
    ["settings", settings],
    ["agents", agents],
    ["samples", samples],
    ["serving", serving],
  ])("answers as it should: %s", async (_, battery) => {
    expect(await firstWrong(battery.checks(asked))).toBeUndefined();
  });
});

describe("mutants", () => {
  it("change every comparison, condition, constant and conjunct, one at a time", () => {
    const text = "export const f = (a: number): boolean => a < 2 && !g(a);\nif (f(1)) h();\n";
    const found = hostMutantsOf("f.ts", text).map(
      ({ line, operation, written, to }) => `${line} ${operation}: ${written} -> ${to}`,
    );
    expect(found.sort()).toEqual(
      [
        ...["1 other operator: && -> ||", "1 other operator: < -> <=", "1 other operator: < -> >="],
        ...["1 conjunct dropped: a < 2 && !g(a) -> a < 2", "1 conjunct dropped: a < 2 && !g(a) -> !g(a)"],
        ...["1 not dropped: !g(a) -> g(a)", "1 off by one: 2 -> (3)", "1 off by one: 2 -> (1)"],
        ...["2 condition is true: f(1) -> true", "2 condition is false: f(1) -> false"],
        ...["2 off by one: 1 -> (2)", "2 off by one: 1 -> (0)"],
      ].sort(),
    );
  });
});
