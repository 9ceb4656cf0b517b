import { type AlvariumError, generateKey, keyOf, toHex } from 'alvarium-sdk'
import {
  isSet,
  type Manifest,
  openManifest,
  proveAbsent,
  proveMember,
  proveRecord,
  sealManifest,
  sealSet,
  verifyManifest,
  verifyMember,
  verifyRecord,
  verifySet,
} from 'alvarium-sdk/sets'
import { readTrust } from 'alvarium-sdk/trust'
import { describe, expect, it } from 'vitest'
import { concat, fromHex, textOf, utf8 } from '../support/bytes.js'
import { key } from '../support/sdk.js'
import { changed, manifestIdentityOf, payloadsOf, rootOver, signedManifest } from '../support/sets.js'
import { goldenManifests } from '../support/vectors.js'

const { cases, publicKey, seed, keyId } = goldenManifests()
const { signingKey, verifyingKey } = key
const keyring = [verifyingKey]

const fileOf = (manifest: Manifest) => concat(...manifest.pieces())
const seal = (records: readonly Uint8Array[], more: { salt?: Uint8Array; name?: string } = {}) =>
  sealManifest(records, { signingKey, name: 'readings.csv', ...more })
const codeOf = (file: Uint8Array | Iterable<Uint8Array>, more: object = {}) =>
  openManifest(file, { keyring, ...more }).then(
    ({ statement }) => statement.size,
    ({ code }: AlvariumError) => code,
  )

describe.each(cases)(
  'the golden manifest "$name"',
  ({ message, id, identity, file, records, proofs, saltBytes }) => {
    const salt = saltBytes === undefined ? undefined : fromHex(saltBytes)
    const trusting = { keyring: [fromHex(publicKey)], salt }

    it('has the content that Python wrote', async () => {
      const { statement, message: first } = await openManifest(fromHex(file), trusting)
      expect([statement.id, statement.size, textOf(first)]).toEqual([id, records.length, message])
      expect(toHex(manifestIdentityOf(keyId, statement))).toBe(identity)
    })

    it('is the same, byte for byte, when it is signed again', async () => {
      const { name, host, timestamp } = await verifyManifest(utf8(message), trusting)
      const options = { signingKey: fromHex(seed + publicKey), name, host, salt, at: Date.parse(timestamp) }
      const { statement } = await sealManifest(records.map(utf8), options)
      expect({ ...statement, id, timestamp }).toEqual(await verifyManifest(utf8(message), trusting))
    })

    it('has for each record a proof that verifies and equals the golden proof', async () => {
      const manifest = await openManifest(fromHex(file), trusting)
      const verified = await verifyManifest(utf8(message), trusting)
      for (const [at, proof] of proofs.entries()) {
        expect(textOf(proveRecord(manifest, at + 1))).toBe(proof)
        expect(verifyRecord(verified, utf8(proof), utf8(records[at] ?? '')).number).toBe(at + 1)
      }
    })
  },
)

describe('a manifest', () => {
  // claim: manifests-1
  it('contains the 32-byte payload key of each record in order, even of equal records', async () => {
    const records = ['b', 'a', 'b'].map(utf8)
    const manifest = await seal(records)
    const { message, statement } = manifest
    expect(statement).toMatchObject({ name: 'readings.csv', size: 3 })
    const entries = records.map((one) => fromHex(keyOf(one)))
    expect(statement.root).toBe(toHex(rootOver(entries)))
    expect(fileOf(manifest)).toEqual(concat(message, utf8('\n'), ...entries))
  })

  it('keeps the order of short payloads, long payloads and payload keys', async () => {
    const long = new Uint8Array(5000).fill(7)
    const items = [utf8('a'), long, keyOf(utf8('b')), { bytes: utf8('c') }, keyOf(utf8('d'))]
    const { statement } = await sealManifest(items, { signingKey })
    expect(statement.root).toBe((await seal([utf8('a'), long, ...['b', 'c', 'd'].map(utf8)])).statement.root)
  })

  it('is read in pieces of any length', async () => {
    const manifest = await seal(payloadsOf(100))
    const file = fileOf(manifest)
    for (const length of [1, 31, 32, 33, 400, 5000]) {
      const pieces = Array.from({ length: Math.ceil(file.length / length) }, (_, at) =>
        file.subarray(at * length, (at + 1) * length),
      )
      expect((await openManifest(pieces, { keyring })).statement).toEqual(manifest.statement)
    }
  })

  // claim: manifests-2, format-74
  it('is refused if a payload key was altered, swapped, removed or added, or if it ends within a payload key', async () => {
    const file = fileOf(await seal(payloadsOf(5)))
    const keys = file.length - 5 * 32
    const part = (from: number, to: number) => file.subarray(keys + 32 * from, keys + 32 * to)
    const head = file.subarray(0, keys)
    const altered = new Uint8Array(file)
    altered[keys + 40] = (altered[keys + 40] as number) ^ 1
    expect(await codeOf(file)).toBe(5)
    expect(await codeOf(altered)).toBe('PROOF_INVALID')
    expect(await codeOf(concat(head, part(1, 2), part(0, 1), part(2, 5)))).toBe('PROOF_INVALID')
    expect(await codeOf(concat(head, part(0, 4), part(0, 1)))).toBe('PROOF_INVALID')
    expect(await codeOf(concat(head, part(0, 4)))).toBe('MESSAGE_MALFORMED')
    expect(await codeOf(concat(head, part(0, 5), part(0, 1)))).toBe('MESSAGE_MALFORMED')
    expect(await codeOf(file.subarray(0, -1))).toBe('MESSAGE_MALFORMED')
  })

  it('is refused with the list of another manifest of the same signer', async () => {
    const [one, other] = [await seal(payloadsOf(5)), await seal(payloadsOf(6).slice(1))]
    const list = fileOf(other).subarray(other.message.length)
    expect(await codeOf(concat(one.message, list))).toBe('PROOF_INVALID')
  })

  // claim: format-75
  it('is not read beyond its message if no known signer has signed the message', async () => {
    const stranger = generateKey()
    const { message } = await sealManifest(payloadsOf(2), { signingKey: stranger.signingKey })
    const altered = changed((await seal(payloadsOf(2))).message, () => ({ size: 9 }))
    for (const [one, code] of [
      [message, 'SIGNER_UNKNOWN'],
      [altered, 'SIGNATURE_INVALID'],
      [utf8('{}'), 'MESSAGE_MALFORMED'],
    ] as const) {
      let read = 0
      const pieces = function* () {
        yield one
        yield utf8('\n')
        for (; read < 1_000; read++) yield new Uint8Array(32)
      }
      expect([await codeOf(pieces()), read]).toEqual([code, 0])
    }
  })

  it('is refused if its message or the bytes after its message never end', async () => {
    const { message } = await seal(payloadsOf(2))
    const endless = function* (begin: Uint8Array) {
      yield begin
      for (;;) yield new Uint8Array(4096).fill(0x20)
    }
    expect(await codeOf(endless(concat(message, utf8('\n'))))).toBe('MESSAGE_MALFORMED')
    expect(await codeOf(endless(utf8('{"messageType":"alvarium.Manifest/1"')))).toBe('MESSAGE_MALFORMED')
    expect(await codeOf(message)).toBe('MESSAGE_MALFORMED')
    expect(await codeOf(new Uint8Array(0))).toBe('MESSAGE_MALFORMED')
  })

  it('is refused if it has more records than the limit', async () => {
    const file = fileOf(await seal(payloadsOf(5)))
    expect(await codeOf(file, { maxRecords: 4 })).toBe('CONFIG_INVALID')
    expect(await codeOf(file, { maxRecords: 5 })).toBe(5)
  })

  it('is malformed if its size contradicts its root, even with a valid signature', async () => {
    const empty = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'
    const says = (given: Parameters<typeof signedManifest>[2]) =>
      verifyManifest(signedManifest(signingKey, verifyingKey, given), { keyring }).then(
        () => 'verified',
        ({ code }) => code,
      )
    expect(await says({})).toBe('verified')
    expect(await says({ size: 0, root: empty })).toBe('verified')
    for (const wrong of [{ size: 0 }, { root: empty }, { name: 'n'.repeat(256) }, { timestamp: 'now' }]) {
      expect(await says(wrong), JSON.stringify(wrong)).toBe('MESSAGE_MALFORMED')
    }
  })

  // claim: format-76
  it('is not accepted as a set, nor a set as a manifest, even with the same root', async () => {
    const [sorted] = [payloadsOf(3).sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))]
    const [set, manifest] = [await sealSet(sorted, { signingKey }), await seal(sorted)]
    expect(set.set.root).toBe(manifest.statement.root)
    expect([isSet(manifest.message), isSet(set.message)]).toEqual([true, true])
    await expect(verifySet(manifest.message, { keyring })).rejects.toMatchObject({
      code: 'MESSAGE_MALFORMED',
    })
    await expect(verifyManifest(set.message, { keyring })).rejects.toMatchObject({
      code: 'MESSAGE_MALFORMED',
    })
    const proof = proveRecord(manifest, 1)
    expect(() => verifyMember(manifest.statement as never, proof, sorted[0] as Uint8Array)).toThrow(TypeError)
    expect(() => verifyRecord(set.set as never, proof, sorted[0] as Uint8Array)).toThrow(TypeError)
    const signature = { signature: JSON.parse(textOf(set.message)).content.signature }
    const forged = changed(manifest.message, () => signature)
    await expect(verifyManifest(forged, { keyring })).rejects.toMatchObject({ code: 'SIGNATURE_INVALID' })
  })

  it('is permitted by a trust policy like a set of the same name', async () => {
    const policy = (sets: readonly string[]) =>
      readTrust({ signers: [{ name: 'lab', keys: [toHex(verifyingKey)], sets: [...sets] }] })
    const { message } = await seal(payloadsOf(1))
    const permitted = await verifyManifest(message, { keyring: await policy(['*.csv']) })
    expect(permitted.signedBy?.name).toBe('lab')
    await expect(verifyManifest(message, { keyring: await policy(['training-*']) })).rejects.toMatchObject({
      code: 'SIGNER_NOT_ALLOWED',
    })
  })
})

describe('a proof of a record', () => {
  const codeFor = (act: () => unknown) => {
    try {
      return act()
    } catch (error) {
      return (error as AlvariumError).code
    }
  }

  // claim: manifests-5
  it('shows the number of its record, even if other records are equal', async () => {
    const manifest = await seal(['a', 'b', 'a'].map(utf8))
    const numbers = [1, 3].map((one) => {
      return verifyRecord(manifest.statement, proveRecord(manifest, one), utf8('a')).number
    })
    expect(numbers).toEqual([1, 3])
    expect(codeFor(() => verifyRecord(manifest.statement, proveRecord(manifest, 2), utf8('a')))).toBe(
      'PROOF_INVALID',
    )
  })

  it('cannot be made for a number that no record has', async () => {
    const [manifest, empty] = [await seal(payloadsOf(3)), await seal([])]
    for (const number of [0, 4, 1.5, Number.NaN, -1]) {
      expect(codeFor(() => proveRecord(manifest, number))).toBe('PROOF_INVALID')
    }
    expect(() => proveRecord(empty, 1)).toThrow(
      'number: expected no number, because the manifest has no records, got 1',
    )
  })

  it('is refused with another position, path or record, or for another manifest', async () => {
    const [manifest, other] = [await seal(payloadsOf(7)), await seal(payloadsOf(8))]
    const [proof, record] = [proveRecord(manifest, 3), payloadsOf(3)[2] as Uint8Array]
    const verify = (one: Uint8Array, of = manifest) => codeFor(() => verifyRecord(of.statement, one, record))
    expect(verify(proof)).toEqual({ number: 3 })
    expect(verify(proof, other)).toBe('PROOF_INVALID')
    const changes = [
      { index: 3 },
      { root: '00'.repeat(32) },
      { index: 2 ** 40 },
      { path: '' },
      { says: 'absent' },
      { entries: [] },
    ]
    for (const change of changes) {
      expect(verify(changed(proof, () => change)), JSON.stringify(change)).toBe('PROOF_INVALID')
    }
    expect(verify(utf8('{}'))).toBe('MESSAGE_MALFORMED')
  })

  it('is refused if it was made for a set with the same payload keys', async () => {
    const records = payloadsOf(4)
    const { list } = await sealSet(records, { signingKey })
    const { statement } = await seal(records)
    const [member, absent] = [proveMember(list, records[1] as Uint8Array), proveAbsent(list, utf8('x'))]
    for (const one of [member, absent]) {
      expect(codeFor(() => verifyRecord(statement, one, records[1] as Uint8Array))).toBe('PROOF_INVALID')
    }
  })

  // claim: manifests-6
  it('needs the salt of its manifest, and is refused with another salt', async () => {
    const salt = new Uint8Array(32).fill(9)
    const manifest = await seal(payloadsOf(3), { salt })
    const file = fileOf(manifest)
    expect(textOf(file)).not.toContain(textOf(fromHex(keyOf(payloadsOf(1)[0] as Uint8Array))))
    const proof = proveRecord(manifest, 1)
    const verified = await verifyManifest(manifest.message, { keyring, salt })
    expect(verifyRecord(verified, proof, payloadsOf(1)[0] as Uint8Array).number).toBe(1)
    const unsalted = await verifyManifest(manifest.message, { keyring })
    expect(codeFor(() => verifyRecord(unsalted, proof, payloadsOf(1)[0] as Uint8Array))).toBe(
      'CONFIG_INVALID',
    )
    expect(await codeOf(file, { salt: new Uint8Array(32) })).toBe('CONFIG_INVALID')
    expect(await codeOf(file, { salt })).toBe(3)
  })
})
