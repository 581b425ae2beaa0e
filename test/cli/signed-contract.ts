/** Contracts signed and closed by the command line, on the repositories of test/enforcement/execution. */

import { expect } from "vitest";
import { bundle, type Closed, contractFile } from "../enforcement/execution/closing.ts";
import { portcullis } from "./terminal.ts";

const SECRET = "a5".repeat(16);

export async function closeFile(file: string, ...flags: string[]): Promise<Closed & { exit: number; err: string }> {
  const ran = await portcullis("exec", "close", "--contract", file, "--policy", bundle, "--format", "json", ...flags);
  return { ...(JSON.parse(ran.out) as Closed), exit: ran.code, err: ran.err };
}

/** Runs with a session's secret in the environment, or without one. */
export async function inSession<T>(work: () => Promise<T>, secret: string | undefined = SECRET): Promise<T> {
  const name = "PORTCULLIS_SESSION_SECRET";
  const before = process.env[name];
  process.env[name] = secret;
  try {
    return await work();
  } finally {
    if (before === undefined) delete process.env[name];
    else process.env[name] = before;
  }
}

/** A contract that this session has signed. */
export async function signedContractFile(fields: object = {}, ...flags: string[]): Promise<string> {
  const file = contractFile(fields);
  const { code, err } = await inSession(() =>
    portcullis("exec", "sign", "--contract", file, ...flags, "--policy", bundle),
  );
  expect([code, err]).toEqual([0, expect.any(String)]);
  return file;
}
