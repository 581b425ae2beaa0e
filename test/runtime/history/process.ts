/** A process of its own at a folder of history: `race` makes calls until it is told no, `hold` holds the lock. */

import { once } from "node:events";
import { fileHistory } from "../../../runtime/node/file-history.ts";
import { takeLock } from "../../../runtime/node/process-lock.ts";

const [what, folder = "", count = "1", most = "1"] = process.argv.slice(2);

if (what === "hold") {
  await fileHistory(folder).reserve({ limits: [] });
  const lock = await takeLock(folder, 1000);
  process.stdout.write("held\n");
  await once(process.stdin.resume(), "end");
  lock.release();
} else {
  const use = { id: "L", key: "a".repeat(64), maxCalls: Number(most), after: [], never: [] };
  const store = fileHistory(folder, { wait: 60_000 });
  let allowed = 0;
  for (let i = 0; i < Number(count); i++) {
    const { facts } = await store.reserve({ limits: [use] });
    if ((facts.history["L"]?.calls ?? Number.POSITIVE_INFINITY) < use.maxCalls) allowed++;
  }
  process.stdout.write(String(allowed));
}
