// Measures the cost of a trust policy: verifying with a policy, compared with a keyring of the same signers.

import {
  generateKey,
  Keyring,
  memory,
  openSdk,
  source,
  toHex,
  verifyBatch,
  verifyMessages,
} from 'alvarium-sdk'
import { readTrust } from 'alvarium-sdk/trust'
import { cpuOf, quartiles, row } from './blocks.mjs'
import { grouped, payloadsOf } from './suite.mjs'

const KINDS = ['tls', 'in-range']
const BATCH = 256
const MESSAGES = 64

/** Returns a signer with a restriction of every kind. @param {string} key @param {number} at */
const signerOf = (key, at) => ({
  name: `signer-${at}`,
  keys: [key],
  hosts: ['edge-1', 'edge-2', 'edge-7', 'line-*'],
  layers: ['app', 'os'],
  actions: ['create', 'mutate'],
  kinds: ['src', 'tls', 'in-*'],
  tags: ['', 'v1'],
  from: '2020-01-01T00:00:00Z',
  until: '2100-01-01T00:00:00Z',
})

/** @type {import('./suite.mjs').Suite['open']} */
async function open({ signers = 0, operation }) {
  const pairs = Array.from({ length: signers }, () => generateKey())
  const keyring = await Keyring.from(pairs.map(({ verifyingKey }) => verifyingKey))
  const trust = await readTrust({
    signers: pairs.map(({ verifyingKey }, at) => signerOf(toHex(verifyingKey), at)),
  })
  const { batch, messages } = await messagesOf(pairs[0].signingKey)
  const receivedAt = Date.now()
  /** @type {Record<string, (trusted: object) => Promise<unknown[]>>} */
  const operations = {
    verifyBatch: (trusted) => verifyBatch(batch, { keyring: trusted, receivedAt }),
    verifyMessages: (trusted) => verifyMessages(messages, { keyring: trusted, receivedAt }),
  }
  const units = operation === 'verifyBatch' ? BATCH : MESSAGES
  const contender = (trusted) => ({ run: () => operations[operation](trusted), units })
  const [first] = await verifyBatch(batch, { keyring: trust, receivedAt })
  if (first?.signedBy?.name !== 'signer-0') throw new Error('trust: expected signer-0 to be trusted')
  return { keyring: contender(keyring), trust: contender(trust) }
}

async function messagesOf(signingKey) {
  const stream = memory()
  const annotators = [source(), ...KINDS.map((kind) => ({ kind, isSatisfied: () => true }))]
  const sdk = await openSdk({ signingKey, annotators, stream, host: 'edge-7', tag: 'v1' })
  const [receipt] = await sdk.createMany(payloadsOf(100, BATCH))
  const messages = []
  for (const payload of payloadsOf(100, MESSAGES)) messages.push((await sdk.create(payload)).message)
  await sdk.close()
  return { batch: receipt.message, messages }
}

/** @param {string} operation @param {number} signers @returns {import('./suite.mjs').Cell} */
const cell = (operation, signers) => ({
  label: `${operation}, ${grouped(signers)}`,
  operation,
  signers,
  callsFactor: 2,
  isLong: signers > 100,
})

const SIGNERS = 10_000
/** Number of blocks of each contender, and number of operations in a block. */
const BLOCKS = { full: 300, quick: 3, operations: 4 }

/**
 * Measures CPU time in alternating blocks, so that other load on the machine affects all contenders.
 *
 * @param {boolean} isQuick
 */
async function alternating(isQuick) {
  const signers = isQuick ? 10 : SIGNERS
  const blocks = isQuick ? BLOCKS.quick : BLOCKS.full
  const groups = []
  for (const operation of ['verifyBatch', 'verifyMessages']) {
    const { keyring, trust } = await open({ label: '', signers, operation })
    const ratios = { trust: [], 'keyring again': [] }
    for (let block = 0; block < blocks; block++) {
      const [first, last] = block % 2 === 0 ? [keyring, trust] : [trust, keyring]
      const times = [
        await cpuOf(first, BLOCKS.operations),
        await cpuOf(keyring, BLOCKS.operations),
        await cpuOf(last, BLOCKS.operations),
      ]
      const [own, other] = block % 2 === 0 ? [times[0], times[2]] : [times[2], times[0]]
      ratios.trust.push(other / times[1])
      ratios['keyring again'].push(own / times[1])
    }
    groups.push(...Object.entries(ratios).map(([name, values]) => row(`${operation}, ${name}`, values)))
  }
  return {
    caption: `CPU time, as a multiple of a keyring: ${grouped(signers)} signers`,
    groups: [quartiles(groups)],
  }
}

/** @type {import('./suite.mjs').Suite} */
export const trust = {
  name: 'trust',
  title: 'verify with a trust policy, and with a keyring of the same public keys: operation and signers',
  rows: 'operation, signers',
  cells: [100, 10_000].flatMap((signers) => [cell('verifyBatch', signers), cell('verifyMessages', signers)]),
  contenders: ['keyring', 'trust'],
  open,
  more: alternating,
  columns: 'micros',
  ratios: [{ head: 'trust ÷ keyring', above: 'trust', below: 'keyring' }],
  charts: [],
  published: undefined,
}
