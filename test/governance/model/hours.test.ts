/** Times of the day as people write them: with quotes, and without, where YAML 1.1 would read minutes of base sixty. */

import { expect, it } from "vitest";
import { opened } from "../review/opened.ts";

const set = (...hours: readonly string[]): Readonly<Record<string, string>> => ({
  "roles.yaml": "roles: [{ role_id: R, privileges: { lanes: [L] } }]\n",
  "lanes.yaml": "lanes: [{ lane_id: L, allowed_callers: { roles: [R] }, allowed_actions: { tools: [t] } }]\n",
  "tool_registry.yaml": "tools: [{ tool_name: t, enabled: true, implementation_status: implemented }]\n",
  "limits.yaml": `limits:\n${hours.map((one, i) => `  - { limit_id: L${i}, only_during: { ${one}, zone: UTC } }\n`).join("")}`,
});

it("means what it says, with quotes and without", async () => {
  const times = ["from: 09:00, to: 17:30", "from: 00:00, to: 08:09", "from: 20:00, to: 24:00"];
  const quoted = times.map((one) => one.replaceAll(/\d\d:\d\d/g, '"$&"'));
  const { policy } = await opened(set(...times, ...quoted));
  const said = Object.values(policy.limits ?? {}).map(({ only_during: hours }) => {
    const { from, to } = hours as { readonly from: number; readonly to: number };
    return [from, to];
  });
  const minutes = [
    [540, 1050],
    [0, 489],
    [1200, 1440],
  ];
  expect(said).toEqual([...minutes, ...minutes]);
});

it.each([
  ["from: 540, to: 17:30", "`from` must be a string, found a number"],
  ["from: 9:00, to: 17:30", '`from` of limit `L0` is `9:00`: it is written "09:00"'],
  ["from: 09:00, to: 17:30:00", '`to` of limit `L0` is `17:30:00`: it is from "00:00" to "24:00"'],
])("%s is a finding", async (hours, message) => {
  await expect(opened(set(hours))).rejects.toThrow(message);
});
