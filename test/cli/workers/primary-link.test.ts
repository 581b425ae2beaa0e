/** A worker and its primary process, which says two things before the worker reads the first. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { removeFolder, temporaryFolder } from "../terminal.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
let folder = "";
beforeAll(() => {
  folder = temporaryFolder();
});
afterAll(() => removeFolder(folder));

const PRIMARY = `
import cluster from "node:cluster";
import { readFileSync } from "node:fs";
cluster.setupPrimary({ serialization: "advanced", exec: process.argv[2] });
const worker = cluster.fork();
worker.on("message", ({ id, name, value, problem }) => {
  if (name === "join") {
    worker.process.kill("SIGSTOP");
    const inForce = { bytes: readFileSync(${JSON.stringify(join(root, "generated/bundle.tar.gz"))}), data: undefined, staleAt: undefined };
    worker.send({ id, value: { token: undefined, inForce } });
    worker.send({ id: 1, name: "take", value: { staleAt: 1 } });
    setTimeout(() => worker.process.kill("SIGCONT"), 100);
  } else if (name === undefined) {
    console.log(problem ?? value ?? "taken");
    worker.send({ id: 2, name: "count" });
    if (id === 2) process.exit();
  } else worker.send({ id });
});
`;
const WORKER = `
import { PrimaryLink } from ${JSON.stringify(join(root, "compiler/cli/workers/primary-link.ts"))};
const link = PrimaryLink.open();
const { policies } = await link.join({});
await link.serve("here", () => (policies.status().stale ? "stale" : "fresh"));
`;

describe.skipIf(process.platform !== "linux")("a worker", () => {
  it("takes what it is told together with what it joins", async () => {
    const [primary, worker] = [PRIMARY, WORKER].map((text, i) => {
      const path = join(folder, `${i}.mts`);
      writeFileSync(path, text);
      return path;
    });
    const child = spawn(process.execPath, ["--import", "tsx", primary as string, worker as string], { cwd: root });
    let said = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (bytes: Buffer) => (said += bytes.toString()));
    await once(child, "exit");
    expect(said).toBe("taken\nstale\n");
  });
});
