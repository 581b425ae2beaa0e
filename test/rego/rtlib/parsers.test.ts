import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { campaign } from "../../campaign.ts";
import { calls, expectLikeOpa, product } from "./differential.ts";
import { type Argument, opaInstalled } from "./opa.ts";
import { Rtlib } from "./rtlib.ts";

describe("versions, units and UUIDs", () => {
  const rtlib = new Rtlib();
  it.each([
    ["semver.compare", ["1.2.3", "1.2.3-rc.1"], "1"],
    ["semver.compare", ["1.0.0-alpha.1", "1.0.0-alpha.beta"], "-1"],
    ["semver.compare", ["1.0.0-2", "1.0.0-10"], "-1"],
    ["semver.compare", ["1.0", "1.0.0"], undefined],
    ["semver.compare", ["1.0.0-9223372036854775808", "1.0.0-9223372036854775808"], "0"],
    ["semver.compare", ["1.0.0-9223372036854775808.a", "1.0.0-9223372036854775809.b"], "-1"],
    ["semver.is_valid", ["1.2.3+build.5"], "true"],
    ["semver.is_valid", ["1.2.3-"], "false"],
    ["semver.is_valid", ["v1.2.3"], "true"],
    ["units.parse", ["10K"], "10000"],
    ["units.parse", ["1.5Mi"], "1572864"],
    ["units.parse", ["200m"], "0.2000000000"],
    ["units.parse", ["0.0005"], "0.0005000000"],
    ["units.parse", ["K"], undefined],
    ["units.parse", ["1 K"], undefined],
    ["units.parse_bytes", ["1.5KiB"], "1536"],
    ["units.parse_bytes", ["1e3mb"], "1000000000"],
    ["units.parse_bytes", ["10x"], undefined],
    ["uuid.parse", ["00112233-4455-6677-8899-aabbccddeeff"], '{"variant":"RFC4122","version":6}'],
  ])("%s%j is %s", (name, args, want) => {
    expect(rtlib.call(name, ...args.map((a) => JSON.stringify(a)))).toBe(want);
  });

  it.each(["9223372036854775807", "9223372036854775809", "9223372036854775809.a"])(
    "ends where OPA goes on for ever: semver.compare with %s",
    (part) => {
      const other = part.replace(/^\d+/, "9223372036854775808");
      expect(() => rtlib.call("semver.compare", `"1.0.0-${part}"`, `"1.0.0-${other}"`)).toThrow("beyond 64 bits");
    },
  );
});

describe.skipIf(!opaInstalled)("versions, units and UUIDs, like OPA", () => {
  it("semver", () => {
    const versions: Argument[] = [
      "1.2.3",
      "1.2.4",
      "0.0.0",
      "1.2.3-a",
      "1.2.3-a.b",
      "1.2.3-a.1",
      "1.2.3-1",
      "1.2.3-01",
      "1.2.3-10",
      "1.2.3-2",
      "1.2.3--",
      "1.2.3-",
      "1.2.3+",
      "1.2.3+m",
      "1.2.3-a+m.n",
      "1.2.3-a_b",
      "1.2.3-a..b",
      "1.2",
      "1.2.3.4",
      "v1.2.3",
      "01.2.3",
      "+1.2.3",
      "1.-2.3",
      "1..3",
      "",
      "9223372036854775807.0.0",
      "9223372036854775808.0.0",
      "1.2.3-99999999999999999999",
      "1.2.3+a-b",
      "a.b.c",
      1,
      null,
    ];
    expectLikeOpa(calls("semver.compare", product(versions, versions)));
    expectLikeOpa(calls("semver.is_valid", product(versions)));
  });

  it("units", () => {
    const amounts = [
      "",
      "0",
      "1",
      "10",
      "1.5",
      ".5",
      "5.",
      ".",
      "-1",
      "+1",
      "-1.5",
      "1e3",
      "1e-3",
      "1E3",
      "1e",
      "1e+",
      "1.2.3",
      "1e3.5",
      "00012",
      "123456789012345678901234567890",
      "0.001",
      "0.0000000001",
      "0.00000000005",
      "0.33333333333",
      "1e30",
      "1-2",
      "--1",
    ];
    const units = [
      "",
      "k",
      "K",
      "ki",
      "Ki",
      "KI",
      "kI",
      "m",
      "M",
      "mi",
      "Mi",
      "g",
      "G",
      "Gi",
      "t",
      "T",
      "Ti",
      "p",
      "Pi",
      "e",
      "E",
      "ei",
      "Ei",
      "kb",
      "KB",
      "kib",
      "KiB",
      "MiB",
      "b",
      "x",
      "kk",
      "kibi",
      "é",
      " K",
      '"K"',
    ];
    const texts: Argument[] = amounts.flatMap((a) => units.map((u) => `${a}${u}`));
    expectLikeOpa(
      ["units.parse", "units.parse_bytes"].flatMap((name) =>
        calls(
          name,
          [...texts, 1, null].map((t) => [t]),
        ),
      ),
    );
    // OPA computes with the whole power of ten: an exponent of six digits keeps it busy for minutes.
    const amount = fc
      .stringMatching(/^[0-9]{0,3}[.eE+-]?[0-9]{0,12}[kKmMgGtTpPeE]?[iI]?[bB]?$/)
      .filter((text) => !/[eE][0-9]{4}/.test(text));
    const random = fc.sample(amount, campaign(1500));
    expectLikeOpa(
      ["units.parse", "units.parse_bytes"].flatMap((name) =>
        calls(
          name,
          random.map((t) => [t]),
        ),
      ),
    );
  });

  it("uuid", () => {
    const bases = [
      "00112233-4455-6677-8899-aabbccddeeff",
      "6ba7b810-9dad-11d1-80b4-00c04fd430c8",
      "000003e8-6fc6-21ef-8d00-325096b39f47",
      "FFFFFFFF-FFFF-1FFF-FFFF-FFFFFFFFFFFF",
      "00000000-0000-1000-0000-000000000000",
      "00000000-0000-2000-c05f-010000000000",
    ];
    const forms = (u: string): Argument[] => [
      u,
      u.replaceAll("-", ""),
      `{${u}}`,
      `(${u}]`,
      `urn:uuid:${u}`,
      `URN:UUID:${u}`,
      `xrn:uuid:${u}`,
      u.slice(1),
      `${u}0`,
      u.replace("-", "x"),
      u.replace("0", "g"),
      u.toLowerCase(),
    ];
    expectLikeOpa(
      calls(
        "uuid.parse",
        [...bases.flatMap(forms), "", 1, null].map((t) => [t]),
      ),
    );
  });
});
