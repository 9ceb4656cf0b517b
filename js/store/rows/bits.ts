/** Packs answers into bits: the first is the lowest bit of the first byte. The list of kinds has their count. */
export function toBits(answers: readonly { readonly isSatisfied: boolean }[]): Uint8Array {
  const bits = new Uint8Array(Math.ceil(answers.length / 8))
  for (const [at, { isSatisfied }] of answers.entries()) if (isSatisfied) setBit(bits, at)
  return bits
}

export function setBit(bits: Uint8Array, at: number): void {
  bits[at >> 3] = (bits[at >> 3] as number) | (1 << (at & 7))
}

export function bitAt(bits: Uint8Array, at: number): boolean {
  return (((bits[at >> 3] ?? 0) >> (at & 7)) & 1) === 1
}
