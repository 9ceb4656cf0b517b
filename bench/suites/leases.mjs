// Compares a slow signer that signs each bundle with a slow signer that signs one lease.

import { setTimeout as sleep } from 'node:timers/promises'
import { memory, openSdk, signBytes, source, toHex, verifyMessage } from 'alvarium-sdk'
import { leased, readTrust } from 'alvarium-sdk/trust'
import { inTurn, payloadsOf } from './suite.mjs'

/** @type {import('./suite.mjs').Suite['open']} */
async function open({ signerMs = 0 }, { signingKey, verifyingKey }) {
  const signer = {
    verifyingKey,
    sign: async (identity) => {
      if (signerMs > 0) await sleep(signerMs)
      return signBytes(signingKey, identity)
    },
  }
  const leases = []
  const key = leased(signer, { onLease: (lease) => leases.push(lease) })
  const trust = await readTrust({ signers: [{ name: 'gateway-1', keys: [toHex(verifyingKey)] }] })
  const [asked, own] = [await opened(signer), await opened(key)]
  for (const { message } of [await asked.create(), await own.create()]) {
    await verifyMessage(message, { keyring: trust, leases })
  }
  return {
    'each bundle': { run: asked.create, close: asked.close },
    leased: { run: own.create, close: own.close },
  }
}

async function opened(signingKey) {
  const sdk = await openSdk({ signingKey, annotators: [source()], stream: memory() })
  const next = inTurn(payloadsOf(100, 256))
  return { create: () => sdk.create(next()), close: () => sdk.close() }
}

/** @type {import('./suite.mjs').Suite} */
export const leases = {
  name: 'leases',
  title: 'a call of an SDK whose signer takes so long: asked for each bundle, and for one lease',
  rows: 'signer',
  cells: [0, 1, 5, 50].map((signerMs) => ({
    label: `${signerMs} ms`,
    signerMs,
    mostCalls: signerMs > 0 ? 40 : 1000,
  })),
  contenders: ['each bundle', 'leased'],
  open,
  columns: 'micros',
  ratios: [{ head: 'each bundle ÷ leased', above: 'each bundle', below: 'leased' }],
  charts: [],
  published: undefined,
}
