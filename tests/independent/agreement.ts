import { AlvariumError, cbor, json, Keyring, toHex, verifyBatch, verifyMessage } from 'alvarium-sdk'
import { expect } from 'vitest'
import type { Case, Corpus } from './corpus.js'
import { type Asked, type Verdict, verdictsOf } from './python.js'

const CODECS = [json(), cbor()] as const

/**
 * Fails the test unless both verifiers give the same verdict on every message.
 *
 * @returns the number of cases with each verdict
 */
export async function assertAgreement({ cases, keyring }: Corpus): Promise<Record<string, number>> {
  const theirs = await verdictsOf(cases.map(asked), keyring.map(toHex))
  const trusted = new Keyring(keyring)
  const counts: Record<string, number> = {}
  for (const [at, one] of cases.entries()) {
    const verdict = await ourVerdict(one, trusted)
    expect(theirs[at], `of ${shown(one)}`).toEqual(verdict)
    const code = 'code' in verdict ? verdict.code : 'verified'
    counts[code] = (counts[code] ?? 0) + 1
  }
  return counts
}

/** Returns our verdict on a message, in the words of the verifier in Python. */
async function ourVerdict({ message, isCbor, payload }: Case, keyring: Keyring): Promise<Verdict> {
  const options = { keyring, codec: CODECS[isCbor ? 1 : 0] }
  const verify = () =>
    payload === undefined
      ? verifyBatch(message, options)
      : verifyMessage(message, { ...options, payload }).then((bundle) => [bundle])
  try {
    return { bundles: (await verify()).map(({ payloadChecked: _, ...bundle }) => bundle) }
  } catch (error) {
    if (error instanceof AlvariumError) return { code: error.code }
    throw error
  }
}

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')

function asked({ message, isCbor, payload }: Case): Asked {
  return { message: base64(message), cbor: isCbor, ...(payload && { payload: base64(payload) }) }
}

/** Returns enough of a message to identify it. */
function shown({ message, isCbor }: Case): string {
  return isCbor ? base64(message.subarray(0, 3000)) : Buffer.from(message.subarray(0, 3000)).toString()
}
