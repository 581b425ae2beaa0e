/** What `serve` answers, and to whom. */
import type { Check } from "./check.ts";
import { aheadChecks } from "./served-ahead.ts";
import { answerChecks } from "./served-answers.ts";
import { callChecks } from "./served-calls.ts";
import { envoyChecks } from "./served-checks.ts";
import { grpcChecks } from "./served-grpc.ts";
import { httpChecks } from "./served-http.ts";
import { requestChecks } from "./served-requests.ts";
import { successChecks } from "./served-successes.ts";

export function checks(): readonly Check[] {
  return [
    ...[...envoyChecks(), ...answerChecks(), ...callChecks(), ...httpChecks(), ...aheadChecks()],
    ...[...grpcChecks(), ...requestChecks(), ...successChecks()],
  ];
}
