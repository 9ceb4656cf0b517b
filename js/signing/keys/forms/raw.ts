import { describe, isBytes } from '../../../foundation/base/errors.js'
import type { OtherAlgorithm } from '../../../foundation/model/algorithm.js'
import { CURVES, type Curve } from '../ec/curves.js'
import { sec1Of, spkiOf } from '../ec/der.js'
import { invalid, type KeyField, shownName } from '../fault.js'
import { secretCopy, secretFromHex, secretText } from '../secret.js'

/** A bare private key: only the number, so the algorithm must be stated. */
export interface Scalar {
  readonly algorithm: OtherAlgorithm
  /** The private key: 32 bytes, most significant byte first, or 64 hexadecimal digits. */
  readonly scalar: Uint8Array | string
}

/** A bare public key: only the point, so the algorithm must be stated. */
export interface Point {
  readonly algorithm: OtherAlgorithm
  /**
   * The point in an encoding of SEC 1 §2.3.3: the 65 bytes `04 ‖ x ‖ y`, or the 33 bytes `02 ‖ x` or
   * `03 ‖ x`, or the hexadecimal digits of these bytes.
   */
  readonly point: Uint8Array | string
}

/** Converts a bare private key to SEC 1, which the caller wipes. @throws AlvariumError `KEY_INVALID` if invalid */
export function fromScalar({ algorithm, scalar }: Scalar): Uint8Array<ArrayBuffer> {
  const curve = curveNamed(algorithm, 'signingKey')
  const bytes = rawBytes(scalar, 'signingKey.scalar', [32])
  try {
    return sec1Of(curve, bytes)
  } finally {
    bytes.fill(0)
  }
}

export function fromPoint({ algorithm, point }: Point): Uint8Array<ArrayBuffer> {
  return spkiOf(curveNamed(algorithm, 'verifyingKey'), rawBytes(point, 'verifyingKey.point', [65, 33]))
}

export function curveNamed(algorithm: unknown, field: KeyField | 'generateKey'): Curve {
  const curve = CURVES.find(({ name }) => name === algorithm)
  if (curve) return curve
  throw invalid(`${field}.algorithm`, "'P-256', 'secp256k1' or 'SM2'", shownName(algorithm))
}

/** Returns a copy of the bytes, which the caller wipes. */
function rawBytes(given: unknown, field: string, lengths: readonly number[]): Uint8Array {
  const expected = `${lengths.join(' or ')} bytes, or their hexadecimal digits`
  if (!isBytes(given) && typeof given !== 'string') throw invalid(field, expected, describe(given))
  const bytes = isBytes(given) ? secretCopy(given) : decodeHex(given)
  if (bytes && lengths.includes(bytes.length)) return bytes
  const unit = isBytes(given) ? 'bytes' : 'characters'
  throw invalid(field, expected, `${given.length} ${unit}`)
}

function decodeHex(text: string): Uint8Array | undefined {
  const digits = secretText(text)
  const bytes = secretFromHex(digits)
  digits.fill(0)
  return bytes
}
