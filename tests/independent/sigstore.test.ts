// Sigstore's own verifier in JavaScript, at the version that package.json pins. cosign: exports-elsewhere.test.ts.

import { execFileSync } from 'node:child_process'
import { createHash, type KeyObject } from 'node:crypto'
import { bundleFromJSON } from '@sigstore/bundle'
import { type TrustMaterial, toSignedEntity, Verifier } from '@sigstore/verify'
import { generateKey, type KeyPair, type VerifiedBundle } from 'alvarium-sdk'
import { toSigstoreBundle } from 'alvarium-sdk/packs'
import { expect, it } from 'vitest'
import { base64, concat, fromBase64, textOf, utf8 } from '../support/bytes.js'
import { goldenBundles } from '../support/exports.js'
import { nodeKey, spkiOf } from '../support/node-key.js'

const NOTHING_ELSE = { ctlogThreshold: 0, tlogThreshold: 0, timestampThreshold: 0 }
const NO_ROOT = { certificateAuthorities: [], timestampAuthorities: [], tlogs: [], ctlogs: [] }

/** Returns @sigstore/verify with one public key, under the hint of the bundle. */
function verifierOf(publicKey: KeyObject, hint: string) {
  const trusted = {
    ...NO_ROOT,
    publicKey: (asked: string) => {
      if (asked !== hint) throw new Error(`another key was asked for: ${asked}`)
      return { publicKey, validFor: () => true }
    },
  } satisfies TrustMaterial
  const verifier = new Verifier(trusted, NOTHING_ELSE)
  return (json: unknown): boolean => {
    try {
      verifier.verify(toSignedEntity(bundleFromJSON(json)))
      return true
    } catch {
      return false
    }
  }
}

/**
 * Returns the output of `ssh-keygen -l` for a public key. OpenSSH reads no Ed25519 in PKCS#8, so the key comes as
 * OpenSSH's own line.
 */
function fingerprintOf(spki: Uint8Array): string {
  const point = spki.subarray(spki.length === 44 ? -32 : -65)
  const names = point.length === 32 ? ['ssh-ed25519'] : ['ecdsa-sha2-nistp256', 'nistp256']
  const fields = [...names.map(utf8), point].map((field) =>
    concat(Uint8Array.of(0, 0, 0, field.length), field),
  )
  const line = `${names[0]} ${base64(concat(...fields))}\n`
  return execFileSync('ssh-keygen', ['-l', '-f', '-'], { input: line, encoding: 'utf8' })
}

/** Returns the golden bundles repeatedly, each time under another id. */
async function bundlesOf(count: number): Promise<VerifiedBundle[]> {
  const golden = await goldenBundles()
  return Array.from({ length: count }, (_, at) => {
    const bundle = golden[at % golden.length] as VerifiedBundle
    return { ...bundle, id: at.toString(16).padStart(64, '0') }
  })
}

async function exportAll(bundles: readonly VerifiedBundle[], { signingKey }: KeyPair): Promise<string[]> {
  const texts: string[] = []
  for await (const { bytes } of toSigstoreBundle(bundles, { signingKey })) texts.push(textOf(bytes))
  return texts
}

/** Flips a bit of bytes in base64, at a different place for each number. */
function flipBit(text: string, at: number): string {
  const bytes = fromBase64(text)
  const place = (at * 7) % bytes.length
  bytes[place] = (bytes[place] as number) ^ (1 << (at % 8))
  return base64(bytes)
}

interface BundleJson {
  verificationMaterial: { publicKey: { hint: string } }
  dsseEnvelope: { payload: string; payloadType: string; signatures: [{ sig: string; keyid: string }] }
}

function parseBundle(text: string): BundleJson {
  return JSON.parse(text)
}

const ALTERATIONS: readonly ((bundle: BundleJson, at: number) => void)[] = [
  ({ dsseEnvelope }, at) => {
    dsseEnvelope.payload = flipBit(dsseEnvelope.payload, at)
  },
  ({ dsseEnvelope: { signatures } }, at) => {
    signatures[0].sig = flipBit(signatures[0].sig, at)
  },
  ({ dsseEnvelope }, at) => {
    dsseEnvelope.payloadType = dsseEnvelope.payloadType.replace('vnd', `v${at}`)
  },
  ({ verificationMaterial: { publicKey } }, at) => {
    publicKey.hint = flipBit(publicKey.hint, at)
  },
]

it('Sigstore bundles name the public key by the hint that ssh-keygen and cosign compute', async () => {
  const [bundle] = await goldenBundles()
  for (const key of [generateKey(), await generateKey({ algorithm: 'P-256' })]) {
    const [text] = await exportAll([bundle as VerifiedBundle], key)
    const { dsseEnvelope, verificationMaterial } = parseBundle(text as string)
    const spki = spkiOf(key.verifyingKey)
    expect(verificationMaterial.publicKey.hint).toBe(createHash('sha256').update(spki).digest('base64'))
    expect(fingerprintOf(spki)).toContain(` ${dsseEnvelope.signatures[0].keyid} `)
  }
})

// claim: packs-42
it.each(['Ed25519', 'P-256'] as const)(
  '@sigstore/verify accepts 100 Sigstore bundles signed with %s, unless altered',
  async (algorithm) => {
    const [key, other] = [
      await generateKey({ algorithm } as never),
      await generateKey({ algorithm } as never),
    ]
    const bundles = await bundlesOf(100)
    const texts = await exportAll(bundles, key)
    const hint = parseBundle(texts[0] as string).verificationMaterial.publicKey.hint
    const accepts = verifierOf(nodeKey(key.verifyingKey), hint)
    expect(texts.filter((text) => accepts(parseBundle(text))).length).toBe(100)
    const altered = texts.map((text, at) => {
      const bundle = parseBundle(text)
      ALTERATIONS[at % ALTERATIONS.length]?.(bundle, at)
      return bundle
    })
    expect(altered.filter(accepts)).toEqual([])
    const others = (await exportAll(bundles.slice(0, 10), other)).map((text) =>
      parseBundle(text.replace(parseBundle(text).verificationMaterial.publicKey.hint, hint)),
    )
    expect(others.filter(accepts)).toEqual([])
  },
)
