/** The padding that MD5, SHA-1 and SHA-2 share: a one bit, zeros, and the length in bits. */

export function padMessage(message: Uint8Array, block: 64 | 128, order: "big" | "little"): DataView {
  const lengthBytes = block / 8;
  const size = Math.ceil((message.length + 1 + lengthBytes) / block) * block;
  const bytes = new Uint8Array(size);
  bytes.set(message);
  bytes[message.length] = 0x80;
  const view = new DataView(bytes.buffer);
  // Lengths beyond 2^53 bits cannot be held in memory: the upper half of a 128 bit length stays zero.
  view.setBigUint64(size - 8, BigInt(message.length) * 8n, order === "little");
  return view;
}
