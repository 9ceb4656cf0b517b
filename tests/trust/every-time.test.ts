// @own-process: it stops the clock
// @node-only: no engine decides it

import { classic, verifyClassic, verifyMessage } from 'alvarium-sdk'
import { verifyCheckpoint } from 'alvarium-sdk/completeness'
import { signRequest, signResponse, verifyRequest, verifyResponse } from 'alvarium-sdk/http'
import { sealSet, verifySet } from 'alvarium-sdk/sets'
import type { PolicySigner, Trust } from 'alvarium-sdk/trust'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { loggedSdk } from '../support/checkpoints.js'
import { key } from '../support/sdk.js'
import { messageFrom, trustOf } from '../support/trust.js'

// The table of "Which time counts", for everything that a trust policy decides.

const NOON = Date.parse('2026-11-20T12:00:00Z')
const [SECOND, HOUR, ACCEPT_LATE_MS] = [1_000, 3_600_000, 60_000]
const body = new Uint8Array(3)

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOON })
})
afterEach(() => {
  vi.useRealTimers()
})

/** Signs a message now, and returns a function that verifies it. */
type Way = () => Promise<(keys: Trust, receivedAt: number) => Promise<unknown>>

const request = { method: 'GET', url: 'https://api.example/readings', headers: {} }
const signing = { signingKey: key.signingKey, keyId: 'gateway-1' }
const patient = { maxAgeMs: 24 * HOUR }

const WAYS: Readonly<Record<string, Way>> = {
  'a bundle': async () => {
    const message = await messageFrom()
    return (keyring, receivedAt) => verifyMessage(message, { keyring, receivedAt })
  },
  'a classic message': async () => {
    const message = await messageFrom({ codec: classic({ signingKey: key.signingKey, dialect: 'go' }) })
    return async (keyring, receivedAt) => {
      const { annotations } = await verifyClassic(message, { keyring, receivedAt })
      const [one] = annotations
      if (one?.status === 'rejected') throw one.reason
    }
  },
  'a checkpoint': async () => {
    const { sdk, notes } = await loggedSdk({ signingKey: key.signingKey })
    await sdk.close()
    return (keyring, receivedAt) => verifyCheckpoint(notes[0] as Uint8Array, { keyring, receivedAt })
  },
  'a set': async () => {
    const { message } = await sealSet([body], { signingKey: key.signingKey, name: 'all' })
    return (keyring, receivedAt) => verifySet(message, { keyring, receivedAt })
  },
  'a request': async () => {
    const headers = await signRequest(request, { format: 'rfc9421', ...signing, body })
    return (keys) => verifyRequest({ ...request, headers }, { format: 'rfc9421', keys, body, ...patient })
  },
  'a request in the dialect of the other SDKs': async () => {
    const components = ['@method'] as const
    const headers = await signRequest(request, { ...signing, components, created: Date.now() / SECOND })
    return (keys) => verifyRequest({ ...request, headers }, { keys, ...patient })
  },
  'a response': async () => {
    const response = { status: 200, headers: {} }
    const headers = await signResponse(response, { ...signing, body })
    return (keys) => verifyResponse({ ...response, headers }, { keys, body, ...patient })
  },
}

const at = new Date(NOON).toISOString()
const [from, ends, revoked] = [
  { from: at },
  { until: at, acceptLateMs: ACCEPT_LATE_MS },
  { revoked: { since: at } },
]
const ROWS: readonly (readonly [string, Partial<PolicySigner>, number, number, string])[] = [
  ['signed and received at "until"', ends, NOON, NOON, 'accepted'],
  ['signed a second after "until"', ends, NOON + SECOND, NOON + SECOND, 'SIGNER_EXPIRED'],
  [
    'signed in time and received acceptLateMs after "until"',
    ends,
    NOON - SECOND,
    NOON + ACCEPT_LATE_MS,
    'accepted',
  ],
  [
    'received a millisecond more than acceptLateMs after "until"',
    ends,
    NOON - SECOND,
    NOON + ACCEPT_LATE_MS + 1,
    'SIGNER_EXPIRED',
  ],
  ['signed at "from"', from, NOON, NOON, 'accepted'],
  [
    'signed a second before "from", and received after "from"',
    from,
    NOON - SECOND,
    NOON + SECOND,
    'SIGNER_EXPIRED',
  ],
  ['received before the signer was revoked', revoked, NOON - HOUR, NOON - 1, 'accepted'],
  ['dated back, and received when the signer was revoked', revoked, NOON - HOUR, NOON, 'SIGNER_REVOKED'],
]

describe.each(Object.entries(WAYS))('%s under a trust policy', (_, way) => {
  it.each(ROWS)(
    'is accepted or refused by its times of signing and of receipt: %s',
    async (_, rules, signedAt, receivedAt, expected) => {
      vi.setSystemTime(signedAt)
      const verify = await way()
      vi.setSystemTime(receivedAt)
      const verdict = verify(await trustOf(rules), receivedAt).then(
        () => 'accepted',
        ({ code }) => code,
      )
      expect(await verdict).toBe(expected)
    },
  )
})
