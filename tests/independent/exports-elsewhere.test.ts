import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generateKey, toHex } from 'alvarium-sdk'
import { toInToto, toProv } from 'alvarium-sdk/packs'
import { afterAll, describe, expect, it } from 'vitest'
import { goldenBundles, written } from '../support/exports.js'
import { isBuilt } from './golang.js'

// Where Go or Python's pip are there, and may fetch: libraries that others wrote for these standards.

const folder = mkdtempSync(join(tmpdir(), 'alvarium-exports-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function ran(command: string, args: readonly string[], input = '') {
  const env = { ...process.env, PYTHONPATH: join(folder, 'python') }
  return spawnSync(command, args, {
    ...{ cwd: folder, env, input, encoding: 'utf8', maxBuffer: 2 ** 28, timeout: 120_000 },
  })
}

/** Python's package for PROV. @returns whether it was to be had */
function hasProv(): boolean {
  mkdirSync(join(folder, 'python'))
  const packages = ['prov==3.2.3', 'jsonschema==4.26.0']
  const installed = ran('python3', ['-m', 'pip', 'install', '-q', '--target', 'python', ...packages])
  if (installed.status === 0) return true
  console.warn(`not tested: what Python's prov says of PROV. ${installed.error?.message ?? installed.stderr}`)
  return false
}

const verifier = join(folder, 'verify')
const isVerifierThere = isBuilt('dsse', verifier, 'what Go says of envelopes')
const isProvThere = hasProv()

describe.skipIf(!isVerifierThere)('go-securesystemslib', () => {
  it('accepts our envelopes, of Ed25519 and of P-256, and none that another key signed', async () => {
    const bundles = await goldenBundles()
    for (const { signingKey, verifyingKey } of [generateKey(), await generateKey({ algorithm: 'P-256' })]) {
      const lines = await written(toInToto(bundles, { signingKey }))
      const { stdout, status } = ran(verifier, [toHex(verifyingKey)], lines)
      expect([status, stdout]).toEqual([0, `${bundles.length} verified\n`])
      const other = await written(toInToto(bundles, { signingKey: generateKey().signingKey }))
      expect(ran(verifier, [toHex(verifyingKey)], other).status).toBe(1)
    }
  })
})

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

describe.skipIf(!isProvThere)("Python's prov", () => {
  it('reads our documents, which fit the schema of PROV-JSON', async () => {
    const bundles = await goldenBundles()
    writeFileSync(join(folder, 'read.py'), READ)
    const { stdout, stderr } = ran('python3', ['read.py'], await written(toProv(bundles)))
    expect([stdout, stderr]).toEqual([`${bundles.length} True True\n`, ''])
  })
})
