// How far can each payload be trusted, by what was said about it?
//
//   node examples/verify-and-score/score.mjs [messages.ndjson] --key public.key [--key …] [--weights '{"tls":2}']
//
// Reads messages, one per line, from the file or from stdin. Ends with exit code 1 when one does not verify:
// those count for nothing.

import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { AlvariumError, Keyring, readKey, verifyMessage } from 'alvarium-sdk'
import { answer, bold, dim, red, short } from '../shared/terminal.mjs'
import { Confidence } from './confidence.mjs'

try {
  const { file, keyring, weights } = await readArguments()
  const confidence = new Confidence(weights)
  const rejected = await addMessages(file, keyring, confidence)
  for (const payload of confidence.payloads()) print(payload, confidence)
  process.exitCode = rejected > 0 ? 1 : 0
} catch (error) {
  console.error(red(`score: ${error.message}`))
  process.exitCode = 2
}

async function readArguments() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { key: { type: 'string', multiple: true, default: [] }, weights: { type: 'string' } },
  })
  if (values.key.length === 0) throw new Error('expected at least one --key with the file of a public key')
  const keyring = new Keyring(await Promise.all(values.key.map((path) => readKey(path))))
  return { file: positionals[0], keyring, weights: readWeights(values.weights) }
}

/** @param {string} [text] @returns {Record<string, number>} by kind; kinds that are not named weigh 1 */
function readWeights(text = '{}') {
  const weights = JSON.parse(text)
  for (const [kind, weight] of Object.entries(weights)) {
    const isWeight = typeof weight === 'number' && weight >= 0
    if (!isWeight) throw new Error(`--weights: expected a number from 0 for ${kind}`)
  }
  return weights
}

/** @param {string | undefined} file @param {Keyring} keyring @param {Confidence} confidence */
async function addMessages(file, keyring, confidence) {
  const encoder = new TextEncoder()
  let [number, rejected] = [0, 0]
  for await (const line of linesOf(file)) {
    number++
    try {
      confidence.add(await verifyMessage(encoder.encode(line), { keyring }))
    } catch (error) {
      if (!(error instanceof AlvariumError)) throw error
      console.error(`${red('✗ rejected')}  line ${number}, ${error.code}: ${error.message}`)
      rejected++
    }
  }
  return rejected
}

/** A file that cannot be read ends the iteration with its error. @param {string | undefined} file */
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

/** @param {import('./confidence.mjs').Payload} payload @param {Confidence} confidence */
function print({ key, score, bundles }, confidence) {
  console.log(`${bold(`${Math.round(score * 100)}`.padStart(3))} %  ${key}`)
  for (const { action, host, signer, annotations } of bundles) {
    const answers = annotations.map(answer).join('  ')
    console.log(`        ${action.padEnd(7)}  ${answers}  on ${host}, signed ${short(signer)}`)
  }
  for (const ancestor of confidence.lineage(key)) {
    const known = ancestor.bundles.length > 0 ? `${Math.round(ancestor.score * 100)} %` : 'nothing known'
    console.log(dim(`        made from  ${short(ancestor.key)}  ${known}`))
  }
}
