/** The language server of policy sets: `serve` on a connection. */

export { serve } from "./server.ts";
export type { Machine } from "./workspace.ts";
