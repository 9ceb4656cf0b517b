// @node-only: browsers have no signatures that answer at once

import {
  AlvariumError,
  loadAlgorithms,
  type SigningKeyInput,
  signBytes,
  toHex,
  verifyBytes,
} from 'alvarium-sdk'
import { describe, expect, it } from 'vitest'
import { fromHex, utf8 } from '../support/bytes.js'
import { CCTV_COUNTS, judgeCctv } from '../support/cctv.js'
import { rfc8032, speccheck, wycheproof } from '../support/vectors.js'
import p256 from '../vectors/wycheproof-p256.json' with { type: 'json' }

const host = { engine: 'host' } as const

/** Returns the verdict of the core or of the platform, or the error's code if the public key is rejected. */
function verdictOf(
  publicKey: Parameters<typeof verifyBytes>[0],
  message: Uint8Array,
  signature: Uint8Array,
  engine: 'wasm' | 'host' = 'host',
): unknown {
  try {
    return verifyBytes(publicKey, message, signature, { engine })
  } catch (error) {
    if (error instanceof AlvariumError) return error.code
    throw error
  }
}

describe('the engine "host"', () => {
  it.each(rfc8032())('signs $name of RFC 8032 as published, and verifies the signature', (vector) => {
    const { seed, publicKey, message, signature } = vector
    expect(toHex(signBytes({ seed }, fromHex(message), host))).toBe(signature)
    expect(verdictOf(publicKey, fromHex(message), fromHex(signature))).toBe(true)
    expect(verdictOf(publicKey, fromHex(`${message}00`), fromHex(signature))).toBe(false)
  })

  // claim: security-14
  it('agrees with the published result of each Ed25519 vector of Wycheproof', () => {
    const { groups, numberOfTests } = wycheproof()
    const wrong = groups.flatMap(({ publicKey, tests }) =>
      tests.filter(
        ({ message, signature, result }) =>
          verdictOf(publicKey, fromHex(message), fromHex(signature)) !== (result === 'valid'),
      ),
    )
    expect(wrong).toEqual([])
    expect(groups.flatMap(({ tests }) => tests)).toHaveLength(numberOfTests)
  })

  it('gives the same verdict as the engine "wasm" on each P-256 vector of Wycheproof', async () => {
    await loadAlgorithms()
    const verdicts = p256.groups.flatMap(({ publicKey, tests }) =>
      tests.map(({ msg, sig }) => {
        const of = [{ algorithm: 'P-256', point: publicKey }, fromHex(msg), fromHex(sig)] as const
        return { host: verdictOf(...of), core: verdictOf(...of, 'wasm') }
      }),
    )
    expect(verdicts.filter(({ host, core }) => host !== core)).toEqual([])
    expect(verdicts.filter(({ host }) => host === true).length).toBeGreaterThan(70)
  })

  it.each(speccheck())('refuses the signature of ed25519-speccheck by key $publicKey', (vector) => {
    const { publicKey, message, signature, isKey } = vector
    expect(verdictOf(publicKey, fromHex(message), fromHex(signature))).toBe(isKey ? false : 'KEY_INVALID')
  })

  it('agrees with FORMAT.md on the 914 Ed25519 vectors of CCTV', () => {
    expect(judgeCctv('host')).toEqual({ wrong: [], counts: CCTV_COUNTS })
  })

  const [, vector] = rfc8032()
  const { seed = '', publicKey = '' } = vector ?? {}
  const ofSeed = (start: string, end = '') => fromHex(`${start}${seed}${end}`)
  it.each<[string, SigningKeyInput]>([
    ['seed and public key', fromHex(seed + publicKey)],
    ['hexadecimal as the text of a file', utf8(`\n  ${seed}${publicKey} \n`)],
    ['PKCS#8', ofSeed('302e020100300506032b657004220420')],
    ['PKCS#8 with the public key', ofSeed('3051020101300506032b657004220420', `812100${publicKey}`)],
    ['a seed', { seed }],
  ])('signs with a private key given as %s', (_, key) => {
    const bytes = utf8('one')
    expect(signBytes(key, bytes, host)).toEqual(signBytes({ seed }, bytes))
  })
})
