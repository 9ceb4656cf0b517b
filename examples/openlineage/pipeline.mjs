// Pipeline of three steps: readings are taken, cleaned and averaged. Each step signs its output and its
// input, if it has one. The last step sends the location of the evidence to the collector.

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { keyOf, memory, openSdk, source, toHex } from 'alvarium-sdk'
import { makePack, verifyPack } from 'alvarium-sdk/packs'
import { Run } from './lineage.mjs'

/** @typedef {(input: Uint8Array) => Uint8Array} Step */

/** @type {{ job: string, from?: string, to: string, step: Step }[]} */
const STEPS = [
  { job: 'take', to: 'raw.csv', step: () => bytes('id,celsius\n1,21.4\n2,-999\n3,19.8\n') },
  {
    job: 'clean',
    from: 'raw.csv',
    to: 'clean.csv',
    step: (raw) => bytes(text(raw).replace(/.*-999\n/g, '')),
  },
  { job: 'average', from: 'clean.csv', to: 'average.json', step: average },
]

/**
 * @param {string} folder for the evidence pack
 * @param {string} collector URL
 * @param {import('alvarium-sdk').KeyPair} key
 */
export async function pipeline(folder, collector, { signingKey, verifyingKey, keyId }) {
  const stream = memory()
  const sdk = await openSdk({ signingKey, annotators: [source()], stream })
  const trust = { signers: [{ name: 'pipeline', keys: [toHex(verifyingKey)] }] }
  let payload = new Uint8Array(0)
  try {
    for (const { job, from, to, step } of STEPS) {
      const run = new Run(collector, job, from ? [from] : [], [to])
      await run.start()
      try {
        const before = payload
        payload = step(before)
        const { id } = from ? await sdk.mutate(before, payload) : await sdk.create(payload)
        const isLast = to === STEPS.at(-1)?.to
        const pack = isLast
          ? await packed(join(folder, 'evidence.zip'), payload, stream.messages, trust)
          : undefined
        await run.complete([{ id, signer: keyId }], pack)
      } catch (error) {
        await run.fail()
        throw error
      }
    }
    return payload
  } finally {
    await sdk.close()
  }
}

/**
 * @param {string} path
 * @param {Uint8Array} payload
 * @param {readonly Uint8Array[]} messages
 * @param {import('alvarium-sdk/trust').Policy} trust
 */
async function packed(path, payload, messages, trust) {
  const about = { payload: { hash: /** @type {const} */ ('sha256'), key: keyOf(payload) } }
  const pieces = []
  for await (const piece of makePack(messages, { about, trust })) pieces.push(piece)
  const pack = new Blob(pieces)
  await writeFile(path, pack.stream())
  return { uri: pathToFileURL(path).href, id: (await verifyPack(pack)).id }
}

/** @param {Uint8Array} clean */
function average(clean) {
  const rows = text(clean).trim().split('\n').slice(1)
  const sum = rows.reduce((all, row) => all + Number(row.split(',')[1]), 0)
  return bytes(JSON.stringify({ celsius: sum / rows.length }))
}

/** @param {string} value */
function bytes(value) {
  return new TextEncoder().encode(value)
}

/** @param {Uint8Array} value */
function text(value) {
  return new TextDecoder().decode(value)
}
