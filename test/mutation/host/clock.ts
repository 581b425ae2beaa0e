/** Time that passes when it is told to: no question depends on how busy the machine is. */

const real = globalThis.setTimeout;

/** Waits for so long indeed. */
export function wait(milliseconds: number): Promise<void> {
  return new Promise((resolve) => void real(resolve, milliseconds));
}

/** Waits until it is so; throws where it never is. */
export async function until(isSo: () => boolean): Promise<void> {
  for (const end = Date.now() + 8_000; !isSo(); ) {
    if (Date.now() > end) throw new Error(`in vain: ${isSo}`);
    await wait(2);
  }
}

/** Lets everything happen that is due by now. */
export async function soon(): Promise<void> {
  for (let i = 0; i < 6; i++) await new Promise((resolve) => setImmediate(resolve));
}

/** Timers that are set meanwhile run when `tick` lets their time pass. */
export async function clocked(work: (tick: (milliseconds: number) => Promise<void>) => Promise<void>): Promise<void> {
  const kept = { setTimeout: globalThis.setTimeout, clearTimeout: globalThis.clearTimeout };
  const timers = new Map<object, { readonly at: number; readonly run: () => void }>();
  let now = 0;
  const set = (run: () => void, milliseconds = 0): object => {
    const timer = { unref: () => timer };
    timers.set(timer, { at: now + milliseconds, run });
    return timer;
  };
  const clear = (timer: object): void => void timers.delete(timer);
  Object.assign(globalThis, { setTimeout: set, clearTimeout: clear });
  try {
    await work(async (milliseconds) => {
      await soon();
      now += milliseconds;
      for (const [timer, { at, run }] of [...timers]) if (at <= now && timers.delete(timer)) run();
      await soon();
    });
  } finally {
    Object.assign(globalThis, kept);
  }
}
