/** Nominal types: a value that only one function can make proves that this function ran. */

declare const brand: unique symbol;

/** `T`, made by the one function that may; at run time it is the plain `T`. */
export type Brand<T, Name extends string> = T & { readonly [brand]: Name };
