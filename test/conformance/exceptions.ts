/** Cases that are known not to pass, each with the reason. One that starts to pass fails the suite. */
export const exceptions: ReadonlyMap<string, string> = new Map([]);
