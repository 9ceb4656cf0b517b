// Runs the pipeline against a collector. Then audits the pipeline, from the event about a data set to the
// evidence. CI runs this:
//
//   node examples/openlineage/run.mjs
//
// With OPENLINEAGE_URL, runs only the pipeline, sends its events to your collector, such as Marquez, and
// keeps the evidence pack.

import assert from 'node:assert/strict'
import { openAsBlob } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { generateKey } from 'alvarium-sdk'
import { readPack } from 'alvarium-sdk/packs'
import '../shared/program.mjs'
import { green } from '../shared/terminal.mjs'
import { startCollector } from './collector.mjs'
import { pipeline } from './pipeline.mjs'

const folder = await mkdtemp(join(tmpdir(), 'alvarium-lineage-'))
const key = generateKey()
const { OPENLINEAGE_URL } = process.env
const collector = OPENLINEAGE_URL ? undefined : await startCollector()
try {
  const made = await pipeline(folder, OPENLINEAGE_URL ?? collector?.url ?? '', key)
  console.log(`average.json: ${new TextDecoder().decode(made)}`)
  if (collector) await audit(collector.events)
  else console.log(`the evidence is in ${folder}`)
  console.log(green('✓ everything went as expected'))
} finally {
  await collector?.close()
  if (collector) await rm(folder, { recursive: true })
}

/** Checks which signer made average.json. @param {any[]} events as the collector received them */
async function audit(events) {
  assert.deepEqual(
    events.map(({ job, eventType }) => `${job.name} ${eventType}`),
    ['take START', 'take COMPLETE', 'clean START', 'clean COMPLETE', 'average START', 'average COMPLETE'],
  )
  const found = events.flatMap(({ run }) => run.facets.alvarium_evidence ?? [])
  const last = events.find(
    ({ outputs, eventType }) => outputs[0]?.name === 'average.json' && eventType === 'COMPLETE',
  )
  const { uri, id } = last.run.facets.alvarium_evidence.pack
  const reading = readPack(await openAsBlob(fileURLToPath(uri)), { keyring: [key.verifyingKey] })
  const bundles = []
  let next = await reading.next()
  for (; !next.done; next = await reading.next()) bundles.push(next.value.id)
  const pack = next.value
  console.log(pack.says)
  assert.equal(pack.id, id)
  assert.equal(pack.outcome, 'holds')
  assert.deepEqual(
    bundles,
    found.flatMap((evidence) => evidence.bundles),
  )
}
