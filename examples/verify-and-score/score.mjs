// Scores how far each payload can be trusted, from its annotations:
//
//   node examples/verify-and-score/score.mjs [messages.ndjson] --key public.key [--key …] [--weights '{"tls":2}']
//
// Reads messages, one per line, from the file or from stdin. A message that does not verify does not count,
// and makes the exit code 1.

import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { AlvariumError, Keyring, readKey, verifyMessage } from 'alvarium-sdk'
import { Confidence, nameOf, percentOf } from 'alvarium-sdk/judge'
import { answer, bold, dim, red, short } from '../shared/terminal.mjs'

try {
  const { file, keyring, weights } = await readArguments()
  const confidence = new Confidence({ weights })
  /** @type {Map<string, import('alvarium-sdk').VerifiedBundle[]>} bundles by the name of their payload */
  const bundles = new Map()
  const rejected = await addMessages(file, keyring, (bundle) => {
    // Skip a message that QoS 1 has delivered twice.
    if (confidence.add(bundle)) bundles.set(nameOf(bundle), [...(bundles.get(nameOf(bundle)) ?? []), bundle])
  })
  for (const payload of confidence.payloads()) print(payload, bundles.get(nameOf(payload)) ?? [], confidence)
  process.exitCode = rejected > 0 ? 1 : 0
} catch (error) {
  console.error(red(`score: ${error.message}`))
  process.exitCode = 2
}

async function readArguments() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      key: { type: 'string', multiple: true, default: [] },
      weights: { type: 'string', default: '{}' },
    },
  })
  if (values.key.length === 0) throw new Error('expected at least one --key with the file of a public key')
  const keyring = new Keyring(await Promise.all(values.key.map((path) => readKey(path))))
  return { file: positionals[0], keyring, weights: JSON.parse(values.weights) }
}

/** @param {string | undefined} file @param {Keyring} keyring @param {(bundle: import('alvarium-sdk').VerifiedBundle) => void} add */
async function addMessages(file, keyring, add) {
  const encoder = new TextEncoder()
  let [number, rejected] = [0, 0]
  for await (const line of linesOf(file)) {
    number++
    try {
      add(await verifyMessage(encoder.encode(line.replace(/^\uFEFF/, '')), { keyring })) // remove a byte order mark
    } catch (error) {
      if (!(error instanceof AlvariumError)) throw error
      console.error(`${red('✗ rejected')}  line ${number}, ${error.code}: ${error.message}`)
      rejected++
    }
  }
  return rejected
}

/** Yields the lines of a file or of stdin. Throws if the file is unreadable. @param {string | undefined} file */
async function* linesOf(file) {
  const input = file === undefined ? process.stdin : createReadStream(file)
  const failed = new Promise((_, reject) => input.once('error', reject))
  const lines = createInterface({ input })[Symbol.asyncIterator]()
  for (;;) {
    const { done, value } = await Promise.race([lines.next(), failed])
    if (done) return
    if (value.trim() !== '') yield value
  }
}

/**
 * @param {import('alvarium-sdk/judge').KnownPayload} payload
 * @param {import('alvarium-sdk').VerifiedBundle[]} bundles
 * @param {Confidence} confidence
 */
function print(payload, bundles, confidence) {
  const percent = (/** @type {import('alvarium-sdk/judge').KnownPayload} */ one) =>
    `${Math.floor(percentOf(confidence.score(one)))}`
  console.log(`${bold(percent(payload).padStart(3))} %  ${payload.key}`)
  for (const { action, host, signer, annotations } of bundles) {
    const answers = annotations.map(answer).join('  ')
    console.log(`        ${action.padEnd(7)}  ${answers}  on ${host}, signed ${short(signer)}`)
  }
  for (const ancestor of confidence.lineage(payload)) {
    if (ancestor.depth === 0) continue
    const known = ancestor.bundles > 0 ? `${percent(ancestor)} %` : 'nothing known'
    console.log(dim(`        made from  ${short(ancestor.key)}  ${known}`))
  }
}
