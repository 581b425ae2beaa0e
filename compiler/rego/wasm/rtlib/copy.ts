// Copies of a few bytes. Engines make a call of `memory.copy`, which takes longer than moving some words.

/** Above this, the call is worth it. */
const FEW: u32 = 96;

/** Copies bytes between places that do not overlap. */
export function copyBytes(to: usize, from: usize, length: u32): void {
  if (length > FEW) memory.copy(to, from, length);
  else copyFew(to, from, length);
}

function copyFew(to: usize, from: usize, length: u32): void {
  if (length >= 8) {
    const last = to + length - 8;
    const between = from - to;
    for (; to < last; to += 8) store<u64>(to, load<u64>(to + between));
    // The last eight, whichever of them were copied before.
    store<u64>(last, load<u64>(last + between));
    return;
  }
  if ((length & 4) != 0) {
    store<u32>(to, load<u32>(from));
    to += 4;
    from += 4;
  }
  if ((length & 2) != 0) {
    store<u16>(to, load<u16>(from));
    to += 2;
    from += 2;
  }
  if ((length & 1) != 0) store<u8>(to, load<u8>(from));
}
