import { inflateSync } from 'fflate'
import type { DeflatedModule } from '../algorithms/text.js'

/** At once, which the platforms' own decompression is not: a core is started by the first call, whatever that is. */
export function unpacked({ base64, length }: DeflatedModule): Uint8Array<ArrayBuffer> {
  const text = atob(base64)
  const packed = new Uint8Array(text.length)
  for (let at = 0; at < packed.length; at++) packed[at] = text.charCodeAt(at)
  return inflateSync(packed, { out: new Uint8Array(length) }) as Uint8Array<ArrayBuffer>
}
