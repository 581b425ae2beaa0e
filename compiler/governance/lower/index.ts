/** The lowering stage: `lowerToData` and the shape of the data that the decision library reads. */

export { approverWords, wordsOfApproval } from "./approval-words.ts";
export { argumentWords, wordsOfArgument } from "./argument-words.ts";
export { lowerCodes } from "./codes.ts";
export { limitWords, wordsOfLimit } from "./limit-words.ts";
export { isRounded, valueWords, writtenJson } from "./number-words.ts";
export { agentNames, boundApprovals, type PolicyData, pathArguments, policyLimits, toolTables } from "./policy-data.ts";
export { FIELDS, SINGLE_ROW, SOURCE_MAP_FILE, type SourceMap, sourceMapOf, type TableName } from "./source-map.ts";
export { type LowerResult, lowerToData } from "./to-data.ts";
