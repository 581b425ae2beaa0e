/** Times in contracts and packets: ISO 8601, seconds required, UTC where no offset is written. Nothing is guessed. */

const TIME = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(\.\d{1,9})?(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)?$/;

/** Milliseconds since 1970, or `undefined` for anything that is not such a time. */
export function instant(value: unknown): number | undefined {
  const match = typeof value === "string" ? TIME.exec(value) : null;
  if (match === null) return undefined;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const at = Date.UTC(year, month - 1, day, hour, minute, second);
  // The 30th of February would become a day in March.
  const written = `${match[1]}-${match[2]}-${match[3]}T${match[4]}:${match[5]}:${match[6]}`;
  if (!new Date(at).toISOString().startsWith(written)) return undefined;
  return at + Math.trunc(Number(match[7] ?? 0) * 1000) - offset(match[8]);
}

function offset(zone: string | undefined): number {
  if (zone === undefined || zone === "Z") return 0;
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(4));
  return (zone.startsWith("-") ? -minutes : minutes) * 60_000;
}

/** Now, as contracts and packets write it. */
export function timestamp(now: number): string {
  return new Date(now).toISOString().replace(/\.\d+Z$/, "Z");
}
