/**
 * `@portcullis/agents`: agent SDKs, held to a policy. What the adapters share is here; each is an entry point of its own, named
 * after its SDK. Read `admission.ts` first.
 */

export { type AgentContext, type AgentOptions, ToolDenied } from "./admission.ts";
