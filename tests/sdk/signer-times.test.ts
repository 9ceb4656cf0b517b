// @own-process: it stops the clock
// @node-only: no engine decides it

import { generateKey, memory, openSdk, type Signer, source, verifyMessage } from 'alvarium-sdk'
import { toInToto } from 'alvarium-sdk/packs'
import { sealSet } from 'alvarium-sdk/sets'
import { issueLease, leased } from 'alvarium-sdk/trust'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { key, keyring } from '../support/sdk.js'
import { messageFrom } from '../support/trust.js'
import { until } from '../support/until.js'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})
afterEach(() => {
  vi.useRealTimers()
})

type Options = { readonly signerTimeoutMs?: number }

const CALLS: Readonly<Record<string, (signer: Signer, options: Options) => Promise<unknown>>> = {
  'sdk.create': async (signingKey, options) => {
    const sdk = await openSdk({ signingKey, annotators: [source()], stream: memory(), ...options })
    return sdk.create(new Uint8Array(3))
  },
  sealSet: (signingKey, options) => sealSet([new Uint8Array(3)], { signingKey, ...options }),
  issueLease: (signer, options) => issueLease(signer, { subject: generateKey().signingKey, ...options }),
  'openSdk with leased': (signer, options) => {
    const signingKey = leased(signer, { onLease: () => {}, ...options })
    return openSdk({ signingKey, annotators: [source()], stream: memory() })
  },
  toInToto: async (signingKey, options) => {
    const bundle = await verifyMessage(await messageFrom(), { keyring })
    return toInToto([bundle], { signingKey, ...options }).next()
  },
}

it.each(
  Object.keys(CALLS).flatMap((name) => [
    { name, signerTimeoutMs: 70 },
    { name, signerTimeoutMs: undefined },
  ]),
)('$name rejects if its signer does not answer in time (signerTimeoutMs: $signerTimeoutMs)', async (row) => {
  const { name, signerTimeoutMs } = row
  const asked = vi.fn()
  const sign = () => {
    asked()
    return new Promise<Uint8Array>(() => {})
  }
  const call = CALLS[name] as (typeof CALLS)[string]
  const settled = vi.fn()
  const code = call(
    { verifyingKey: key.verifyingKey, sign },
    signerTimeoutMs === undefined ? {} : { signerTimeoutMs },
  )
    .then(
      () => 'resolved',
      (error) => error.code,
    )
    .finally(settled)
  await until(() => asked.mock.calls.length > 0)
  await vi.advanceTimersByTimeAsync((signerTimeoutMs ?? 10_000) - 1)
  expect(settled).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(1)
  expect(await code).toBe('SIGNER_FAILED')
})
