/** How much time, input and memory one hook has. */

/** Hosts let a call pass that their hook does not answer: it answers before they lose patience. */
export const DEADLINE_SECONDS = 5;
export const MOST_DEADLINE_SECONDS = 600;

export const MOST_INPUT_BYTES = 8 * 1024 * 1024;

/** Megabytes of JavaScript values in the thread that decides; what needs more is denied. The whole process stays below 256. */
export const HEAP_MEGABYTES = 112;
