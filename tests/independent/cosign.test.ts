// @slow: it runs other verifiers

import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generateKey, memory, openSdk, source, verifyMessages } from 'alvarium-sdk'
import { toSigstoreBundle } from 'alvarium-sdk/packs'
import { afterAll, describe, expect, it } from 'vitest'
import { base64, textOf, utf8 } from '../support/bytes.js'
import { spkiOf } from '../support/node-key.js'

// cosign, if installed: go install github.com/sigstore/cosign/v3/cmd/cosign@v3.1.3. COSIGN names it if it is not on the
// PATH.

const { COSIGN = 'cosign', COSIGN_COUNT = '4' } = process.env
const TYPE = 'https://example.invalid/alvarium-sdk/attestation/bundle/v1'
const COUNT = Number(COSIGN_COUNT)

const folder = mkdtempSync(join(tmpdir(), 'alvarium-cosign-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const at = (name: string) => join(folder, name)

const version = spawnSync(COSIGN, ['version'], { encoding: 'utf8' })
const isThere = version.status === 0
if (!isThere) console.warn(`not tested: what cosign says of Sigstore bundles. ${version.error?.message}`)

function accepts(bundle: string, file: string): boolean {
  writeFileSync(at('bundle.json'), bundle)
  const args = [
    '--bundle',
    at('bundle.json'),
    '--key',
    at('key.pem'),
    '--type',
    TYPE,
    '--insecure-ignore-tlog',
  ]
  return spawnSync(COSIGN, ['verify-blob-attestation', ...args, at(file)]).status === 0
}

/** Writes payloads and the public key into the folder, and returns a Sigstore bundle for each payload. */
async function makeBundles(algorithm: 'Ed25519' | 'P-256'): Promise<string[]> {
  const key = algorithm === 'Ed25519' ? generateKey() : await generateKey({ algorithm })
  const pem = `-----BEGIN PUBLIC KEY-----\n${base64(spkiOf(key.verifyingKey))}\n-----END PUBLIC KEY-----\n`
  writeFileSync(at('key.pem'), pem)
  const stream = memory()
  const sdk = await openSdk({ signingKey: key.signingKey, annotators: [source()], stream })
  for (let number = 0; number < COUNT; number++) {
    const payload = utf8(`{"reading":${number}}`)
    writeFileSync(at(`${number}.json`), payload)
    await sdk.create(payload)
  }
  await sdk.close()
  const verified = await verifyMessages(stream.messages, { keyring: [key.verifyingKey] })
  const bundles = verified.flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
  const texts: string[] = []
  for await (const { bytes } of toSigstoreBundle(bundles, { signingKey: key.signingKey }))
    texts.push(textOf(bytes))
  return texts
}

/** Alterations of a Sigstore bundle, each of which cosign must detect. */
const ALTERATIONS: readonly ((text: string) => string)[] = [
  (text) => text.replace(/"payload":"(.)(.)/, '"payload":"$2$1'),
  (text) => text.replace(/"sig":"(.{9})(.)/, (_, head, one) => `"sig":"${head}${one === 'A' ? 'B' : 'A'}`),
  (text) => text.replace('in-toto+json', 'in-toto+jsom'),
  (text) => text.replace('SHA256:', 'SHA256:x'),
]

describe.skipIf(!isThere).each(['Ed25519', 'P-256'] as const)('cosign, with a key of %s,', (algorithm) => {
  it('accepts Sigstore bundles with the signed files, and refuses altered bundles and unsigned files', async () => {
    const bundles = await makeBundles(algorithm)
    const files = bundles.map((_, number) => `${number}.json`)
    expect(bundles.map((text, number) => accepts(text, files[number] as string))).not.toContain(false)
    writeFileSync(at('other.json'), 'other')
    expect(accepts(bundles[0] as string, 'other.json')).toBe(false)
    const altered = bundles.map((text, number) => {
      const alter = ALTERATIONS[number % ALTERATIONS.length] as (text: string) => string
      expect(alter(text)).not.toBe(text)
      return accepts(alter(text), files[number] as string)
    })
    expect(altered).not.toContain(true)
  })
})
