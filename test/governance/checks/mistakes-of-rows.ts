/** Tables of an author's without a row for an id, where a denial is silent for it; and those that say nothing of it on purpose. */

import type { Mistake } from "./hospital.ts";

const call = (condition: string): Mistake["files"] => ({
  "call.rego": `package portcullis.ext.call\n\ndeny contains {"gate": "CALL", "reason": "no"} if {\n\t${condition}\n}\n`,
});
const must = (body: string): Mistake["files"] => ({
  "call.rego": `package portcullis.ext.call\n\nmust contains "CALL" if {\n\t${body}\n}\n`,
});
const data = (text: string, more: Mistake["files"]): Mistake["files"] => ({
  ...more,
  "hospital/data.yaml": `limit: 10\n${text}`,
});

export const MISTAKES_OF_ROWS: readonly Mistake[] = [
  ...[
    'input.tool == "dose.request"\n\tnot data.hospital.limits[input.role] >= 3',
    'input.tool in {"dose.request", "dose.release"}\n\tnot data.hospital.limits[input.role] >= 3',
    'input.lane == "WARD"\n\tnot startswith(data.hospital.wards[input.role].name, "A")',
    "is_number(input.args.mg)\n\tnot input.args.mg <= data.hospital.limits[input.role]",
  ].map((text) => ({
    name: `a table that has no row for a role, under a negation: ${text}`,
    files: data("limits: { PHYSICIAN: 5 }\nwards: { PHYSICIAN: { name: A } }\n", call(text)),
    found: `policy/deny-silent call.rego:5:2 not ${text.split("not ")[1]}`,
  })),
  ...[
    'limit("PHYSICIAN") := 5',
    'limit(role) := 5 if role == "PHYSICIAN"',
    'limit("PHYSICIAN") := 5\n\nlimit(role) := 5 if "PHYSICIAN" == role',
  ].map((text) => ({
    name: `a function that has no value for a role: ${text}`,
    files: { ...call("not data.ward.limit(input.role) >= 3"), "ward.rego": `package ward\n\n${text}\n` },
    found: "policy/deny-silent call.rego:4:2 not data.ward.limit(input.role) >= 3",
  })),
  {
    name: "a table that has no row for a role, and is to have another value",
    files: data("wards: { PHYSICIAN: A }\n", call('data.hospital.wards[input.role] != "B"')),
    found: 'policy/deny-silent call.rego:4:2 data.hospital.wards[input.role] != "B"',
  },
  {
    name: "a table of a rule's that has no row for a lane",
    files: {
      ...call("not data.ward.beds[input.lane] > 3"),
      "ward.rego": 'package ward\n\nbeds := {"PHARMACY": 4}\n',
    },
    found: "policy/deny-silent call.rego:4:2 not data.ward.beds[input.lane] > 3",
  },
];

export const RIGHT_ROWS: readonly Mistake["files"][] = [
  ...[
    'limit("PHYSICIAN") := 5\n\nlimit("NURSE") := 4',
    'limit(role) := 5 if role == "PHYSICIAN"\n\nlimit(role) := 4 if role != "PHYSICIAN"',
    'default limit(_) := 0\n\nlimit("PHYSICIAN") := 5',
    'limit(role) := 5 if {\n\trole == "PHYSICIAN"\n} else := 4',
    "limit(role) := count(role)",
  ].map((text) => ({
    ...call("not data.ward.limit(input.role) >= 3"),
    "ward.rego": `package ward\n\n${text}\n`,
  })),
  ...[
    'input.tool == "dose.release"\n\tnot data.hospital.limits[input.role] >= 3',
    'input.role == "PHYSICIAN"\n\tnot data.hospital.limits[input.role] >= 3',
    'input.role != "NURSE"\n\tnot data.hospital.limits[input.role] >= 3',
    'not input.tool == "dose.request"\n\tnot data.hospital.limits[input.role] >= 3',
    "data.hospital.limits[input.role]\n\tnot data.hospital.limits[input.role] >= 3",
    "not data.hospital.limits[input.role] == 3",
    "not data.hospital.limits[input.role]",
    "data.hospital.limits[input.role] < 3",
    "not data.hospital.beds[input.role] >= 3",
    'some role in ["PHYSICIAN"]\n\tnot data.hospital.limits[role] >= 3',
    "not object.get(data.hospital.limits, input.role, 0) == 3",
  ].map((text) => data("limits: { PHYSICIAN: 5 }\nbeds: { PHYSICIAN: 5, NURSE: 6 }\n", call(text))),
  data("limits: { PHYSICIAN: 5 }\n", must("not data.hospital.limits[input.role] >= 3")),
];
