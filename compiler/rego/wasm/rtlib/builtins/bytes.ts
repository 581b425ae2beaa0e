// Hexadecimal digits.

/** Value of a hexadecimal digit, or -1. */
export function hexValue(byte: u32): i32 {
  if (byte - 48 < 10) return byte - 48;
  const letter = (byte | 32) - 97;
  return letter < 6 ? letter + 10 : -1;
}

export function hexDigit(value: u32, upper: bool): u8 {
  return <u8>(value < 10 ? 48 + value : (upper ? 55 : 87) + value);
}
