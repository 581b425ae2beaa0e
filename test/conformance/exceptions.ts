/** Cases that do not pass, each with the reason. One that starts to pass fails the suite. */
export const exceptions: ReadonlyMap<string, string> = new Map([
  [
    "baseandvirtualdocs/enumerate virtual errors",
    "wants the error of a builtin that divides by zero; builtin errors are undefined here, and the rest of the document is still defined",
  ],
  ["net.lookup_ip_addr/simple ip4 returns that ip4", "network look-ups are not supplied"],
  ["net.lookup_ip_addr/simple ip6 returns that ip6", "network look-ups are not supplied"],
  ["net.lookup_ip_addr/localhost", "network look-ups are not supplied"],
  ["regoparsemodule/ok", "rego.parse_module would need the whole front end at run time"],
  ["time/time caching", "calls test.sleep, which exists in OPA's own test runner only"],
]);

/**
 * Cases whose module needs no builtin of the host, and which stock @open-policy-agent/opa-wasm does not decide as wanted,
 * each with the reason. One that starts to pass fails the suite.
 */
export const stockExceptions: ReadonlyMap<string, string> = new Map([
  [
    "baseandvirtualdocs/enumerate virtual errors",
    "wants the error of a builtin that divides by zero, as above; stock OPA modules leave it undefined, too",
  ],
]);

/** The cases beside the project are those of an older OPA: what the pinned release answers otherwise. */
export const supersededCases: ReadonlyMap<string, string> = new Map([
  ["reachable_paths/cycle_1022_3", "since OPA 1.22 a path ends only where it would meet one of its own vertices again"],
]);

/** For the cases of the pinned release only. */
export const releaseExceptions: ReadonlyMap<string, string> = new Map([
  [
    "baseandvirtualdocs/base/virtual: conflicts",
    "a base document where a rule is: OPA's commands refuse it (rego_compile_error), as we do, and its suite goes round them",
  ],
]);
