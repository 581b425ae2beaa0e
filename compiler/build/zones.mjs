// Writes compiler/governance/model/zone-table.ts: how far the clocks of each time zone are ahead of UTC, from this Node's Intl.
// Run by hand, with a Node whose `process.versions.tz` is the release of the IANA database that is wanted: a bundle must not
// depend on the Node that compiles it. `node compiler/build/zones.mjs`

import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const path = (name) => fileURLToPath(new URL(name, import.meta.url));
const MINUTE = 60_000;
const HALF_DAY = 720;
/** In minutes since 1970. */
const FIRST = Date.UTC(2025, 0, 1) / MINUTE;
const END = Date.UTC(2050, 0, 1) / MINUTE;

/** Names of zones, as the runtime's builtins know them. */
function names() {
  const text = readFileSync(path("../../runtime/builtins/time/zone-names.ts"), "utf8");
  const groups = text.slice(text.indexOf("const groups"), text.indexOf("];")).replaceAll(/" \+\s*"/g, "");
  return [...groups.matchAll(/"[^"=]*=([^"]+)"/g)].flatMap(([, list]) => list.split(" "));
}

/** Minutes ahead of UTC, at a time in minutes. */
function clockOf(timeZone) {
  const format = new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "longOffset" });
  return (at) => {
    const text = format.formatToParts(at * MINUTE).find(({ type }) => type === "timeZoneName").value;
    const [, sign, hours, minutes, seconds] = /^GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/.exec(text);
    if (seconds !== undefined) throw new Error(`${timeZone} has an offset of ${text}`);
    return sign === undefined ? 0 : Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes));
  };
}

/** `60 2a3:120 1kw:60`: the first offset, and each later one behind the minutes since the change before, in base 36. */
function changesOf(name) {
  const clock = clockOf(name);
  let offset = clock(FIRST);
  let last = FIRST;
  const changes = [];
  for (let at = FIRST; at < END; at += HALF_DAY) {
    if (clock(at + HALF_DAY) === offset) continue;
    let [low, high] = [at, at + HALF_DAY];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (clock(middle) === offset) low = middle;
      else high = middle;
    }
    if (high >= END) break;
    offset = clock(high);
    changes.push(`${(high - last).toString(36)}:${offset}`);
    last = high;
  }
  return [clock(FIRST), ...changes].join(" ");
}

const groups = new Map();
for (const name of names().sort()) {
  const changes = changesOf(name);
  groups.set(changes, [...(groups.get(changes) ?? []), name]);
}
const lines = [...groups].map(([changes, zones]) => `  ${JSON.stringify(`${zones.join(" ")}=${changes}`)},`);
writeFileSync(
  path("../governance/model/zone-table.ts"),
  [
    "/** Made by compiler/build/zones.mjs from the IANA time zone database (public domain). Do not edit. */",
    "",
    `export const ZONE_RELEASE = ${JSON.stringify(process.versions.tz)};`,
    "",
    "/** Names, `=`, minutes ahead of UTC on 1 January 2025; then changes to the end of 2049: minutes since the one before, in base 36, and the new offset. */",
    "export const ZONES: readonly string[] = [",
    ...lines,
    "];",
    "",
  ].join("\n"),
);
