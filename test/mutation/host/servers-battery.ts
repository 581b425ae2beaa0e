/** The gateway over HTTP, and the servers behind it. */
import type { Check } from "./check.ts";
import { exchangeStreamChecks } from "./exchange-streams.ts";
import { exchangeChecks } from "./exchanges.ts";
import { remoteChecks } from "./remotes.ts";
import { sseUpstreamChecks } from "./sse-upstreams.ts";
import { upstreamChecks } from "./upstreams.ts";

export function checks(): readonly Check[] {
  return [
    ...exchangeChecks(),
    ...exchangeStreamChecks(),
    ...upstreamChecks(),
    ...sseUpstreamChecks(),
    ...remoteChecks(),
  ];
}
