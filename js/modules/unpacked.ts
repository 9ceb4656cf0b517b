import type { PackedModule } from '../algorithms/text.js'
import { unpacks } from '../core/generated/unpack.js'

/** What memory of WebAssembly grows by. */
const PAGE = 65_536

interface Unpacking {
  readonly memory: WebAssembly.Memory
  unpack(text: number, textLength: number, out: number, from: number, to: number): void
}

/**
 * By crate/unpack, at once, which the platforms' own decompression is not: a core is started by the first call, whatever that is.
 *
 * @param packed - one or more, each of which may repeat what those before it are
 * @returns the last of them
 */
export function unpacked(...packed: readonly PackedModule[]): Uint8Array<ArrayBuffer> {
  const { memory, unpack } = unpacking()
  const text = memory.buffer.byteLength
  const out = text + Math.max(...packed.map(({ base64 }) => base64.length))
  const unpackedLength = packed.reduce((total, { length }) => total + length, 0)
  memory.grow(Math.ceil((out + unpackedLength - text) / PAGE))
  let [from, to] = [0, 0]
  for (const { base64, length } of packed) {
    ;[from, to] = [to, to + length]
    new TextEncoder().encodeInto(base64, new Uint8Array(memory.buffer, text))
    unpack(text, base64.length, out, from, to)
  }
  return new Uint8Array(memory.buffer, out + from, to - from)
}

function unpacking(): Unpacking {
  const bytes = Uint8Array.from(atob(unpacks), (letter) => letter.charCodeAt(0))
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(bytes))
  return exports as unknown as Unpacking
}
