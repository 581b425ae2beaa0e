/** The SDKs that have an adapter. */

import { aiSdk } from "./ai-sdk.ts";
import { claudeAgent } from "./claude.ts";
import { langChain } from "./langchain.ts";
import type { Sdk } from "./newsroom.ts";
import { openAiAgents } from "./openai.ts";

export const SDKS: readonly Sdk[] = [
  aiSdk("AI SDK 6", "ai", "experimental_context"),
  aiSdk("AI SDK 7", "ai", "toolsContext", "ai7"),
  openAiAgents,
  langChain,
  claudeAgent,
];
