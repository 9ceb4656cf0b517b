import {
  generateKey,
  type KeyPair,
  Keyring,
  keyIdOf,
  memory,
  openSdk,
  recoverKey,
  signRecoverable,
  source,
  verifyBytes,
  verifyMessage,
} from 'alvarium-sdk'
import { pool } from 'alvarium-sdk/pool'
import { beforeAll, describe, expect, it } from 'vitest'
import { textOf, utf8 } from '../support/bytes.js'
import { codeOf } from '../support/failure.js'

const bytes = utf8('what is signed')
let key: KeyPair
beforeAll(async () => {
  key = await generateKey({ algorithm: 'secp256k1' })
})

describe('a signature with its recovery id', () => {
  it('yields the public key of its signer, and verifies without the id', async () => {
    for (let round = 0; round < 8; round++) {
      const text = utf8(`round ${round}`)
      const signature = await signRecoverable(key.signingKey, text)
      expect(signature).toHaveLength(65)
      expect(await recoverKey(text, signature)).toEqual(Uint8Array.from(key.verifyingKey))
      expect(verifyBytes(key.verifyingKey, text, signature.subarray(0, 64))).toBe(true)
    }
  })

  it('yields a different public key after any change to the signed bytes', async () => {
    const signature = await signRecoverable(key.signingKey, bytes)
    const other = Uint8Array.from(signature)
    other[64] = (other[64] as number) ^ 1
    expect(keyIdOf(await recoverKey(bytes, other))).not.toBe(key.keyId)
    expect(keyIdOf(await recoverKey(utf8('other bytes'), signature))).not.toBe(key.keyId)
  })

  it('is refused when the recovery id is invalid', async () => {
    const signature = await signRecoverable(key.signingKey, bytes)
    const withId = (id: number) => Uint8Array.of(...signature.subarray(0, 64), id)
    const highS = Uint8Array.from(signature)
    highS[32] = 0xf0
    for (const wrong of [signature.subarray(0, 64), withId(4), withId(27), highS, new Uint8Array(65)]) {
      expect(await codeOf(() => recoverKey(bytes, wrong))).toBe('SIGNATURE_INVALID')
    }
  })

  it('cannot be made with a key of any algorithm other than secp256k1', async () => {
    const { signingKey } = await generateKey({ algorithm: 'P-256' })
    for (const wrong of [signingKey, generateKey().signingKey]) {
      expect(await codeOf(() => signRecoverable(wrong, bytes))).toBe('KEY_INVALID')
    }
  })
})

describe('a secp256k1 key that a keyring lists by its key id', () => {
  const messages = async ({ signingKey }: KeyPair) => {
    const stream = memory()
    await using sdk = await openSdk({ signingKey, annotators: [source()], stream })
    await sdk.create(bytes)
    await sdk.create(bytes)
    return stream.messages as [Uint8Array, Uint8Array]
  }

  it('is not recovered from signatures if the keyring has the public key too', async () => {
    const address = { algorithm: 'secp256k1', keyId: key.keyId } as const
    for (const keys of [
      [key.verifyingKey, address],
      [address, key.verifyingKey],
    ]) {
      const keyring = new Keyring(keys)
      expect(keyring.keyIds).toEqual([key.keyId])
      expect(Reflect.get(keyring, 'ecKeys')).toMatchObject([{ point: expect.any(Uint8Array) }])
    }
  })

  // claim: algorithms-4
  it('is recovered from the signature, in the calling thread and in a pool of workers', async () => {
    const keyring = new Keyring([{ algorithm: 'secp256k1', keyId: key.keyId }])
    expect(keyring.keyIds).toEqual([key.keyId])
    await using workers = await pool({ workers: 1 })
    for (const message of await messages(key)) {
      expect((await verifyMessage(message, { keyring, payload: bytes })).signer).toBe(key.keyId)
      expect((await verifyMessage(message, { keyring, pool: workers })).signer).toBe(key.keyId)
    }
  })

  it('verifies no message of another signer that claims the same key id', async () => {
    const keyring = new Keyring([{ algorithm: 'secp256k1', keyId: key.keyId }])
    const [message] = await messages(await generateKey({ algorithm: 'secp256k1' }))
    const claimed = JSON.parse(textOf(message))
    claimed.content.signer = key.keyId
    const code = await codeOf(() => verifyMessage(utf8(JSON.stringify(claimed)), { keyring }))
    expect(code).toBe('SIGNATURE_INVALID')
  })

  it('is refused if the key id is empty or in upper case, or if another algorithm is given', async () => {
    for (const wrong of [
      { algorithm: 'P-256', keyId: key.keyId },
      { algorithm: 'secp256k1', keyId: key.keyId.toUpperCase() },
      { algorithm: 'secp256k1', keyId: '' },
    ]) {
      expect(await codeOf(() => new Keyring([wrong as never]))).toBe('KEY_INVALID')
    }
  })
})
