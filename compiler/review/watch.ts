/** How callers follow long work: told how many steps there are, they give what is called at each. */
export type Watch = (steps: number) => () => void;

export const unwatched: Watch = () => () => {};
