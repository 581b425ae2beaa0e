/** Reasons that several lists of survivors give. */

export const LIMIT = "a limit, which is not waited for to the last millisecond or byte";
export const OURS = "what it calls throws nothing else; another error would be a fault of ours, and is passed on";
export const PIECES = "pieces may be of any size";
export const THROWS = "what follows throws, which denies; the reason is for people";
export const TYPES = "the other half says so already; the type wants it asked";
export const WINDOWS = "only Windows differs";
