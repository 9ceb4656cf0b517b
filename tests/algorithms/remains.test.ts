// @alone

import {
  generateKey,
  loadAlgorithms,
  memory,
  openSdk,
  signBytes,
  signRecoverable,
  source,
} from 'alvarium-sdk'
import { beforeAll, describe, expect, it } from 'vitest'
import { latin1, utf8 } from '../support/bytes.js'
import { algorithmsMemory, exhaustAlgorithms } from '../support/core-memory.js'
import { failure } from '../support/failure.js'

const payload = utf8('hello')
beforeAll(() => loadAlgorithms())

/** Returns the module's memory, which a debugger or a crash dump shows. */
const memoryOf = () => new Uint8Array((algorithmsMemory() as WebAssembly.Memory).buffer)
const copiesOf = (secret: Uint8Array) => latin1(memoryOf()).split(latin1(secret)).length - 1
/** Returns the scalar of a PKCS#8 key as we write it: it starts at byte 33 or 36. */
const scalarOf = (pkcs8: Uint8Array) => {
  const at = pkcs8.findIndex((byte, index) => byte === 4 && pkcs8[index + 1] === 0x20) + 2
  return pkcs8.slice(at, at + 32)
}

describe.each(['P-256', 'secp256k1', 'SM2'] as const)('a private key of %s', (algorithm) => {
  // claim: security-8
  it('is not in the memory of the WebAssembly module after any use of the key', async () => {
    const { signingKey } = await generateKey({ algorithm })
    const scalar = scalarOf(signingKey)
    expect(copiesOf(scalar)).toBe(0)
    signBytes(signingKey, payload)
    if (algorithm === 'secp256k1') await signRecoverable(signingKey, payload)
    signBytes({ algorithm, scalar }, payload)
    const sdk = await openSdk({ signingKey, annotators: [source()], stream: memory() })
    await sdk.create(payload)
    await sdk.createMany([payload, payload])
    expect(copiesOf(scalar)).toBe(0)
    await sdk.close()
    expect(copiesOf(scalar)).toBe(0)
  })

  it('does not appear in the error about an invalid private key', async () => {
    const { signingKey } = await generateKey({ algorithm })
    const digits = Array.from(scalarOf(signingKey), (byte) => byte.toString(16).padStart(2, '0')).join('')
    const spoilt = Uint8Array.from(signingKey)
    spoilt[spoilt.length - 1] = (spoilt[spoilt.length - 1] as number) ^ 1
    for (const wrong of [spoilt, signingKey.subarray(0, -1), { algorithm, scalar: `${digits}00` }]) {
      const error = await failure(() => signBytes(wrong, payload))
      expect(error.code).toBe('KEY_INVALID')
      expect(`${error.message} ${error.stack}`).not.toContain(digits.slice(0, 12))
    }
  })
})

describe('a signing call that exhausts the stack', () => {
  it('fails, and all memory of its WebAssembly instance is wiped', async () => {
    const { signingKey, verifyingKey } = await generateKey({ algorithm: 'P-256' })
    const before = memoryOf()
    expect(exhaustAlgorithms()).toMatchObject({ code: 'CORE_FAILED', cause: expect.anything() })
    expect(signBytes(signingKey, payload)).toHaveLength(64)
    expect(before.every((byte) => byte === 0)).toBe(true)
    expect(verifyingKey).toHaveLength(91)
  })
})
