/** Addresses that servers listen on. */

import { existsSync, statSync } from "node:fs";
import { dirname, isAbsolute } from "node:path";
import { CliError, fileProblem } from "./exit.ts";

/** Bytes of a socket's path. INVARIANT: Node cuts off what is more, and the socket would lie in another place, perhaps in another folder. */
const LONGEST_SOCKET = process.platform === "linux" ? 107 : 103;

/** The path behind `unix:`; `undefined` for another word. Throws CliError for one that is relative or too long. */
export function socketOf(option: string, text: string): string | undefined {
  if (!text.startsWith("unix:")) return undefined;
  const path = text.slice("unix:".length);
  if (!isAbsolute(path)) throw new CliError(`\`${option} ${text}\`: a socket is unix: with an absolute path`);
  if (Buffer.byteLength(path) <= LONGEST_SOCKET) return path;
  throw new CliError(`\`${option} ${text}\`: the path is longer than a socket's may be, ${LONGEST_SOCKET} bytes`);
}

/** `host:port`, the value of an option. Throws CliError. */
export function addressOf(option: string, text: string): { readonly host: string; readonly port: number } {
  const [, bracketed, plain, port] = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = bracketed ?? plain;
  if (host !== undefined && Number(port) < 65_536) return { host, port: Number(port) };
  throw new CliError(`\`${option} ${text}\`: an address is host:port, such as 127.0.0.1:8181 or [::1]:8181`);
}

/** Throws CliError for an address that cannot be had. */
export async function listening<T>(address: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw new CliError(`cannot listen on \`${address}\`: ${whyNot(address, error)}`);
  }
}

function whyNot(address: string, error: unknown): string {
  const { code } = error as { code?: unknown };
  const path = address.startsWith("unix:") ? address.slice("unix:".length) : undefined;
  if (code === "EADDRINUSE")
    return path !== undefined && statSync(path, { throwIfNoEntry: false })?.isSocket() === false
      ? "it is there, and no socket"
      : "somebody else listens there";
  // Node says the same of a folder that is missing.
  if (code === "EACCES" && path !== undefined && !existsSync(dirname(path))) return "no such file or folder";
  return fileProblem(error);
}
