/** How much the suites of the library try. Seeds are fixed, so that a failure fails again. */

/** Runs of a property; `PORTCULLIS_RUNS` overrides. */
export const RUNS = Number(process.env["PORTCULLIS_RUNS"] ?? 10_000);

/** `PORTCULLIS_SEED` overrides. */
export const SEED = Number(process.env["PORTCULLIS_SEED"] ?? 20_260_214);
