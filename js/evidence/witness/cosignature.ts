import { u64 } from '../../foundation/base/bytes/prefixed.js'

// Ed25519 signatures of C2SP tlog-cosignature, https://c2sp.org/tlog-cosignature

/** Signature of a witness. It states a time by which the witness had seen a checkpoint. */
export interface Cosignature {
  /** Seconds since 1970, by the clock of the witness. */
  readonly time: number
  /** Signature of {@link cosignedBytes}, 64 bytes. */
  readonly signature: Uint8Array
}

const TIME_BYTES = 8
const SIGNATURE_BYTES = 64

/** Returns the bytes that a witness signs: a time, followed by the text of a checkpoint. */
export function cosignedBytes(time: number, text: string): Uint8Array {
  return new TextEncoder().encode(`cosignature/v1\ntime ${time}\n${text}`)
}

/** Writes a cosignature of 72 bytes: the time and the signature. */
export function writeCosignature({ time, signature }: Cosignature): Uint8Array {
  return new Uint8Array([...u64(time), ...signature])
}

/** Reads a cosignature. Returns undefined for another length, and for a time from 2^53 seconds on. */
export function readCosignature(bytes: Uint8Array): Cosignature | undefined {
  if (bytes.length !== TIME_BYTES + SIGNATURE_BYTES) return undefined
  const view = new DataView(bytes.buffer, bytes.byteOffset, TIME_BYTES)
  const time = Number(view.getBigUint64(0))
  return Number.isSafeInteger(time) ? { time, signature: bytes.subarray(TIME_BYTES) } : undefined
}
