/**
 * What other servers open their logs again on, and `serve` does with every batch: by default the first opens a debugger, to
 * everybody on the machine, and the second ends the process.
 */
export const IGNORED_SIGNALS = ["SIGUSR1", "SIGUSR2"] as const;
