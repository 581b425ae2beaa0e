/** A policy over HTTP: OPA's data API and AuthZEN's. */

export { CheckServerError } from "./ext-authz-grpc.ts";
export { type ServedPolicy, type ServeOptions, type Server, serve } from "./server.ts";
