/** A policy over HTTP, by OPA's data API and AuthZEN's, and Envoy's checks over gRPC. */

export { CheckServerError } from "./ext-authz-grpc.ts";
export { type ServedPolicy, type ServeOptions, type Server, serve } from "./server.ts";
