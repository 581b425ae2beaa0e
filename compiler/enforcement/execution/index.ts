/** The host's side of exec, close and handoff: facts from the machine for decisions, and documents that people sign. */

export { type CloseFacts, type ClosingTime, closeFacts } from "./close-request.ts";
export { type ContractFile, parseContract, type Signatory } from "./contract.ts";
export { type ExecFacts, type ExecSituation, execFacts } from "./exec-request.ts";
export { type CheckedRecord, checkRecord } from "./handoff/check.ts";
export { Contents } from "./handoff/evidence.ts";
export { type DeliveredRecord, parseRecord } from "./handoff/records.ts";
export { notReplayed, refusedIn } from "./handoff/replay.ts";
export { type CheckedSample, checkSamples, type Sample, selfTest } from "./handoff/self-test.ts";
export { type Declaration, openContract } from "./open-contract.ts";
export { type HatPacket, type PacketOptions, type SignedScript, type SignScriptProblem, signScript } from "./packet.ts";
export { type PayloadVersion, UNCOVERED_BY_V1, unreadMembers } from "./payloads.ts";
export { realPath } from "./real-path.ts";
export { FileError, readRegularFile } from "./regular-file.ts";
export { type CommitOptions, commitJudged, GitError, type Judged } from "./repository/index.ts";
export { type Launch, launchOf, runScript, type ScriptOutput } from "./run-script.ts";
export { SESSION_SECRET, type SessionSecret, SMALLEST_SECRET, sessionSecret } from "./session.ts";
export {
  canBeMet,
  type Meeting,
  OPERATIONS,
  type SignContractProblem,
  type SigningOptions,
  signContract,
} from "./sign-contract.ts";
