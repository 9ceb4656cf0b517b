import { assertBytes, expected } from '../../foundation/base/errors.js'
import { unlessAborted } from '../../foundation/base/time/abort.js'
import type { HashName } from '../../foundation/model/bundle.js'
import {
  DIGESTED,
  type Digested,
  type Digestion,
  type PayloadSource,
} from '../../foundation/model/payload.js'
import { platform } from '../../foundation/platform/platform.js'
import { SourceHasher } from './hasher.js'
import type { ReadableSource } from './pieces.js'
import { SourceReading } from './reading.js'
import { digestAtOnce } from './whole.js'

/**
 * Reads a source to its end and hashes it, in memory that does not grow with the source. Throws as `digested` does. If the signal aborted
 * before this module was loaded, the source is not read, but still cancelled: its owner learns of the abort in any case.
 */
export async function digestOf(source: PayloadSource, digestion: Digestion): Promise<Digested> {
  const { hash, signal } = digestion
  assertHashed(hash)
  if (DIGESTED in source) return unlessAborted(source[DIGESTED](hash), signal)
  const isForWebCrypto = hash === 'sha256' && digestion.engine !== 'wasm' && !platform.hostHasher
  const found = isForWebCrypto && 'arrayBuffer' in source && (await digestAtOnce(source, digestion))
  return found || inPieces(source, digestion)
}

/** Refuses sources with the hash `none`. @throws AlvariumError `PAYLOAD_INVALID` */
function assertHashed(hash: HashName): void {
  if (hash !== 'none') return
  const bytes = 'bytes with hash none, whose key is the payload itself'
  throw expected('PAYLOAD_INVALID', 'payload', bytes, 'a source')
}

async function inPieces(source: ReadableSource, { hash, engine, ...options }: Digestion): Promise<Digested> {
  const hasher = new SourceHasher(hash, engine)
  try {
    const reading = new SourceReading(source, options)
    try {
      const took = () => reading.took(hasher.size)
      await reading.each((piece) => {
        assertBytes(piece, 'payload: each piece')
        const turn = hasher.add(piece)
        if (turn) return turn.then(took)
        took()
        return undefined
      })
      reading.end(hasher.size)
    } catch (error) {
      reading.cancel(error)
      throw error
    }
    return hasher.finish()
  } finally {
    hasher.free()
  }
}
