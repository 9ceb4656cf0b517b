import { cbor, openSdk, source } from 'alvarium-sdk'
import { type Checking, check, readRecords } from 'alvarium-sdk/records'
import { openManifest, sealManifest } from 'alvarium-sdk/sets'
import { expect, it } from 'vitest'
import { Random } from '../attack/random.mjs'
import { utf8 } from '../support/bytes.js'
import { key, keyring } from '../support/sdk.js'

const EDITS = 1_000
const ROWS = Array.from({ length: 60 }, (_, row) => `${row},${(row * 7919) % 1000}`)
const recordsOf = (rows: readonly string[]) =>
  readRecords([utf8(`id,value\n${rows.map((row) => `${row}\n`).join('')}`)], { format: 'csv' })

/** Makes batches about all rows, in JSON. */
async function annotate(): Promise<Uint8Array[]> {
  const messages: Uint8Array[] = []
  const stream = { publish: (message: Uint8Array) => void messages.push(message) }
  await using sdk = await openSdk({
    signingKey: key.signingKey,
    annotators: [source()],
    stream,
    host: 'edge-7',
  })
  await sdk.createMany(ROWS.map(utf8))
  return messages
}

function editRows(random: Random): string[] {
  const rows = [...ROWS]
  for (let edits = 1 + random.below(3); edits > 0; edits--) {
    const [at, to] = [random.below(rows.length), random.below(rows.length)]
    random.pick([
      () => rows.splice(at, 1, `${rows[at]}${random.below(10)}`),
      () => rows.splice(at, 1),
      () => rows.splice(at, 0, `new,${random.below(1_000_000)}`),
      () => rows.splice(to, 0, ...rows.splice(at, 1)),
    ])()
  }
  return rows
}

async function findings(checking: Checking) {
  const found: unknown[] = []
  for await (const finding of checking) {
    const { record, signed, after } = { record: undefined, signed: undefined, after: undefined, ...finding }
    found.push([finding.kind, record?.line, signed?.number, signed?.key, after?.line])
  }
  return found
}

// claim: records-23
it(`check() reports ${EDITS} random edits of a file equally from JSON batches, CBOR batches and a manifest`, async () => {
  const codec = cbor()
  const messages = await annotate()
  const inCbor = messages.map((message) => codec.encode(message))
  const sealed = await sealManifest(recordsOf(ROWS), { signingKey: key.signingKey })
  const manifest = await openManifest(sealed.pieces(), { keyring })
  const random = new Random(49)
  let changed = 0
  for (let edit = 0; edit < EDITS; edit++) {
    const rows = editRows(random)
    const byMessages = await findings(check(recordsOf(rows), messages, { keyring }))
    expect(await findings(check(recordsOf(rows), inCbor, { keyring, codec }))).toEqual(byMessages)
    expect(await findings(check(recordsOf(rows), manifest))).toEqual(byMessages)
    if (byMessages.length > 0) changed++
  }
  expect(changed).toBeGreaterThan(0.95 * EDITS)
})
