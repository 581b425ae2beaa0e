/**
 * A service that decides in its own process: it follows a bundle server, keeps the last good bundle on disk, writes a decision
 * log, and denies when it has not heard from the server for an hour.
 *
 *   BUNDLE_URL=https://bundles.saltmarsh.example/bundle.tar.gz RELEASE_KEY=release.pem STATE=/var/lib/newsroom node service.mjs
 */
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { decisionLog, httpSource, metrics, ReloadablePolicy } from "@portcullis/runtime";
import { fileSink, fileStore } from "@portcullis/runtime/node";

const { BUNDLE_URL, RELEASE_KEY, STATE, PORT = "8080" } = process.env;
const key = readFileSync(RELEASE_KEY, "utf8");

const log = decisionLog({ sink: fileSink(`${STATE}/decisions.ndjson`), mask: ["/input/args"] });
const policies = await ReloadablePolicy.follow(
  httpSource(BUNDLE_URL, { minDelay: 1_000, maxDelay: 15_000, staleAfter: 3_600_000 }),
  {
    verification: { keys: { release: { algorithm: "RS256", key, scope: "production" } } },
    persist: fileStore(`${STATE}/bundle.tar.gz`),
    stale: "deny",
    onDecision: log,
    onStatus: ({ revision, lastError }) => lastError && console.error(`${revision}: ${lastError.message}`),
  },
);
const meter = metrics(policies);

const server = createServer((request, response) => {
  if (request.url === "/metrics") return response.end(meter.toPrometheus());
  if (request.url === "/revision") return response.end(`${policies.current.revision}\n`);
  // Stands for the service's own work: who asks comes from its own authentication, never from the request.
  const { searchParams } = new URL(request.url, "http://service");
  const decision = policies.current.lane({ role: searchParams.get("role"), lane: searchParams.get("lane") });
  response.writeHead(decision.allowed ? 200 : 403, { "Content-Type": "application/json" });
  response.end(JSON.stringify(decision));
});
server.listen(Number(PORT), "127.0.0.1", () => console.log(`listening on ${server.address().port}`));

process.on("SIGTERM", async () => {
  server.close();
  policies.close();
  await log.close();
});
