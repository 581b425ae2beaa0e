import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { campaign } from "../../campaign.ts";
import { calls, expectLikeOpa, product } from "./differential.ts";
import { type Argument, opaInstalled } from "./opa.ts";
import { Rtlib } from "./rtlib.ts";

describe("net.cidr", () => {
  const rtlib = new Rtlib();
  it.each([
    ["net.cidr_contains", ['"10.0.0.0/8"', '"10.1.2.3"'], "true"],
    ["net.cidr_contains", ['"10.0.0.0/8"', '"10.0.0.0/7"'], "false"],
    ["net.cidr_contains", ['"2001:db8::/32"', '"2001:db8::1"'], "true"],
    ["net.cidr_contains", ['"10.0.0.0/8"', '"010.1.2.3"'], undefined],
    ["net.cidr_intersects", ['"10.0.0.0/8"', '"10.1.0.0/16"'], "true"],
    ["net.cidr_expand", ['"10.0.0.255/30"'], '{"10.0.0.252","10.0.0.253","10.0.0.254","10.0.0.255"}'],
    ["net.cidr_merge", ['["192.0.128.0/24","192.0.129.0/24"]'], '{"192.0.128.0/23"}'],
    ["net.cidr_merge", ['["10.0.0.0/24","10.0.1.0/24","10.0.2.0/24"]'], '{"10.0.0.0/23","10.0.2.0/24"}'],
    ["net.cidr_merge", ['["::ffff:10.0.0.0/104"]'], '{"10.0.0.0/8"}'],
    ["net.cidr_merge", ['["255.255.255.255","224.0.0.1"]'], '{"224.0.0.1/24","255.255.255.255/24"}'],
    ["net.cidr_contains_matches", ['["1.1.1.0/24"]', '{"x":["1.1.1.128",1]}'], '{[0,"x"]}'],
  ])("%s%j is %s", (name, args, want) => {
    expect(rtlib.call(name, ...args)).toBe(want);
  });

  it.each([
    '["::ffff:10.0.0.0/104","::ffff:11.0.0.0/104"]',
    '["::ffff:10.0.0.0/96","10.0.0.0/8"]',
    '["::ffff:10.0.0.0/95","10.0.0.0/8"]',
    '["::1:0:0:0/96","255.0.0.0/8"]',
  ])("ends where OPA panics, or does not merge: net.cidr_merge of %s", (networks) => {
    expect(() => rtlib.call("net.cidr_merge", networks)).toThrow("IPv4-mapped");
  });
});

describe.skipIf(!opaInstalled)("net.cidr, like OPA", () => {
  const networks: Argument[] = [
    "10.0.0.0/8",
    "10.1.2.3/16",
    "0.0.0.0/0",
    "1.2.3.4/32",
    "192.168.1.0/24",
    "::/0",
    "::1/128",
    "2001:db8::/32",
    "2001:db8:0:1::/64",
    "fe80::1/10",
    "::ffff:10.0.0.0/104",
    "::ffff:1.2.3.4/128",
    "::ffff:0:0/90",
    "1:2:3:4:5:6:7:8/127",
    "1:2:3:4:5:6:1.2.3.4/112",
    "10.0.0.0/33",
    "10.0.0.0/08",
    "10.0.0.0/",
    "10.0.0/8",
    "10.0.0.0",
    "10.0.0.0/-1",
    "10.0.0.0/+8",
    "256.0.0.0/8",
    "::/129",
    "1::2::3/64",
    "fe80::1%eth0/64",
    "g::/16",
    "1:2:3/48",
    ":1::/16",
    "::1:/16",
    "12345::/16",
    "01.0.0.0/8",
    "a",
    "",
    1,
    null,
  ];
  const addresses: Argument[] = [
    "10.1.2.3",
    "1.2.3.4",
    "::1",
    "::",
    "2001:db8::1",
    "2001:DB8::A",
    "::ffff:10.0.0.1",
    "0:0:0:0:0:0:0:1",
    "1::8",
    "1:2:3:4:5:6:7::",
    "1.2.3",
    "1.2.3.4.5",
    "01.2.3.4",
    "1.2.3.004",
    "fe80::1%eth0",
    "::1.2.3.4",
    "1:2:3:4:5:6:7:1.2.3.4",
    "1.2.3.4:",
    "1..2.3",
  ];

  it("contains, intersects, is_valid", () => {
    expectLikeOpa(calls("net.cidr_contains", product(networks, [...networks, ...addresses])));
    expectLikeOpa(calls("net.cidr_intersects", product(networks, networks)));
    expectLikeOpa(calls("net.cidr_is_valid", product([...networks, ...addresses])));
  });

  it("expand", () => {
    expectLikeOpa(
      calls(
        "net.cidr_expand",
        product([
          "10.0.0.5/28",
          "1.2.3.4/32",
          "2001:db8::ff/124",
          "1:0:0:2:0:0:0:f0/126",
          "::ffff:1.2.3.4/127",
          "::/125",
          "1:0:1:0:1:0:1:0/127",
          "a",
          1,
        ]),
      ),
    );
  });

  it("contains_matches", () => {
    const lists: Argument[] = [
      "10.0.0.0/8",
      "10.1.1.1",
      ["10.0.0.0/8", "10.1.0.0/16"],
      [["10.0.0.0/8", "x"], ["1.0.0.0/8"]],
      { $set: ["10.0.0.0/8", "1.1.1.1"] },
      { a: "10.0.0.0/8", b: ["10.1.1.1", 1] },
      [],
      [[]],
      [1],
      ["x"],
      1,
      null,
      [[1]],
    ];
    expectLikeOpa(calls("net.cidr_contains_matches", product(lists, lists)));
  });

  it("merge", () => {
    const v4 = fc
      .tuple(fc.integer({ min: 0, max: 7 }), fc.integer({ min: 24, max: 32 }))
      .map(([n, p]) => `10.0.${n}.${n * 8}/${p}`);
    const v6 = fc
      .tuple(fc.integer({ min: 0, max: 7 }), fc.integer({ min: 60, max: 66 }))
      .map(([n, p]) => `2001:db8:0:${n}::/${p}`);
    const plain = fc.constantFrom(
      "10.1.2.3",
      "172.16.0.1",
      "192.168.1.1",
      "0.0.0.0/0",
      "255.255.255.255/32",
      "10.0.0.0/9",
      "10.128.0.0/9",
    );
    const random = fc.sample(fc.array(fc.oneof(v4, v4, v6, plain), { maxLength: 8 }), campaign(1500));
    expectLikeOpa(
      calls("net.cidr_merge", [
        ...random.map((l) => [l]),
        ...product([{ $set: ["10.0.0.0/9", "10.128.0.0/9"] }, ["::1"], ["x"], [1], "10.0.0.0/8", 1]),
      ]),
    );
  });
});
