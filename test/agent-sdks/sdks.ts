/** The SDKs that have an adapter. */

import { aiSdk } from "./ai-sdk.ts";
import { claudeAgent } from "./claude.ts";
import { langChain } from "./langchain.ts";
import type { Sdk } from "./newsroom.ts";
import { openAiAgents } from "./openai.ts";

export const SDKS: readonly Sdk[] = [
  aiSdk(6, "experimental_context", "ai"),
  aiSdk(7, "toolsContext", "ai7"),
  openAiAgents,
  langChain,
  claudeAgent,
];
