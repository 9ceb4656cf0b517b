// The format of OpenSSF Model Signing by its documentation: model_signing/_signing/signing.py of 1.1.1. Its tool: tests/independent/model-signing.test.ts.

import { createHash, verify } from 'node:crypto'
import { generateKey, keyOf } from 'alvarium-sdk'
import { type OmsFile, type OmsOptions, toOmsBundle } from 'alvarium-sdk/packs'
import { sealSet } from 'alvarium-sdk/sets'
import { describe, expect, it } from 'vitest'
import { base64, concat, fromBase64, textOf, utf8 } from '../support/bytes.js'
import { failure } from '../support/failure.js'
import { nodeKey } from '../support/node-key.js'

// Capitals sort before all others by code point, unlike the order of a language.
const contents = { 'weights/2.bin': 'two', 'weights/1.bin': 'one', 'ZOO.md': 'a card' }
const payloads = Object.values(contents).map(utf8)
const files: OmsFile[] = Object.entries(contents).map(([name, text]) => ({
  name,
  digest: keyOf(utf8(text), 'sha256'),
}))

async function signedModel(more: Partial<OmsOptions> = {}) {
  const key = await generateKey({ algorithm: 'P-256' })
  const { set } = await sealSet(payloads, { signingKey: key.signingKey, name: 'model-7' })
  const bytes = await toOmsBundle(files, { signingKey: key.signingKey, name: 'model-7', set, ...more })
  const bundle = JSON.parse(textOf(bytes))
  const payload = fromBase64(bundle.dsseEnvelope.payload)
  return { key, set, bundle, payload, statement: JSON.parse(textOf(payload)) }
}

describe('toOmsBundle, which signs a model for OpenSSF Model Signing,', () => {
  it('lists all files by name, each with its SHA-256, and one digest over all of them', async () => {
    const { statement } = await signedModel()
    const sha256 = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest()
    const names = ['ZOO.md', 'weights/1.bin', 'weights/2.bin'] as const
    const digests = names.map((name) => sha256(contents[name]))
    expect(statement.predicateType).toBe('https://model_signing/signature/v1.0')
    expect(statement.predicate.resources).toEqual(
      names.map((name, at) => ({ name, algorithm: 'sha256', digest: digests[at]?.toString('hex') })),
    )
    const digest = { sha256: sha256(concat(...digests)).toString('hex') }
    expect(statement.subject).toEqual([{ name: 'model-7', digest }])
    expect(statement.predicate.serialization).toEqual({
      method: 'files',
      hash_type: 'sha256',
      allow_symlinks: false,
      ignore_paths: ['.git', '.gitattributes', '.github', '.gitignore'],
    })
  })

  it('makes a Sigstore bundle that names the public key by its hash', async () => {
    const { key, bundle, payload } = await signedModel()
    const publicKey = nodeKey(key.verifyingKey)
    const { mediaType, verificationMaterial, dsseEnvelope } = bundle
    expect(mediaType).toBe('application/vnd.dev.sigstore.bundle.v0.3+json')
    const hint = createHash('sha256')
      .update(publicKey.export({ type: 'spki', format: 'pem' }))
      .digest('hex')
    expect(verificationMaterial).toEqual({ publicKey: { hint }, tlogEntries: [] })
    const encoding = concat(utf8(`DSSEv1 28 application/vnd.in-toto+json ${payload.length} `), payload)
    const signature = fromBase64(dsseEnvelope.signatures[0].sig)
    expect(verify('sha256', encoding, publicKey, signature)).toBe(true)
    expect(base64(payload)).toBe(dsseEnvelope.payload)
  })

  // claim: sets-24
  it('names the signed set of the files, if there is one, in an additional member of the predicate', async () => {
    const { set, statement } = await signedModel()
    const uri = `https://example.invalid/alvarium-sdk/set/v1/${set.id}`
    const link = statement.predicate['https://example.invalid/alvarium-sdk/set/v1']
    expect(link).toEqual({ uri, root: set.root, size: 3 })
    const { statement: without } = await signedModel({ set: undefined })
    expect(Object.keys(without.predicate)).toEqual(['serialization', 'resources'])
  })

  it.each(['Ed25519', 'secp256k1'] as const)(
    'refuses a key of %s, and asks for one of P-256',
    async (algorithm) => {
      const { signingKey } = algorithm === 'Ed25519' ? generateKey() : await generateKey({ algorithm })
      expect(await failure(() => toOmsBundle(files, { signingKey, name: 'a' }))).toMatchObject({
        code: 'KEY_INVALID',
        message: `signingKey: expected a key of P-256 for model_signing, got ${algorithm}`,
      })
    },
  )

  it.each([
    [[], 'needs at least one file'],
    [['/etc/passwd'], 'expected the path of a file in the folder'],
    [['../ZOO.md'], 'expected the path of a file in the folder'],
    [['a//b'], 'expected the path of a file in the folder'],
    [['ZOO.md', 'ZOO.md'], 'expected each name once'],
  ])('refuses the files %j', async (names, message) => {
    const { signingKey } = await generateKey({ algorithm: 'P-256' })
    const wrong = names.map((name) => ({ name, digest: '0'.repeat(64) }))
    const error = await failure(() => toOmsBundle(wrong, { signingKey, name: 'a' }))
    expect(`${error.code} ${error.message}`).toContain(`CONFIG_INVALID files: ${message}`)
  })
})
