/** A copy of the bytes. Not by `slice()`: that of a Buffer shares its memory. */
export function copied(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(bytes)
}
