/** Entries of `hosts`: `host` or `*.host`, with `:port` or without. */

const ENTRY = /^(\*\.)?([a-z0-9-]+(?:\.[a-z0-9-]+)*)(?::(0|[1-9][0-9]{0,4}))?$/;
const SCHEME = /^[a-z][a-z0-9+.-]*$/;

export interface HostEntry {
  /** As written. */
  readonly text: string;
  /** Without `*.`. */
  readonly host: string;
  /** One label or more stand before the host. */
  readonly isBelow: boolean;
  /** `undefined`: the scheme's own. */
  readonly port: string | undefined;
}

/** The entry, or what is wrong with the text. */
export function parseHostEntry(text: string): HostEntry | { readonly problem: string } {
  const [, below, host, port] = ENTRY.exec(text) ?? [];
  if (host === undefined) return { problem: "is not `host` or `*.host` in lower case, with `:port` or without" };
  if (below !== undefined) {
    const labels = host.split(".");
    if (labels.length < 2) return { problem: "has `*.` before a single label, which stands for whole domains" };
    if (/^(?:\d+|0x.*)$/.test(labels.at(-1) as string)) return { problem: "has `*.` before an address" };
    if (labels.some((label) => label.startsWith("xn--")))
      return { problem: "has `*.` before letters of another alphabet, which only whole names match" };
  }
  return { text, host, isBelow: below !== undefined, port };
}

export function isScheme(text: string): boolean {
  return SCHEME.test(text);
}
