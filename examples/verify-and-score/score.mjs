// Scores how far each payload can be trusted, from its annotations:
//
//   node examples/verify-and-score/score.mjs [messages.ndjson] --key public.key [--key …] [--policy scoring.json]
//
// Reads messages, one per line, from the file or from stdin. A message that does not verify does not count,
// and makes the exit code 1.

import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { AlvariumError, Keyring, readKey, verifyMessage } from 'alvarium-sdk'
import { BundleGraph, nameOf, percentOf, readPolicy, scorePayload } from 'alvarium-sdk/score'
import { answer, bold, dim, red, short } from '../shared/terminal.mjs'

try {
  const { file, keyring, policy } = await readArguments()
  const graph = new BundleGraph()
  /** @type {Map<string, import('alvarium-sdk').VerifiedBundle[]>} bundles by the name of their payload */
  const bundles = new Map()
  const rejected = await addMessages(file, keyring, (bundle) => {
    // Skip a message that QoS 1 has delivered twice.
    if (graph.add(bundle)) bundles.set(nameOf(bundle), [...(bundles.get(nameOf(bundle)) ?? []), bundle])
  })
  for (const payload of graph.payloads()) {
    print(scorePayload(graph.scoringInput(payload), policy), bundles.get(nameOf(payload)) ?? [])
  }
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
      policy: { type: 'string' },
    },
  })
  if (values.key.length === 0) throw new Error('expected at least one --key with the file of a public key')
  const keyring = new Keyring(await Promise.all(values.key.map((path) => readKey(path))))
  const policy = values.policy === undefined ? '{"version":1}' : await readFile(values.policy, 'utf8')
  return { file: positionals[0], keyring, policy: readPolicy(policy) }
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
 * @param {import('alvarium-sdk/score').Verdict} verdict
 * @param {import('alvarium-sdk').VerifiedBundle[]} bundles
 */
function print({ key, score, why }, bundles) {
  console.log(`${bold(percent(score).padStart(7))}  ${key}`)
  for (const { action, host, signer, annotations } of bundles) {
    const answers = annotations.map(answer).join('  ')
    console.log(`         ${action.padEnd(7)}  ${answers}  on ${host}, signed ${short(signer)}`)
  }
  for (const ancestor of why.ancestors) {
    console.log(dim(`         made from  ${short(ancestor.key)}  ${percent(ancestor.score)}`))
  }
}

/** @param {import('alvarium-sdk/score').Score} score */
function percent(score) {
  return score === 'unknown' ? score : `${Math.floor(percentOf(score))} %`
}
