/** Files of others are opened in one way: pipes, devices, links and endless files are refused, and never waited for. */

import { execFileSync } from "node:child_process";
import { chmodSync, rmSync, symlinkSync, truncateSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { FileError, LARGEST_DOCUMENT, readRegularFile } from "../../compiler/enforcement/execution/regular-file.ts";
import {
  bundle,
  check,
  contract,
  expectDenied,
  folder,
  hat,
  read,
  script,
  sha256,
  source,
  useSignedScript,
} from "./signed-script.ts";
import { portcullis, write } from "./terminal.ts";

useSignedScript();

/** Puts something that is not a file of its own in a path's place, and asks. */
async function instead(path: string, ask: () => Promise<void>): Promise<void> {
  const outside = write(join(folder, "outside"), "{}");
  const places: (() => void)[] = [
    () => symlinkSync(outside, path),
    () => symlinkSync("/dev/zero", path),
    () => void execFileSync("mkfifo", [path]),
  ];
  for (const place of places) {
    rmSync(path, { force: true, recursive: true });
    place();
    await ask();
    unlinkSync(path);
  }
}

const posix = describe.skipIf(process.platform === "win32");

posix("what is in the place of a file", () => {
  it("is no packet", async () => {
    await instead(hat, () => expectDenied("malformed_hat_packet"));
  });

  it("is no contract", async () => {
    await instead(contract, async () => {
      expect(await check()).toMatchObject({ detail: "no_contract", exit: 1 });
      for (const command of ["sign", "close"]) {
        const { code, err } = await portcullis("exec", command, "--contract", contract, "--policy", bundle);
        expect([command, code, err]).toEqual([command, 2, expect.stringContaining("not a regular file")]);
      }
    });
  });

  it("is no script", async () => {
    await instead(script, async () => {
      const { allowed, reason } = await check();
      expect([allowed, ["script_hash_mismatch", "script_outside_staging"].includes(reason)]).toEqual([false, true]);
    });
  });

  it("is no record", async () => {
    const record = join(folder, "record.json");
    await instead(record, async () => {
      const { code, err } = await portcullis("handoff", "validate", record, "--root", folder, "--policy", bundle);
      expect([code, err]).toEqual([2, expect.stringContaining("not a regular file")]);
    });
  });
});

describe("an endless file", () => {
  it("is refused by its size", () => {
    const file = write(join(folder, "large"), "x");
    truncateSync(file, LARGEST_DOCUMENT + 1);
    expect(() => readRegularFile(file)).toThrow(new FileError("too-large"));
    expect(readRegularFile(file, { bytes: LARGEST_DOCUMENT + 1 })).toHaveLength(LARGEST_DOCUMENT + 1);
    expect(() => readRegularFile(file, { bytes: Number.POSITIVE_INFINITY, until: 0 })).toThrow(
      new FileError("too-slow"),
    );
  });

  it("is no packet", async () => {
    write(hat, " ".repeat(LARGEST_DOCUMENT + 1));
    await expectDenied("malformed_hat_packet");
  });
});

describe("an artifact", () => {
  const artifact = join(folder, "root/report.md");
  const record = (fields: object = {}): string =>
    write(join(folder, "records/r.json"), {
      ...{ handoff_id: "h", task_id: "t", from_agent: "a", to_agent: "b", input_scope: "s", actions_taken: ["did"] },
      artifacts: [{ path: "report.md", kind: "report", ...fields }],
      ...{ result: "PASS", next_action: { owner: "o", action: "a", input: "i" }, rulebook_update: { applied: false } },
    });
  const reasons = async (fields: object = {}): Promise<string[]> => {
    const argv = ["handoff", "validate", record(fields), "--root", join(folder, "root"), "--policy", bundle, "--json"];
    const { out } = await portcullis(...argv);
    const { records } = JSON.parse(out) as { records: { violations: { reason: string; path: string }[] }[] };
    return records[0]!.violations.map(({ reason, path }) => `${reason} ${path}`);
  };

  it("is bound to its bytes where the record names their digest", async () => {
    write(artifact, source);
    expect(await reasons()).toEqual([]);
    expect(await reasons({ sha256: sha256(source) })).toEqual([]);
    for (const digest of [sha256(`${source} `), sha256(source).toUpperCase(), "", null, 1])
      expect(await reasons({ sha256: digest })).toEqual(["artifact_digest_mismatch /artifacts/0/sha256"]);
    write(artifact, `${source} `);
    expect(await reasons({ sha256: sha256(source) })).toEqual(["artifact_digest_mismatch /artifacts/0/sha256"]);
  });

  it("must be readable, not only there", async () => {
    write(artifact, source);
    chmodSync(artifact, 0o000);
    // Root reads everything.
    if (process.platform !== "win32" && process.getuid?.() !== 0)
      expect(await reasons()).toEqual(["artifact_path_not_a_file /artifacts/0/path"]);
    chmodSync(artifact, 0o644);
    if (process.platform === "win32") return;
    rmSync(artifact);
    execFileSync("mkfifo", [artifact]);
    expect(await reasons()).toEqual(["artifact_path_not_a_file /artifacts/0/path"]);
    rmSync(artifact);
    expect(read(hat)).toBeDefined();
  });
});
