/** What a service does with a policy. The package exports its parts; other rooms need only this. */

export { type BundleSource, SourceError } from "./bundle-source.ts";
export { bodyOf } from "./fetching.ts";
export { type HttpHeaders, type HttpRequest, type HttpSourceOptions, httpSource } from "./http-source.ts";
export { timerLimit } from "./times.ts";
