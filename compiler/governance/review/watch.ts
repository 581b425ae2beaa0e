/** How callers follow long work: told the number of steps, they return the function that is called at each. */
export type Watch = (steps: number) => () => void;

export const unwatched: Watch = () => () => {};
