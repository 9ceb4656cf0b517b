// @slow: it runs other verifiers; vectors.test.ts shows that format and verifier agree

import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { generateKey, type KeyPair, toHex } from 'alvarium-sdk'
import { toInToto, toProv } from 'alvarium-sdk/packs'
import { expect, it } from 'vitest'
import { pythonWithCryptography } from '../running/python.mjs'
import { base64, fromBase64, textOf } from '../support/bytes.js'
import { envelopeIn, goldenBundles, written } from '../support/exports.js'

const SCRIPT = fileURLToPath(new URL('exports.py', import.meta.url))

/** Returns the output of the reader in Python for an export. */
function read(text: string, ...args: string[]): string {
  const { stdout, stderr, status } = spawnSync(pythonWithCryptography(), ['-B', SCRIPT, ...args], {
    input: text,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  })
  // Other lines of standard error come from Python's launcher, or from a missing locale.
  if (status !== 0) throw new Error(stderr)
  return stdout.trimEnd()
}

/** Returns the statements, with null in place of an unverified one. */
function statements(lines: string, { verifyingKey }: Pick<KeyPair, 'verifyingKey'>): unknown[] {
  return JSON.parse(`[${read(lines, 'in-toto', toHex(verifyingKey)).replaceAll('\n', ',')}]`)
}

// claim: packs-27
it("envelopes verify by the DSSE specification with the signer's key, and altered envelopes do not", async () => {
  const bundles = await goldenBundles()
  const keys = [generateKey(), await generateKey({ algorithm: 'P-256' })]
  for (const key of keys) {
    const lines = await written(toInToto(bundles, { signingKey: key.signingKey }))
    const all = lines.trimEnd().split('\n')
    expect(all.length).toBe(bundles.length)
    expect(statements(lines, key)).toEqual(all.map((line) => envelopeIn(line).statement))
    const other = all.map((line) => {
      const { envelope, statement } = envelopeIn(line)
      statement.predicate.host += 'x'
      return JSON.stringify({ ...envelope, payload: base64(Buffer.from(JSON.stringify(statement))) })
    })
    expect(new Set(statements(other.join('\n'), key))).toEqual(new Set([null]))
  }
})

it('ECDSA signatures in envelopes are in DER, even if r or s begins with a zero byte', async () => {
  const [bundle] = await goldenBundles()
  const { signingKey, verifyingKey } = await generateKey({ algorithm: 'P-256' })
  function* many() {
    for (let at = 0; bundle; at++) yield { ...bundle, id: `${at}` }
  }
  const found = new Map<number, string>()
  // One signature in about a hundred is shorter than 70 bytes, half of them have 71.
  for await (const line of toInToto(many(), { signingKey })) {
    const { envelope } = envelopeIn(textOf(line))
    const { length } = fromBase64(envelope.signatures[0].sig)
    found.set(Math.max(length, 69), textOf(line))
    if (found.size === 3) break
  }
  expect([...found.keys()].sort()).toEqual([69, 70, 71])
  expect(statements([...found.values()].join(''), { verifyingKey })).not.toContain(null)
})

it('a PROV document declares each name once, and its relations use only declared names', async () => {
  const bundles = await goldenBundles()
  expect(Number(read(await written(toProv(bundles)), 'prov'))).toBeGreaterThan(2 * bundles.length)
})
