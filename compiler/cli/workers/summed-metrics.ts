/** Metrics of several processes as one text of Prometheus. */

/** They tell of the policy, which is one for all: the primary's numbers count. */
const POLICY =
  /^# HELP portcullis_(?:policy_stale|policy_info|last_check_timestamp_seconds|failed_checks|reloads_total|failed_reloads_total) /;
/** What ends with its process. */
const PASSING = /^portcullis_(?:memory_bytes|pending_events) .*\n/gm;

/** The primary's text, with what the workers counted added. */
export function summed(primary: string, workers: readonly string[]): string {
  const families = new Map<string, Map<string, number>>();
  for (const [at, text] of [primary, ...workers].entries())
    for (const block of text.split(/^(?=# HELP )/m)) {
      if (block === "" || (at > 0 && POLICY.test(block))) continue;
      const [help, type, ...lines] = block.trimEnd().split("\n");
      const head = `${help}\n${type}\n`;
      const samples = families.get(head) ?? new Map<string, number>();
      families.set(head, samples);
      for (const line of lines) {
        const end = line.lastIndexOf(" ");
        const series = line.slice(0, end);
        samples.set(series, (samples.get(series) ?? 0) + Number(line.slice(end + 1)));
      }
    }
  const texts = [...families].map(
    ([head, samples]) => head + [...samples].map(([series, value]) => `${series} ${value}\n`).join(""),
  );
  return texts.join("");
}

/** What stays counted of a process that has ended. */
export function lasting(text: string): string {
  return text.replace(PASSING, "");
}
