import { u64 } from '../../foundation/base/bytes/prefixed.js'

// C2SP tlog-cosignature, https://c2sp.org/tlog-cosignature: signatures of Ed25519

/** A signature of a witness: it had seen the log so far at that time. */
export interface Cosignature {
  /** Seconds since 1970, by the clock of the witness. */
  readonly time: number
  /** 64 bytes, over {@link cosignedBytes}. */
  readonly signature: Uint8Array
}

const TIME_BYTES = 8
const SIGNATURE_BYTES = 64

/** Returns the bytes that a witness signs: the text of a checkpoint behind a time. */
export function cosignedBytes(time: number, text: string): Uint8Array {
  return new TextEncoder().encode(`cosignature/v1\ntime ${time}\n${text}`)
}

/** Writes a time and a signature, 72 bytes. */
export function writeCosignature({ time, signature }: Cosignature): Uint8Array {
  return new Uint8Array([...u64(time), ...signature])
}

/** Reads a time and a signature; undefined for bytes of another form, and for a time after the year 285,000,000. */
export function readCosignature(bytes: Uint8Array): Cosignature | undefined {
  if (bytes.length !== TIME_BYTES + SIGNATURE_BYTES) return undefined
  const view = new DataView(bytes.buffer, bytes.byteOffset, TIME_BYTES)
  const time = Number(view.getBigUint64(0))
  return Number.isSafeInteger(time) ? { time, signature: bytes.subarray(TIME_BYTES) } : undefined
}
