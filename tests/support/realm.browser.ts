/** A copy of the bytes in a Uint8Array of a frame, which is no instance of ours. */
export function foreign(bytes: Uint8Array): Uint8Array {
  const frame = document.body.appendChild(document.createElement('iframe'))
  const { Uint8Array: Foreign } = frame.contentWindow as unknown as typeof globalThis
  return Foreign.from(bytes)
}
