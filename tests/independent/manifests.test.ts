// @slow: it runs other verifiers; sets/manifests.test.ts shows that format and reader agree

import { generateKey, keyOf, toHex } from 'alvarium-sdk'
import { check } from 'alvarium-sdk/records'
import { openManifest, proveRecord, sealManifest, verifyManifest, verifyRecord } from 'alvarium-sdk/sets'
import { expect, it } from 'vitest'
import { Random } from '../attack/random.mjs'
import { base64, concat, fromHex, utf8 } from '../support/bytes.js'
import { goldenManifests } from '../support/vectors.js'
import { type AskedManifest, verdictsOf } from './python.js'

const { cases, publicKey } = goldenManifests()
const bytesOf = (given: string) => new Uint8Array(Buffer.from(given, 'base64'))
const codeOf = (error: unknown) => ({ code: (error as { code: string }).code })

/** Answers the question that Python gets. */
async function answerOf(asked: AskedManifest, keyring: readonly Uint8Array[]) {
  const salt = asked.salt === undefined ? undefined : bytesOf(asked.salt)
  try {
    if ('record_of' in asked) {
      const manifest = await verifyManifest(bytesOf(asked.record_of), { keyring, salt })
      return { manifest: verifyRecord(manifest, bytesOf(asked.proof), toHex(bytesOf(asked.key))).number }
    }
    const manifest = await openManifest(bytesOf(asked.manifest), { keyring, salt })
    if (!asked.records) return { manifest: manifest.statement }
    const records = asked.records.map((one, at) => ({ bytes: bytesOf(one), number: at + 1 }))
    const checking = check(records, manifest)
    for await (const _ of checking);
    const { altered, missing, extra, moved } = checking.counts
    const isSame = altered + missing + extra + moved === 0
    return { manifest: { ...manifest.statement, gone: altered + missing, new: altered + extra, isSame } }
  } catch (error) {
    return codeOf(error)
  }
}

async function agree(asked: readonly AskedManifest[], keys: readonly string[]) {
  const python = await verdictsOf(asked, keys)
  const own = await Promise.all(asked.map((one) => answerOf(one, keys.map(fromHex))))
  expect(own).toEqual(python)
  return own.map((verdict) => ('code' in verdict ? verdict.code : 'verified'))
}

const keyBytes = (record: string) => base64(fromHex(keyOf(utf8(record))))

// claim: format-73
it('a Python implementation reads golden manifests as the SDK does, and verifies their proofs', async () => {
  const asked = cases.flatMap(({ message, file, records, proofs, saltBytes }): AskedManifest[] => {
    const salt = saltBytes === undefined ? {} : { salt: base64(fromHex(saltBytes)) }
    const manifest = base64(fromHex(file))
    const lines = records.map((one) => base64(utf8(one)))
    const each = proofs.map((proof, at) => {
      return {
        ...salt,
        record_of: base64(utf8(message)),
        key: keyBytes(records[at] ?? ''),
        proof: base64(utf8(proof)),
      }
    })
    return [
      { manifest, ...salt },
      { manifest, ...salt, records: lines },
      { manifest, ...salt, records: lines.toReversed() },
      ...each,
    ]
  })
  expect(new Set(await agree(asked, [publicKey]))).toEqual(new Set(['verified']))
})

it('a Python implementation and the SDK agree on random files and manifests, altered and unaltered', async () => {
  const random = new Random(49)
  const { signingKey, verifyingKey } = generateKey()
  const asked: AskedManifest[] = []
  for (let round = 0; round < 150; round++) {
    const rows = Array.from({ length: random.below(20) }, () => `${random.below(30)}`)
    const sealed = await sealManifest(rows.map(utf8), { signingKey, name: 'ü "quoted"' })
    const file = concat(...sealed.pieces())
    const records = rows.flatMap((row) => random.pick([[row], [row], [row], [], [row, 'new'], ['altered']]))
    asked.push({ manifest: base64(file), records: records.map((one) => base64(utf8(one))) })
    const altered = new Uint8Array(file)
    const at = random.below(file.length)
    altered[at] = (altered[at] as number) ^ (1 << random.below(8))
    const cut = random.pick([altered, altered, file.subarray(0, at), concat(file, altered.subarray(at))])
    asked.push({ manifest: base64(cut) })
    const [number, record_of] = [1 + random.below(20), base64(sealed.message)]
    if (number > rows.length) continue
    const proof = Buffer.from(proveRecord(sealed, number)).toString()
    const character = random.pick([...'0123456789abcdef{}":,'])
    const place = 30 + random.below(proof.length - 30)
    const changed =
      random.below(2) === 0 ? proof : `${proof.slice(0, place)}${character}${proof.slice(place + 1)}`
    asked.push({ record_of, key: keyBytes(rows[number - 1] ?? ''), proof: base64(utf8(changed)) })
  }
  const verdicts = new Set(await agree(asked, [toHex(verifyingKey)]))
  for (const one of ['verified', 'MESSAGE_MALFORMED', 'SIGNATURE_INVALID', 'PROOF_INVALID'])
    expect(verdicts).toContain(one)
})
