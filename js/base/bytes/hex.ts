/**
 * Bytes as lower-case hexadecimal, the form of key files and signatures.
 *
 * @example
 * ```ts
 * toHex(Uint8Array.of(1, 0xab)) // '01ab'
 * ```
 */
export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Bytes of a hexadecimal text in either case, or undefined when it is none. */
export function toBytes(hex: string): Uint8Array | undefined {
  if (!/^([0-9a-fA-F]{2})*$/.test(hex)) return undefined
  return Uint8Array.from({ length: hex.length / 2 }, (_, at) =>
    Number.parseInt(hex.slice(2 * at, 2 * at + 2), 16),
  )
}

/** What a hexadecimal digit in either case stands for, by its character's code; negative when it is none. */
export function fourBits(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30
  const letter = code | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x61 + 10 : -1
}
