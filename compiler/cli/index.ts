/** ROOM */

export { sampleFindings } from "./policy/sample-findings.ts";
