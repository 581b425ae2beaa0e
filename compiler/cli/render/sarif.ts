/** SARIF 2.1.0, for code scanning: https://docs.oasis-open.org/sarif/sarif/v2.1.0/ */

import { VERSION } from "../version.ts";

interface Driver {
  readonly informationUri?: string;
  readonly rules: readonly object[];
}

/** One run of this program. Columns count UTF-16 units. */
export function sarifLog(driver: Driver, results: readonly object[]): object {
  return {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      { tool: { driver: { name: "portcullis", version: VERSION, ...driver } }, columnKind: "utf16CodeUnits", results },
    ],
  };
}
