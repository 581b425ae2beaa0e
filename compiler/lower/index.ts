/** The lowering stage: `lowerToData` and the shape of the data that the decision library reads. */

export { lowerCodes } from "./codes.ts";
export { jsonText } from "./json-text.ts";
export type { PolicyData } from "./policy-data.ts";
export { type LowerResult, lowerToData } from "./to-data.ts";
