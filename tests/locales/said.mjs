// Prints the package's results for the same input, as JSON: the same bytes wherever the process runs.
//
//   node tests/locales/said.mjs '{"signingKey": "…", "messages": ["…"]}'

import { createHash } from 'node:crypto'
import { PassThrough, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { classic, keyOf, memory, openSdk, source, toHex, verifyMessage } from 'alvarium-sdk'
import { makePack, readPack, toProv } from 'alvarium-sdk/packs'
import { readRecords } from 'alvarium-sdk/records'
import { readPolicy } from 'alvarium-sdk/score'
import { sealSet } from 'alvarium-sdk/sets'
import { issueLease, readTrust } from 'alvarium-sdk/trust'
import { command } from '../../dist/cli/command.js'

const input = JSON.parse(process.argv[2] ?? '')
const signingKey = Buffer.from(input.signingKey, 'hex')
const verifyingKey = signingKey.subarray(32)
const messages = input.messages.map((message) => Buffer.from(message))
const bytes = (value) => new TextEncoder().encode(value)

/** Half an hour after the clocks went forward in St John's. */
const NOW = Date.UTC(2026, 2, 8, 5, 59, 59, 500)
Date.now = () => NOW

const LETTERS = ['I', 'i', 'İ', 'ı', 'Ä', 'z', 'é', 'ß', 'SS', '٣', '3']

/** Returns timestamps in the spelling of each SDK; those of the other SDKs are in the base64 of their content. */
async function timestamps() {
  const codecs = ['go', 'java', 'rust', 'python'].map((dialect) => classic({ signingKey, dialect }))
  const found = []
  for (const codec of [undefined, ...codecs]) {
    const stream = memory()
    const options = { signingKey, annotators: [source()], stream, host: 'İ' }
    const sdk = await openSdk({ ...options, ...(codec && { codec }) })
    await sdk.create(bytes('I'))
    await sdk.close()
    const { content } = JSON.parse(Buffer.from(stream.messages[0]).toString())
    const said = codec ? Buffer.from(content, 'base64').toString() : JSON.stringify(content)
    // The last digits come from a running clock.
    found.push(/2026-[^"\\]*/.exec(said)?.[0].replace(/\.\d+/, ''))
  }
  return found
}

/** Returns verdicts by a policy whose times have offsets, with the texts of errors. */
async function verdicts() {
  const signer = (more) => ({ name: 'ıstanbul', keys: [toHex(verifyingKey)], ...more })
  const found = []
  for (const rules of [
    {},
    { until: '2026-11-20T15:30:00+05:30' },
    { from: '2026-11-20T10:00:00Z' },
    { hosts: ['FACTORY-I*'] },
    { revoked: { since: '2026-11-20T00:00:00-02:30', why: 'LOST' } },
  ]) {
    const keyring = await readTrust({ signers: [signer(rules)] })
    for (const message of messages) {
      for (const receivedAt of [undefined, NOW]) {
        found.push(
          await verifyMessage(message, { keyring, receivedAt }).catch(
            (error) => `${error.code} ${error.message}`,
          ),
        )
      }
    }
    await keyring.close()
  }
  return found
}

async function pack() {
  const pieces = []
  const trust = { signers: [{ name: 'İ', keys: [toHex(verifyingKey)] }] }
  for await (const piece of makePack(messages, { about: { query: 'I' }, trust, at: NOW })) pieces.push(piece)
  const whole = Buffer.concat(pieces)
  const prov = []
  for await (const piece of toProv(readPack(whole, { keyring: [verifyingKey] })))
    prov.push(Buffer.from(piece))
  return [createHash('sha256').update(whole).digest('hex'), Buffer.concat(prov).toString()]
}

async function run(...args) {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  const said = Promise.all([text(stdout), text(stderr)])
  const code = await command(args, { stdin: Readable.from([]), stdout, stderr }, new AbortController().signal)
  stdout.end()
  stderr.end()
  return [code, ...(await said)]
}

async function records() {
  const found = []
  const csv = 'I;ı\n1,5;٣\n"2";ß\n'
  for await (const record of readRecords([bytes(csv)], { format: 'csv' })) found.push(record)
  return found
}

const lease = JSON.parse(
  Buffer.from(
    await issueLease(signingKey, { subject: Buffer.from(input.subject, 'hex'), from: NOW, ttlMs: 3_600_000 }),
  ).toString(),
).content
const rows = [...LETTERS, ...Array.from({ length: 2_000 }, (_, at) => `${at}`)]
const newSet = await sealSet(rows.map(bytes), { signingKey, name: 'ı', host: 'İ' })
const set = Buffer.from(newSet.message).toString()
console.log(
  JSON.stringify({
    keys: ['sha256', 'md5', 'none'].flatMap((hash) => LETTERS.map((letter) => keyOf(bytes(letter), hash))),
    set,
    policy: readPolicy({
      version: 1,
      weights: Object.fromEntries(LETTERS.map((letter, at) => [letter, at + 1])),
      required: LETTERS,
    }).digest,
    lease: [lease.from, lease.until],
    timestamps: await timestamps(),
    verdicts: await verdicts(),
    pack: await pack(),
    records: await records(),
    inspect: [await run('inspect', set), await run('inspect', ...input.messages)],
    verify: await run('verify', ...input.messages),
  }),
)
