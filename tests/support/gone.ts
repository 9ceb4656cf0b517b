/** Members that TypeScript's libraries do not have yet. */
type Resizable = ArrayBuffer & { resize(length: number): void }
const ResizableBuffer = ArrayBuffer as unknown as new (
  length: number,
  options: { maxByteLength: number },
) => Resizable

/** Detaches the buffer of some bytes, as a transfer to a worker does. */
export function transferAway({ buffer }: Uint8Array): void {
  structuredClone(buffer, { transfer: [buffer as ArrayBuffer] })
}

export function resizable(bytes: Uint8Array): Uint8Array {
  const copy = new Uint8Array(new ResizableBuffer(bytes.length, { maxByteLength: 2 * bytes.length }))
  copy.set(bytes)
  return copy
}

/** Makes the buffer of {@link resizable} bytes longer or shorter. */
export function resize({ buffer }: Uint8Array, length: number): void {
  const resizable = buffer as unknown as Resizable
  resizable.resize(length)
}

/** Bytes whose buffer is gone: by name, each created anew. */
export const GONE: [string, () => Uint8Array][] = [
  [
    'bytes whose buffer was transferred',
    () => {
      const bytes = new Uint8Array(64)
      transferAway(bytes)
      return bytes
    },
  ],
  [
    'a view beyond the end of its shrunken buffer',
    () => {
      const { buffer } = resizable(new Uint8Array(128))
      const view = new Uint8Array(buffer, 32, 64)
      resize(view, 16)
      return view
    },
  ],
]
