import { AlvariumError, type Engine, verifyBytes } from 'alvarium-sdk'
import { fromHex, utf8 } from './bytes.js'
import { type CctvVector, cctv } from './vectors.js'

/**
 * Returns the verdict of FORMAT.md. A public key is refused if it has small order, a component of small order, or
 * a second encoding. Under other keys, a signature whose R has such a property is invalid. A valid
 * one has no flag.
 */
export function strictVerdict({ flags }: CctvVector): boolean | 'KEY_INVALID' {
  if (flags.some((flag) => flag.endsWith('_A'))) return 'KEY_INVALID'
  return flags.length === 0
}

export const CCTV_COUNTS = { KEY_INVALID: 886, false: 27, true: 1 }

/** Returns the CCTV vectors whose verdicts differ from those of FORMAT.md, and how many vectors have each verdict. */
export function judgeCctv(engine: Engine) {
  const counts: Record<string, number> = {}
  const wrong = cctv().filter((vector) => {
    const verdict = verdictOf(vector, engine)
    counts[`${verdict}`] = (counts[`${verdict}`] ?? 0) + 1
    return verdict !== strictVerdict(vector)
  })
  return { wrong, counts }
}

function verdictOf({ key, msg, sig }: CctvVector, engine: Engine): unknown {
  try {
    return verifyBytes(key, utf8(msg), fromHex(sig), { engine })
  } catch (error) {
    if (error instanceof AlvariumError) return error.code
    throw error
  }
}
