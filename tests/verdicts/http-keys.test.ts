// Requests by the name of a signer that has many keys: which keys are tried, and how many.

import { generateKey, keyIdOf } from 'alvarium-sdk'
import { signRequest, verifyRequest } from 'alvarium-sdk/http'
import { type PolicySigner, readTrust } from 'alvarium-sdk/trust'
import { expect, it, vi } from 'vitest'
import { codeOf, failure } from '../support/failure.js'
import { keys as peer, signedByPeer } from '../support/requests.js'

const plain = { method: 'GET', url: 'https://api.example/readings', headers: {} }
const body = new Uint8Array()
const { signingKey, verifyingKey } = generateKey()
const hex = (key: Uint8Array) => Buffer.from(key).toString('hex')
const keyText = hex(verifyingKey)
const otherKeys = Array.from({ length: 255 }, () => hex(generateKey().verifyingKey))
const pemOf = (key: Uint8Array) =>
  `-----BEGIN PUBLIC KEY-----\n${Buffer.from(key).toString('base64')}\n-----END PUBLIC KEY-----`
const trustIn = (keys: PolicySigner['keys']) => readTrust({ signers: [{ name: 'gateway-1', keys }] })

async function request(keyId: string, more: object = {}) {
  const headers = await signRequest(plain, { format: 'rfc9421', signingKey, keyId, body, ...more })
  return { ...plain, headers }
}

// claim: http-13
it('a request that names a signer with 256 keys is refused, and a request that names the key itself is verified', async () => {
  const keys = await trustIn([...otherKeys, keyText])
  const verify = async (keyId: string) =>
    verifyRequest(await request(keyId), { format: 'rfc9421', keys, body })
  const error = await failure(() => verify('gateway-1'))
  expect([error.code, error.message]).toEqual([
    'SIGNER_UNKNOWN',
    "keyid: expected the id of one key, got a signer's name with more than 4 keys that may sign now",
  ])
  expect((await verify(keyIdOf(verifyingKey))).signedBy?.name).toBe('gateway-1')
})

it('a request that names a signer with 256 keys is verified if at most four of the keys may sign now', async () => {
  const ended = otherKeys.map((key) => ({ key, until: '2020-01-01T00:00:00Z' }))
  const revoked = otherKeys.slice(0, 3).map((key) => ({ key, revoked: { since: '2020-01-01T00:00:00Z' } }))
  const keys = await trustIn([...revoked, ...ended.slice(3), keyText])
  const verified = await verifyRequest(await request('gateway-1'), { format: 'rfc9421', keys, body })
  expect(verified.signedBy).toMatchObject({ name: 'gateway-1' })
})

it('a request that names a signer with four keys is tried with each key, and refused for the reason that applies to the signing key', async () => {
  const [one = '', two = '', three = ''] = otherKeys
  const until = '2020-01-01T00:00:00Z'
  const keys = await trustIn([one, two, three, { key: keyText, until }])
  const verify = async () => verifyRequest(await request('gateway-1'), { format: 'rfc9421', keys, body })
  expect(await codeOf(verify)).toBe('SIGNER_EXPIRED')
})

it('a request without a valid signature is checked against at most four keys of its signer', async () => {
  const pairs = await Promise.all(Array.from({ length: 40 }, () => generateKey({ algorithm: 'P-256' })))
  const until = '2020-01-01T00:00:00Z'
  const many = await trustIn(pairs.map((pair) => ({ key: pemOf(pair.verifyingKey), until })))
  const few = await trustIn(pairs.slice(0, 4).map((pair) => pemOf(pair.verifyingKey)))
  const tried = vi.spyOn(crypto.subtle, 'verify')
  for (const keys of [many, few]) {
    tried.mockClear()
    const verify = async () => verifyRequest(await request('gateway-1'), { format: 'rfc9421', keys, body })
    expect(await codeOf(verify)).toBe('SIGNATURE_INVALID')
    expect(tried.mock.calls.length).toBe(4)
  }
  tried.mockRestore()
})

it('a request of the other SDKs from the year 31,690,708 has expired, and causes no internal error', async () => {
  const input = '"@method";created=999999999999999;keyid="k";alg="ed25519";'
  const headers = signedByPeer('"@method" GET\n', input)
  const validity = { from: '2020-01-01T00:00:00Z', until: '2030-01-01T00:00:00Z' }
  const keys = await readTrust({ signers: [{ name: 'k', keys: [hex(peer.k)], ...validity }] })
  expect(await codeOf(() => verifyRequest({ ...plain, headers }, { keys }))).toBe('SIGNER_EXPIRED')
})

it.each([
  ['whose period began before the arrival', { from: '2020-01-01T00:00:00Z' }, 'verified'],
  ['whose period begins after the arrival', { from: '2100-01-01T00:00:00Z' }, 'SIGNER_EXPIRED'],
  ['whose period ends after the arrival', { until: '2100-01-01T00:00:00Z' }, 'verified'],
  ['whose period ended before the arrival', { until: '2020-01-01T00:00:00Z' }, 'SIGNER_EXPIRED'],
  ['that was revoked before the arrival', { revoked: { since: '2020-01-01T00:00:00Z' } }, 'SIGNER_REVOKED'],
  ['that is revoked after the arrival', { revoked: { since: '2100-01-01T00:00:00Z' } }, 'verified'],
])(
  'a request of the other SDKs without a time is verified or refused by its time of arrival: from a signer %s',
  async (_, validity, verdict) => {
    const headers = signedByPeer('"@method" GET\n', '"@method";keyid="k";alg="ed25519";')
    const keys = await readTrust({ signers: [{ name: 'k', keys: [hex(peer.k)], ...validity }] })
    const verified = verifyRequest({ ...plain, headers }, { keys }).then(
      () => 'verified',
      ({ code }) => code,
    )
    expect(await verified).toBe(verdict)
  },
)
