// Static data that the compiler packed: see compiler/rego/wasm/pack.ts.

import { BLOCK_WORDS, OP_ADDED, OP_LITERAL, OP_MOVED } from "../../../../runtime/abi/layout";

/** Unpacks this many words from `from` to `to`. */
export function unpack(to: usize, from: usize, words: u32): void {
  const end = to + (words << 2);
  while (to < end) {
    const distance = <usize>load<u8>(from++) << 2;
    let ops = load<u64>(from);
    from += BLOCK_WORDS >> 2;
    let stop = to + (BLOCK_WORDS << 2);
    if (stop > end) stop = end;
    for (; to < stop; to += 4) {
      const op = <u32>ops & 3;
      ops >>= 2;
      if (op == OP_LITERAL) {
        store<u32>(to, load<u32>(from));
        from += 4;
        continue;
      }
      let word: u32 = distance == 0 ? 0 : load<u32>(to - distance);
      if (op == OP_MOVED) word += <u32>distance;
      else if (op == OP_ADDED) {
        let zigzag: u32 = 0;
        let shift: u32 = 0;
        let byte: u32;
        do {
          byte = load<u8>(from++);
          zigzag |= (byte & 0x7f) << shift;
          shift += 7;
        } while (byte > 0x7f);
        word += (zigzag >> 1) ^ (0 - (zigzag & 1));
      }
      store<u32>(to, word);
    }
  }
}
