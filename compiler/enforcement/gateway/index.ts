/** The gateway: the call decision in front of the tools of an MCP server, and of agent hosts that ask a command first. */

export { HOOK_FORMATS, type HookFormat } from "./asked-call.ts";
export { beyondDouble } from "./beyond-double.ts";
export { type Caller, callerOf } from "./caller.ts";
export { denial, shortened, undecided } from "./denial.ts";
export { type AskedBy, answerHook, type HookAnswer, type HookHost, type HookOptions, refusal } from "./hook.ts";
export { type HttpGateway, type HttpGatewayOptions, isLoopback, serveGateway } from "./http-gateway.ts";
export { type Identity, type IdentityWords, jwtIdentity, readIdentity } from "./identity.ts";
export { keySet } from "./key-set.ts";
export { LIMITS, type Limits } from "./limits.ts";
export { acceptPins, isKeptList, Pins } from "./pins.ts";
export { type ProxyEnd, type ProxyOptions, runProxy } from "./proxy.ts";
export { readToolMap } from "./read-tool-map.ts";
export { type ApproverKey, approverKey, digestOfCall, signApproval } from "./sign-approval.ts";
export type { Spawns } from "./spawn.ts";
export { NO_TOOLS, type ToolMap, type ToolNames, toolsOf, withNames } from "./tool-map.ts";
export { Verdicts } from "./verdicts.ts";
