/** Which requests an HTTP server reads at all. */

export { endBroken, holdConnections, isNext } from "./connections.ts";
export { foreignTo, originOf } from "./local-caller.ts";
export { headProblem, originForm } from "./request-head.ts";
