/** Nominal types: a value that only one function can make proves that this function ran. */

declare const brand: unique symbol;

export type Brand<T, Name extends string> = T & { readonly [brand]: Name };
