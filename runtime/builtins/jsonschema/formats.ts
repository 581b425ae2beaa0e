/** The formats that are checked. An unknown format, and a value that is not a string, always pass. */

import { utf8 } from "../bytes.ts";
import { total } from "../family.ts";
import { rfc3339 } from "../time/layout.ts";
import { parseInstant } from "../time/parse.ts";
import { parseUrl } from "../url.ts";
import { isMailbox } from "./mailbox.ts";
import { compilePattern } from "./pattern.ts";

type Check = (text: string) => boolean;

const inLayout =
  (...layouts: readonly string[]): Check =>
  (text) =>
    layouts.some((layout) => total(() => parseInstant(layout, text) !== undefined)([]) === true);

const clock = ["15:04:05", "15:04:05Z07:00"];

function isIpv4(text: string): boolean {
  return (
    /^\d{1,3}(\.\d{1,3}){3}$/.test(text) &&
    text.split(".").every((part) => Number(part) < 256 && String(Number(part)) === part)
  );
}

function isIpv6(text: string): boolean {
  const halves = text.split("::");
  const groups = halves.flatMap((half) => (half === "" ? [] : half.split(":")));
  if (halves.length > 2 || !text.includes(":")) return false;
  const last = groups.at(-1) ?? "";
  const embedded = last.includes(".");
  if (embedded && !isIpv4(last)) return false;
  const plain = embedded ? groups.slice(0, -1) : groups;
  const count = groups.length + (embedded ? 1 : 0);
  return plain.every((group) => /^[0-9a-fA-F]{1,4}$/.test(group)) && (halves.length === 2 ? count < 8 : count === 8);
}

function isHostname(text: string): boolean {
  const label = /^[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?$/;
  return utf8(text).length < 256 && text.split(".").every((part) => label.test(part));
}

function isReference(text: string): boolean {
  return parseUrl(text) !== undefined && !text.includes("\\");
}

function isUri(text: string): boolean {
  return isReference(text) && parseUrl(text)?.scheme !== "";
}

/** Every brace that opens must close. */
function isTemplate(text: string): boolean {
  const path = isReference(text) ? parseUrl(text)?.path : undefined;
  if (path === undefined) return false;
  for (let open = path.indexOf("{"); open >= 0; ) {
    const close = path.indexOf("}", open);
    if (close < 0) return false;
    open = path.indexOf("{", close);
  }
  return true;
}

function isPointer(text: string): boolean {
  return text === "" || (text.startsWith("/") && !/~(?![01])/.test(text));
}

function isRelativePointer(text: string): boolean {
  const match = /^(?:0|[1-9][0-9]*)/.exec(text);
  if (match === null) return false;
  const rest = text.slice(match[0].length);
  return rest === "#" || isPointer(rest);
}

const formats: ReadonlyMap<string, Check> = new Map<string, Check>([
  ["date", inLayout("2006-01-02")],
  ["time", inLayout(...clock)],
  ["date-time", inLayout(...clock, "2006-01-02", rfc3339)],
  ["hostname", isHostname],
  ["email", isMailbox],
  ["idn-email", isMailbox],
  ["ipv4", (text) => isIpv4(text) || (isIpv6(text) && text.includes("."))],
  ["ipv6", isIpv6],
  ["uri", isUri],
  ["uri-reference", isReference],
  ["iri", isUri],
  ["iri-reference", isReference],
  ["uri-template", isTemplate],
  ["uuid", (text) => /^[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{12}$/i.test(text)],
  ["regex", (text) => compilePattern(text) !== undefined],
  ["json-pointer", isPointer],
  ["relative-json-pointer", isRelativePointer],
]);

export function hasFormat(name: string, text: string): boolean {
  return formats.get(name)?.(text) ?? true;
}
