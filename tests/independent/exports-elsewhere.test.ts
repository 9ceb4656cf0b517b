// @slow: it runs other verifiers; vectors.test.ts shows that format and verifier agree

import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generateKey, memory, openSdk, source, toHex, verifyBatch } from 'alvarium-sdk'
import { toInToto, toProv } from 'alvarium-sdk/packs'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { startCollector } from '../../examples/openlineage/collector.mjs'
import { pipeline } from '../../examples/openlineage/pipeline.mjs'
import { Random } from '../attack/random.mjs'
import { utf8 } from '../support/bytes.js'
import { goldenBundles, written } from '../support/exports.js'
import { isBuilt } from './golang.js'

// Libraries by others for these standards, if Go or Python's pip are installed and may download.

const folder = mkdtempSync(join(tmpdir(), 'alvarium-exports-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function ran(command: string, args: readonly string[], input = '') {
  const env = { ...process.env, PYTHONPATH: join(folder, 'python') }
  return spawnSync(command, args, {
    cwd: folder,
    env,
    input,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
    timeout: 120_000,
  })
}

/** Installs packages of Python. @returns whether they are available */
function areThere(what: string, ...packages: string[]): boolean {
  mkdirSync(join(folder, 'python'), { recursive: true })
  const installed = ran('python3', ['-m', 'pip', 'install', '-q', '--target', 'python', ...packages])
  if (installed.status === 0) return true
  console.warn(`not tested: ${what}. ${installed.error?.message ?? installed.stderr}`)
  return false
}

const verifier = join(folder, 'verify')
const isVerifierThere = isBuilt('dsse', verifier, 'what Go says of envelopes')
const isProvThere = areThere("what Python's prov says of PROV", 'prov==3.2.3', 'jsonschema==4.26.0')
const isLineageThere = areThere('what OpenLineage says of events', 'openlineage-python==1.54.0')

describe.skipIf(!isVerifierThere)('go-securesystemslib', () => {
  it('accepts DSSE envelopes of the SDK with Ed25519 and P-256, and refuses envelopes of other signers', async () => {
    const bundles = await goldenBundles()
    for (const { signingKey, verifyingKey } of [generateKey(), await generateKey({ algorithm: 'P-256' })]) {
      const lines = await written(toInToto(bundles, { signingKey }))
      expect(verdicts(verifyingKey, lines)).toEqual(bundles.map(() => true))
      const other = await written(toInToto(bundles, { signingKey: generateKey().signingKey }))
      expect(verdicts(verifyingKey, other)).toEqual(bundles.map(() => false))
    }
  })

  it('accepts 1,000 envelopes, and refuses each with a flipped bit in the payload or the signature', async () => {
    const random = new Random(52)
    const { signingKey, verifyingKey } = generateKey()
    const stream = memory()
    const sdk = await openSdk({ signingKey, annotators: [source()], stream })
    await sdk.createMany(Array.from({ length: 1_000 }, (_, at) => utf8(`${at}`)))
    await sdk.close()
    const keyring = [verifyingKey]
    const bundles = (await Promise.all(stream.messages.map((one) => verifyBatch(one, { keyring })))).flat()
    const lines = await written(toInToto(bundles, { signingKey }))
    expect(verdicts(verifyingKey, lines)).toEqual(bundles.map(() => true))
    const altered = lines
      .trimEnd()
      .split('\n')
      .map((line) => flipBit(random, line))
    expect(verdicts(verifyingKey, altered.join('\n'))).toEqual(bundles.map(() => false))
  })
})

function verdicts(verifyingKey: Uint8Array, lines: string): boolean[] {
  const { stdout, stderr, status } = ran(verifier, [toHex(verifyingKey)], lines)
  if (status !== 0) throw new Error(stderr)
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => line === 'true')
}

/** Flips a bit of the payload of an envelope, or of its signature. */
function flipBit(random: Random, line: string): string {
  const envelope = JSON.parse(line)
  const [part, name] = random.pick([
    [envelope, 'payload'],
    [envelope.signatures[0], 'sig'],
  ])
  const bytes = Buffer.from(part[name], 'base64')
  const place = random.below(bytes.length)
  bytes[place] = (bytes[place] as number) ^ (1 << random.below(8))
  part[name] = bytes.toString('base64')
  return JSON.stringify(envelope)
}

const READ = `
import json, os, sys
import jsonschema, prov
from prov.model import ProvDocument
text = sys.stdin.read()
schema = os.path.join(os.path.dirname(prov.__file__), "tests/schemas/prov-json.schema.json")
jsonschema.validate(json.loads(text), json.load(open(schema)))
document = ProvDocument.deserialize(content=text, format="json")
again = ProvDocument.deserialize(content=document.serialize(format="json"), format="json")
print(len(list(document.bundles)), document == again, len(list(document.flattened().unified().records)) > 0)
`

describe.skipIf(!isProvThere)("Python's prov library", () => {
  // claim: packs-29
  it("reads the SDK's PROV documents, which are valid against the PROV-JSON schema", async () => {
    const bundles = await goldenBundles()
    writeFileSync(join(folder, 'read.py'), READ)
    const { stdout, stderr } = ran('python3', ['read.py'], await written(toProv(bundles)))
    expect(stdout, stderr).toBe(`${bundles.length} True True\n`)
  })
})

// The library's classes are generated from the schema of the standard: they accept its members, and check the required
// ones.
const LINEAGE = `
import json, sys
import attr
from openlineage.client.event_v2 import InputDataset, Job, OutputDataset, Run, RunEvent, RunState
from openlineage.client.generated.base import RunFacet
given = json.load(sys.stdin)

def event_of(event):
    made = RunEvent(
        eventType=RunState[event["eventType"]], eventTime=event["eventTime"], producer=event["producer"],
        run=Run(**event["run"]), job=Job(**event["job"]),
        inputs=[InputDataset(**one) for one in event["inputs"]],
        outputs=[OutputDataset(**one) for one in event["outputs"]])
    assert set(event) <= set(attr.asdict(made)), event
    assert made.schemaURL == event["schemaURL"], made.schemaURL
    for facet in event["run"]["facets"].values():
        RunFacet(producer=facet["_producer"])
        assert facet["_schemaURL"], facet

def required(one):
    return {field.name for field in attr.fields(one) if field.default is attr.NOTHING}

schema = given["schema"]
parts = schema["properties"]
for one, part in ((RunEvent, schema), (Run, parts["run"]), (Job, parts["job"]), (InputDataset, schema["$defs"]["dataset"])):
    assert required(one) <= set(part["required"]), one
    assert set(part["properties"]) <= {field.name for field in attr.fields(one)}, one
assert set(parts["eventType"]["enum"]) == {state.value for state in RunState}
for event in given["events"]:
    event_of(event)
print(len(given["events"]))
`

describe.skipIf(!isLineageThere)('the official OpenLineage client', () => {
  it("accepts all members of the SDK's events, and requires no member that the events lack", async () => {
    const collector = await startCollector()
    onTestFinished(() => collector.close())
    await pipeline(folder, collector.url, generateKey())
    writeFileSync(join(folder, 'lineage.py'), LINEAGE)
    const schema = JSON.parse(
      readFileSync(new URL('../../examples/openlineage/run-event.schema.json', import.meta.url), 'utf8'),
    )
    const { stdout, stderr } = ran(
      'python3',
      ['lineage.py'],
      JSON.stringify({ schema, events: collector.events }),
    )
    expect([stdout, stderr]).toEqual(['6\n', ''])
  })
})
