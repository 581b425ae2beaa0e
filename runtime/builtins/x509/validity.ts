/** UTCTime and GeneralizedTime, RFC 5280 section 4.1.2.5. */

import { type Der, tag } from "../asn1/der.ts";
import { fail } from "../family.ts";
import { daysFromCivil, daysInMonth } from "../time/civil.ts";
import { latin1 } from "./name.ts";

export interface CertificateTime {
  /** Since 1970. */
  readonly seconds: number;
  /** As Go prints a time in JSON, in the zone that it was written in. */
  readonly text: string;
}

const utc = /^(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)?(Z|[+-]\d{4})$/;
const generalized = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(Z|[+-]\d{4})$/;

function offsetOf(zone: string): number {
  if (zone === "Z") return 0;
  const [hours, minutes] = [Number(zone.slice(1, 3)), Number(zone.slice(3))];
  if (hours > 24 || minutes >= 60 || (hours === 0 && minutes === 0)) fail("malformed zone of a time");
  return (zone.startsWith("-") ? -60 : 60) * (hours * 60 + minutes);
}

export function readTime(der: Der): CertificateTime {
  const isUtc = der.peek(tag.utcTime);
  const text = latin1(der.read(isUtc ? tag.utcTime : tag.generalizedTime));
  const match = (isUtc ? utc : generalized).exec(text) ?? fail("malformed time");
  const [, y, month, day, hour, minute, second = "00", zone = "Z"] = match as unknown as string[];
  const short = Number(y);
  const year = isUtc ? (short >= 50 ? 1900 : 2000) + short : short;
  const [m, d, h, min, s] = [month, day, hour, minute, second].map(Number) as [number, number, number, number, number];
  if (m < 1 || m > 12 || d < 1 || d > daysInMonth(year, m) || h > 23 || min > 59 || s > 59) fail("time out of range");
  const seconds = daysFromCivil(year, m, d) * 86400 + h * 3600 + min * 60 + s - offsetOf(zone);
  const suffix = zone === "Z" ? "Z" : `${zone.slice(0, 3)}:${zone.slice(3)}`;
  return { seconds, text: `${String(year).padStart(4, "0")}-${month}-${day}T${hour}:${minute}:${second}${suffix}` };
}
