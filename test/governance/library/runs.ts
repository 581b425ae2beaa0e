/** How much the suites of the library try: of a whole campaign up to 10,000 requests a property. */
import { runs } from "../../campaign.ts";

/** Multiplies what is tried; 1 is a whole campaign. `PORTCULLIS_RUNS` overrides: requests a property. */
export const SCALE = Number(process.env["PORTCULLIS_RUNS"] ?? runs(10_000)) / 10_000;
