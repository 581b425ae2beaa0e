import { readFileSync } from "node:fs";
import {
  type BuiltinFamily,
  fromText,
  HostNumber,
  hostBuiltinNames,
  type JsonLike,
  suppliers,
} from "@portcullis/runtime/host";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as families from "../../../runtime/builtins/index.ts";
import { campaign } from "../../campaign.ts";
import { builtinsOf } from "./recorded.ts";

const { builtins, ...byName } = families;
const sources = {
  now: () => 1_234_567_890_123_456_789n,
  random: (n: number) => new Uint8Array(n).fill(255),
  runtime: new Map(),
};

const namesOf = (family: BuiltinFamily, given = {}): string[] => Object.keys(builtinsOf(family, given)).sort();

describe("families", () => {
  it("supply what the runtime says that they supply, with and without sources", () => {
    const listed = (name: string) => [...suppliers].filter(([, supplier]) => supplier.family === name);
    for (const [name, family] of Object.entries(byName)) {
      expect(namesOf(family, sources), name).toEqual(
        listed(name)
          .map(([builtin]) => builtin)
          .sort(),
      );
      for (const source of ["now", "random", "runtime"] as const) {
        const others = { ...sources, [source]: undefined };
        const rest = listed(name).filter(([, supplier]) => supplier.source !== source);
        expect(namesOf(family, others), `${name} without ${source}`).toEqual(rest.map(([builtin]) => builtin).sort());
      }
    }
    expect([...hostBuiltinNames].sort()).toEqual(builtins.flatMap((family) => namesOf(family)).sort());
    expect(new Set([...suppliers.values()].map(({ family }) => family))).toEqual(new Set(Object.keys(byName)));
  });

  it("are all in `builtins`, and each is a module of the package", () => {
    expect(new Set(builtins)).toEqual(new Set(Object.values(byName)));
    const { exports } = JSON.parse(
      readFileSync(new URL("../../../runtime/builtins/package.json", import.meta.url), "utf8"),
    ) as { exports: object };
    const modules = Object.keys(byName).map((name) => `./${name}`);
    expect(Object.keys(exports).filter((path) => path !== "./package.json")).toEqual([".", ...modules.sort()]);
  });

  it("answer the sample that a policy is loaded with, where they make an HMAC", () => {
    const sampled = [byName.crypto, byName.jwt].flatMap((family) =>
      Object.entries(builtinsOf(family, sources)).filter(([, builtin]) => builtin.sample),
    );
    expect(sampled.map(([name]) => name).sort()).toEqual([
      ...["crypto.hmac.md5", "crypto.hmac.sha1", "crypto.hmac.sha256", "crypto.hmac.sha512"],
      ...["io.jwt.verify_hs256", "io.jwt.verify_hs384", "io.jwt.verify_hs512"],
    ]);
    for (const [name, builtin] of sampled)
      expect(builtin((builtin.sample ?? []).map((operand) => fromText(operand) ?? null)), name).toBeDefined();
  });

  it("never throw and always end, whatever they are given", () => {
    const scalar: fc.Arbitrary<JsonLike> = fc.oneof(
      fc.constant(null),
      fc.boolean(),
      fc.string(),
      fc.constantFrom("-1", "0", "1e400", "9223372036854775808", "0.1").map((text) => new HostNumber(text)),
    );
    const { value } = fc.letrec<{ value: JsonLike }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        scalar,
        fc.array(tie("value"), { maxLength: 3 }),
        fc.array(fc.tuple(scalar, tie("value")), { maxLength: 3 }).map((entries) => new Map(entries)),
        fc.array(scalar, { maxLength: 3 }).map((items) => new Set(items)),
      ),
    }));
    const tables = builtins.map((family) => builtinsOf(family, sources));
    fc.assert(
      fc.property(fc.array(value, { maxLength: 4 }), (args) => {
        for (const table of tables) for (const builtin of Object.values(table)) builtin(args);
      }),
      campaign(500),
    );
  });
});
