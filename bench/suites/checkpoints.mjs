// Measures the cost of checkpoints by making the same calls with and without them.

import { generateKey, memory, openSdk, source } from 'alvarium-sdk'
import { checkpoints as signing } from 'alvarium-sdk/completeness'
import { quartiles, ratiosOf, row } from './blocks.mjs'
import { payloadsOf } from './suite.mjs'

const CALLS = 256
/** Number of blocks of each contender, and number of operations in a block. */
const BLOCKS = { full: 300, quick: 3, operations: 4 }

/** @param {import('./suite.mjs').Cell} cell @param {{ readonly signingKey: Uint8Array }} keys */
async function open({ operation }, { signingKey }) {
  const payloads = payloadsOf(100, CALLS)
  const contender = async (more) => {
    // Drop the messages: storing them would need more and more memory.
    const stream = { publish: () => {} }
    const sdk = await openSdk({ signingKey, annotators: [source()], stream, host: 'edge-7', ...more })
    const single = async () => {
      for (const payload of payloads) await sdk.create(payload)
    }
    const run = operation === 'batches' ? () => sdk.createMany(payloads) : single
    return { run, units: CALLS, close: () => sdk.close() }
  }
  const notes = memory()
  const checked = await contender({ checkpoints: signing({ stream: notes }) })
  if (notes.messages.length !== 1) throw new Error('checkpoints: expected one when the SDK opens')
  const run = () => {
    notes.messages.splice(0)
    return checked.run()
  }
  return { plain: await contender({}), checkpoints: { ...checked, run } }
}

/** Measures CPU time in alternating blocks. @param {boolean} isQuick */
async function alternating(isQuick) {
  const groups = []
  for (const operation of ['single calls', 'batches']) {
    const { plain, checkpoints } = await open({ label: '', operation }, generateKey())
    const blocks = isQuick ? BLOCKS.quick : BLOCKS.full
    const ratios = await ratiosOf(plain, checkpoints, { blocks, operations: BLOCKS.operations })
    groups.push(row(operation, ratios))
    await Promise.all([plain.close(), checkpoints.close()])
  }
  return { caption: 'CPU time with checkpoints, as a multiple of without', groups: [quartiles(groups)] }
}

/** @param {string} operation @returns {import('./suite.mjs').Cell} */
const cell = (operation) => ({ label: operation, operation, callsFactor: 2 })

/** @type {import('./suite.mjs').Suite} */
export const checkpoints = {
  name: 'checkpoints',
  title: 'sign with checkpoints, and without',
  rows: 'calls',
  cells: ['single calls', 'batches'].map(cell),
  contenders: ['plain', 'checkpoints'],
  open,
  more: alternating,
  columns: 'micros',
  ratios: [{ head: 'checkpoints ÷ plain', above: 'checkpoints', below: 'plain' }],
  charts: [],
  published: undefined,
}
