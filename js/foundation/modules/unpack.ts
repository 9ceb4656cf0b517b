import { unpacks } from '../core/generated/unpack.js'
import type { PackedModule } from './text.js'

const PAGE = 65_536

interface Unpacker {
  readonly memory: WebAssembly.Memory
  unpack(text: number, textLength: number, out: number, length: number): void
}

/** Decompresses a module with crate/unpack, because the platform's own decompression is asynchronous. */
export function unpackModule({ base64, length }: PackedModule): Uint8Array<ArrayBuffer> {
  const { memory, unpack } = openUnpacker()
  const text = memory.buffer.byteLength
  const out = text + base64.length
  memory.grow(Math.ceil((base64.length + length) / PAGE))
  new TextEncoder().encodeInto(base64, new Uint8Array(memory.buffer, text))
  unpack(text, base64.length, out, length)
  return new Uint8Array(memory.buffer, out, length)
}

function openUnpacker(): Unpacker {
  const bytes = Uint8Array.from(atob(unpacks), (letter) => letter.charCodeAt(0))
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(bytes))
  return exports as unknown as Unpacker
}
