/** Answers out of linear memory. */

export { DecodeError, ValueReader } from "./decode.ts";
