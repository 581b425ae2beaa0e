// Every builtin that rtlib has: what is exported here is native, by its name alone.

export * from "./aggregates";
export * from "./arithmetic";
export * from "./arrays";
export * from "./bits";
export * from "./comparison";
export * from "./ranges";
export * from "./sets";
export * from "./types";
