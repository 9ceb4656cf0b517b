// Compares pools of one and two workers with the calling thread alone.

import { openSdk, verifyMessage, verifyMessages } from 'alvarium-sdk'
import { pool } from 'alvarium-sdk/pool'
import { replicated, stream } from '../contenders.mjs'
import { grouped, inTurn, payloadsOf } from './suite.mjs'

/**
 * @typedef {import('./suite.mjs').Cell} Cell
 * @typedef {import('./suite.mjs').OpenContender} OpenContender
 * @typedef {import('../keys.mjs').Keys} Keys
 * @typedef {import('alvarium-sdk/pool').WorkerPool} WorkerPool
 * @typedef {(workers: WorkerPool | undefined, cell: Cell, keys: Keys) => Promise<OpenContender>} Open
 */

/** Number of parallel calls. Another suite measures `createMany` in batches. */
const AT_ONCE = 256
const ONE_BY_ONE = 'create, one by one'
const IN_PARALLEL = `create, ${AT_ONCE} in flight`
const VERIFYING = 'verifyMessages'

/** @param {WorkerPool | undefined} workers @param {Cell} cell @param {Keys} keys */
async function openOurs(workers, { annotators = 0, payloadBytes = 0 }, { signingKey, verifyingKey }) {
  const sdk = await openSdk({ signingKey, annotators: replicated(annotators), stream, pool: workers })
  const next = inTurn(payloadsOf(payloadBytes, AT_ONCE))
  const payload = next()
  const { message } = await sdk.create(payload)
  await verifyMessage(message, { keyring: [verifyingKey], payload, pool: workers })
  return { sdk, next }
}

/** @type {Open} */
async function openOneByOne(workers, cell, keys) {
  const { sdk, next } = await openOurs(workers, cell, keys)
  return { run: () => sdk.create(next()), close: () => sdk.close() }
}

/** Opens simulated clients, each of which makes a call as soon as its previous call settles. @type {Open} */
async function openInParallel(workers, cell, keys) {
  const { sdk, next } = await openOurs(workers, cell, keys)
  const client = async () => {
    for (let call = 0; call < CALLS_EACH; call++) await sdk.create(next())
  }
  const run = () => Promise.all(Array.from({ length: AT_ONCE }, client))
  return { run, units: AT_ONCE * CALLS_EACH, close: () => sdk.close() }
}

const CALLS_EACH = 8

/** @type {Open} */
async function openVerifying(workers, cell, keys) {
  const { sdk, next } = await openOurs(undefined, cell, keys)
  const receipts = await Promise.all(Array.from({ length: AT_ONCE }, () => sdk.create(next())))
  await sdk.close()
  const messages = receipts.map(({ message }) => message)
  const verify = () => verifyMessages(messages, { keyring: [keys.verifyingKey], pool: workers })
  if ((await verify()).some(({ status }) => status !== 'fulfilled')) {
    throw new Error('pool: expected every message to verify')
  }
  return { run: verify, units: messages.length }
}

/** @type {Record<string, Open>} */
const OPEN = { [ONE_BY_ONE]: openOneByOne, [IN_PARALLEL]: openInParallel, [VERIFYING]: openVerifying }

/** @type {import('./suite.mjs').Suite['open']} */
async function open(cell, keys) {
  const openCell = /** @type {Open} */ (OPEN[cell.operation ?? ''])
  const pooled = async (/** @type {number} */ count) => {
    const workers = await pool({ workers: count })
    const { close, ...opened } = await openCell(workers, cell, keys)
    return {
      ...opened,
      close: async () => {
        await close?.()
        await workers.close()
      },
    }
  }
  return {
    'no pool': await openCell(undefined, cell, keys),
    '1 worker': await pooled(1),
    '2 workers': await pooled(2),
  }
}

/** @param {string} operation @param {number} payloadBytes @param {number} [callsFactor] @returns {Cell} */
const cell = (operation, payloadBytes, callsFactor) => ({
  label: `${operation}, ${grouped(payloadBytes)} B`,
  operation,
  annotators: 5,
  payloadBytes,
  ...(callsFactor && { callsFactor }),
})

/** @type {import('./suite.mjs').Suite} */
export const pools = {
  name: 'pool',
  title: 'a pool of workers, 5 annotators',
  rows: 'operation, payload',
  cells: [
    cell(ONE_BY_ONE, 100),
    // Make ten times as many calls for these rows, so that ten rounds make 500,000 calls.
    cell(IN_PARALLEL, 100, 10),
    cell(IN_PARALLEL, 1000, 10),
    cell(IN_PARALLEL, 20_000),
    cell(VERIFYING, 100),
  ],
  contenders: ['no pool', '1 worker', '2 workers'],
  open,
  columns: 'rate',
  ratios: [
    { head: 'no pool ÷ 1 worker', above: 'no pool', below: '1 worker' },
    { head: 'no pool ÷ 2 workers', above: 'no pool', below: '2 workers' },
  ],
  charts: [{ title: 'a pool of workers', scale: 'linear' }],
  published: undefined,
}
