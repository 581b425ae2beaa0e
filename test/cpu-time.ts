/** Milliseconds of processor time that this process has taken: what a time limit counts, since other work on the machine takes none of it. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
