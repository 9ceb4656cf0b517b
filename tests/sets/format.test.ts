import { type AlvariumError, generateKey, signBytes, toHex } from 'alvarium-sdk'
import {
  isSet,
  openKeyList,
  proveAbsent,
  proveMember,
  sealSet,
  verifyAbsent,
  verifyMember,
  verifySet,
} from 'alvarium-sdk/sets'
import { leased, readTrust } from 'alvarium-sdk/trust'
import { describe, expect, it } from 'vitest'
import { fromHex, textOf, utf8 } from '../support/bytes.js'
import { changed, identityOf, payloadsOf, sealed, signedSet } from '../support/sets.js'
import { goldenSets } from '../support/vectors.js'

const { cases, publicKey, seed, keyId } = goldenSets()
const keyring = [fromHex(publicKey)]
const codeOf = (message: Uint8Array, keys: readonly Uint8Array[] = keyring) =>
  verifySet(message, { keyring: keys }).then(
    () => 'verified',
    ({ code }) => code,
  )

describe.each(cases)(
  'the golden set "$name"',
  ({ message, id, identity, list, payloads, proofs, saltBytes }) => {
    const salt = saltBytes === undefined ? undefined : fromHex(saltBytes)

    it('has the content that Python wrote, and a list that matches its root', async () => {
      const opened = await openKeyList(fromHex(list), { salt })
      const set = await verifySet(utf8(message), { keyring, salt, list: opened })
      expect([set.id, set.rows, set.sorted]).toEqual([id, payloads.length, 'checked'])
      expect(toHex(identityOf(keyId, set))).toBe(identity)
    })

    it('is the same, byte for byte, when it is signed again', async () => {
      const { name, host, timestamp } = await verifySet(utf8(message), { keyring })
      const made = await sealSet(payloads.map(utf8), {
        signingKey: fromHex(seed + publicKey),
        name,
        host,
        salt,
      })
      expect({ ...made.set, timestamp }).toEqual({
        ...JSON.parse(message).content,
        signature: undefined,
        id: made.set.id,
      })
      expect(toHex(Uint8Array.from([...made.list.pieces()].flatMap((piece) => [...piece])))).toBe(list)
    })

    it('has proofs that verify and equal the golden proofs', async () => {
      const [opened, set] = [
        await openKeyList(fromHex(list), { salt }),
        await verifySet(utf8(message), { keyring, salt }),
      ]
      for (const { payload, says, proof } of proofs) {
        const prove = says === 'member' ? proveMember : proveAbsent
        expect(textOf(prove(opened, utf8(payload)))).toBe(proof)
        const verify = says === 'member' ? verifyMember : verifyAbsent
        verify(set, utf8(proof), utf8(payload))
      }
    })
  },
)

describe('the message of a set', () => {
  const { signingKey, verifyingKey } = generateKey()
  const own = [verifyingKey]
  const empty = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

  // claim: sets-18
  it('is distinguished from bundles and proofs by its first bytes', async () => {
    const { message, list } = await sealed(payloadsOf(2))
    const proof = proveMember(list, utf8('payload 1'))
    const others = ['SetUpdate/1', 'InputProof/1'].map((type) => utf8(`{"messageType":"alvarium.${type}"`))
    expect([message, proof, ...others].map(isSet)).toEqual([true, true, true, true])
    expect(
      ['', '{}', ' {"messageType":"alvarium.Set/1"', '{"messageType":"alvarium.Lease/1"']
        .map(utf8)
        .map(isSet),
    ).toEqual([false, false, false, false])
  })

  it('is malformed if its content contradicts itself or the format, even if its signer is trusted', async () => {
    const says = (given: Parameters<typeof signedSet>[2]) =>
      codeOf(signedSet(signingKey, verifyingKey, given), own)
    expect(await says({})).toBe('verified')
    expect(await says({ rows: 2 ** 53 - 1, size: 2 ** 53 - 1 })).toBe('verified')
    expect(await says({ rows: 0, size: 0, root: empty })).toBe('verified')
    const lies = [
      { rows: 1, size: 2 },
      { rows: 0, size: 0 },
      { rows: 1, size: 0, root: empty },
      { rows: 1, size: 1, root: empty },
      { rows: 2 ** 53, size: 1 },
      { rows: 1.5, size: 1 },
      { timestamp: '2026-11-20 10:00:00Z' },
      { name: 'n'.repeat(256) },
      { host: 'ü'.repeat(128) },
      { salt: '00' },
      { root: 'AB'.repeat(32) },
    ]
    for (const lie of lies) expect(await says(lie), JSON.stringify(lie)).toBe('MESSAGE_MALFORMED')
  })

  // claim: sets-1
  it('has less than 1,000 bytes, even with the longest name and host, and a salt', async () => {
    const [name, host, salt] = ['n'.repeat(255), 'h'.repeat(255), new Uint8Array(32)]
    const { message } = await sealSet(payloadsOf(3), { signingKey, name, host, salt })
    expect(message.length).toBeLessThan(1_000)
  })

  // claim: format-52
  it('is malformed if it is not in canonical form or has more than 8,192 bytes', async () => {
    const text = textOf(signedSet(signingKey, verifyingKey, { name: 'a/b' }))
    expect(await codeOf(utf8(text), own)).toBe('verified')
    const others = [
      ` ${text}`,
      `${text}\n\n`,
      text.replace('a/b', 'a\\/b'),
      text.replace('"rows":1', '"rows":1.0'),
      text.replace('"rows":1', '"rows":1e0'),
      text.replace('"rows":1,"size":1', '"size":1,"rows":1'),
      text.replace('"rows":1', '"rows":1,"rows":1'),
      text.replace('"rows":1', '"rows":1,"more":1'),
      text.replace('"rows":1,', ''),
      text.replace('Set/1', 'Set/2'),
      text.padEnd(8193, ' '),
      `\ufeff${text}`,
    ]
    for (const other of others) expect(await codeOf(utf8(other), own), other).toBe('MESSAGE_MALFORMED')
  })

  it('is refused if its signer is unknown, or if its content was changed after signing', async () => {
    const message = signedSet(signingKey, verifyingKey, {})
    expect(await codeOf(message)).toBe('SIGNER_UNKNOWN')
    for (const change of [
      { name: 'other' },
      { host: '' },
      { rows: 2 },
      { timestamp: '2026-11-20T10:00:01Z' },
    ]) {
      expect(
        await codeOf(
          changed(message, () => change),
          own,
        ),
      ).toBe('SIGNATURE_INVALID')
    }
  })

  it.each(['P-256', 'secp256k1', 'SM2'] as const)('is signed and verified with %s', async (algorithm) => {
    const pair = await generateKey({ algorithm })
    const { message } = await sealSet(payloadsOf(3), { signingKey: pair.signingKey })
    expect((await verifySet(message, { keyring: [pair.verifyingKey] })).size).toBe(3)
  })

  // claim: sets-17
  it('cannot be signed by a leased key, and the error names the key to use', async () => {
    const leasing = leased(signingKey, { onLease: () => {} }) as never
    await expect(sealSet(payloadsOf(1), { signingKey: leasing })).rejects.toMatchObject({
      code: 'KEY_INVALID',
      message:
        'signingKey: expected a private key or a Signer, got leased(): pass the key that signs the leases, because the signature outlives a lease',
    })
  })

  it('can be signed by an application’s own signer', async () => {
    const signer = { verifyingKey, sign: (bytes: Uint8Array) => signBytes(signingKey, bytes) }
    const { message } = await sealSet(payloadsOf(3), { signingKey: signer })
    expect((await verifySet(message, { keyring: own })).rows).toBe(3)
  })
})

describe('a trust policy that applies to sets', () => {
  const { signingKey, verifyingKey } = generateKey()
  const policyOf = (more: object) =>
    readTrust({ signers: [{ name: 'lab', keys: [toHex(verifyingKey)], ...more }] })
  const sealedAt = (name: string, at?: number) =>
    sealSet(payloadsOf(1), { signingKey, name, host: 'edge-7', at })
  const underPolicy = async (more: object, name = 'training-7', receivedAt?: number) => {
    const { message } = await sealedAt(name, Date.UTC(2026, 0, 1))
    return verifySet(message, { keyring: await policyOf(more), receivedAt }).then(
      ({ signedBy }) => `${signedBy?.name} ${signedBy?.time}`,
      (error: AlvariumError) => error.code,
    )
  }

  // claim: sets-21
  it('limits the set names and hosts that a signer may state', async () => {
    expect(await underPolicy({})).toBe('lab signed')
    expect(await underPolicy({ sets: ['training-*'] })).toBe('lab signed')
    expect(await underPolicy({ sets: ['training-*'] }, 'test-7')).toBe('SIGNER_NOT_ALLOWED')
    expect(await underPolicy({ sets: [] })).toBe('SIGNER_NOT_ALLOWED')
    expect(await underPolicy({ hosts: ['edge-7'] })).toBe('lab signed')
    expect(await underPolicy({ hosts: ['edge-8'] })).toBe('SIGNER_NOT_ALLOWED')
  })

  it('limits the time in which a set may be signed, and applies a revocation', async () => {
    const at = Date.UTC(2026, 0, 1)
    expect(await underPolicy({ until: '2026-01-02T00:00:00Z' })).toBe('lab signed')
    expect(await underPolicy({ until: '2025-12-31T00:00:00Z' })).toBe('SIGNER_EXPIRED')
    expect(await underPolicy({ revoked: { since: '2026-02-01T00:00:00Z' } })).toBe('SIGNER_REVOKED')
    expect(await underPolicy({ revoked: { since: '2026-02-01T00:00:00Z' } }, 'a', at)).toBe('lab received')
  })
})
