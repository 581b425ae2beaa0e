/** A body that comes in pieces. */

/**
 * Pieces in one piece, which grows by doubling. INVARIANT: what a sender sends byte by byte costs no more than any other: an object for
 * each would take two hundred times as much memory.
 */
export class Gathered {
  private held: Buffer = Buffer.of();
  size = 0;

  add(piece: Uint8Array): void {
    const size = this.size + piece.length;
    // Most bodies are one piece.
    if (this.size === 0) this.held = Buffer.from(piece.buffer, piece.byteOffset, piece.length);
    else {
      if (size > this.held.length) {
        const longer = Buffer.allocUnsafe(Math.max(size, 2 * this.size));
        this.held.copy(longer, 0, 0, this.size);
        this.held = longer;
      }
      this.held.set(piece, this.size);
    }
    this.size = size;
  }

  get bytes(): Buffer {
    return this.held.subarray(0, this.size);
  }
}
