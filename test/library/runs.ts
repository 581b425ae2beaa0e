/** How much the suites of the library try. Seeds are fixed, so that a failure fails again. */

/** Multiplies what is tried; 1 means up to 10,000 requests a property. */
export const SCALE = Number(process.env["PORTCULLIS_RUNS"] ?? 10_000) / 10_000;

/** `PORTCULLIS_SEED` overrides. */
export const SEED = Number(process.env["PORTCULLIS_SEED"] ?? 20_260_214);
