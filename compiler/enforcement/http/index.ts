/** Which requests an HTTP server reads at all. */

export { endBroken, holdConnections, isNext } from "./connections.ts";
export { Gathered } from "./gathered.ts";
export { foreignTo, originOf } from "./local-caller.ts";
export { headProblem, originForm } from "./request-head.ts";
