import {
  generateKey,
  memory,
  openSdk,
  type Signer,
  signBytes,
  source,
  type VerifiedBundle,
  verifyMessages,
} from 'alvarium-sdk'
import { readPack, toInToto, toProv, toSigstoreBundle } from 'alvarium-sdk/packs'
import { sealSet } from 'alvarium-sdk/sets'
import { describe, expect, it } from 'vitest'
import { textOf, utf8 } from '../support/bytes.js'
import { caseOf } from '../support/classic.js'
import { envelopeIn, provOf, written } from '../support/exports.js'
import { evidence, packed, signer } from '../support/packs.js'
import { countedTurns } from '../support/turns.js'

const RAW = 'd7439bee24773bcbfa2d0a97947ee36227b10d1022b1a55847e928965bb6bfde'
const query = { query: 'all of it' }

/** Returns bundles of a reading, of an average made from it and a set, and of its transit at a host with an odd name. */
async function bundles() {
  const { signingKey, keyring, keyId } = signer()
  const stream = memory()
  const open = (host: string) => openSdk({ signingKey, annotators: [source()], stream, host })
  const { set } = await sealSet([utf8('a')], { signingKey })
  const sdk = await open('edge-7')
  await sdk.create(utf8('raw'))
  await sdk.mutate([utf8('raw'), { set: set.id }], utf8('average'))
  await sdk.close()
  const other = await open('ü/7 "a"')
  await other.transit(utf8('average'))
  await other.close()
  const verified = await verifyMessages(stream.messages, { keyring })
  const all = verified.flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
  return { all, signingKey, keyId, set: set.id, messages: stream.messages }
}

describe('an in-toto statement', () => {
  it("describes a bundle whose subject is the payload's digest", async () => {
    const { all, signingKey, keyId, set } = await bundles()
    const lines = (await written(toInToto(all, { signingKey }))).trimEnd().split('\n')
    const [create, mutate] = lines.map((line) => envelopeIn(line).statement)
    const [bundle] = all
    expect(create).toEqual({
      _type: 'https://in-toto.io/Statement/v1',
      subject: [{ name: '_', digest: { sha256: RAW } }],
      predicateType: 'https://example.invalid/alvarium-sdk/attestation/bundle/v1',
      predicate: {
        action: 'create',
        id: bundle?.id,
        signer: keyId,
        hash: 'sha256',
        host: 'edge-7',
        layer: 'app',
        timestamp: bundle?.timestamp,
        madeFromCount: 0,
        madeFrom: [],
        annotations: bundle?.annotations,
      },
    })
    expect(mutate.predicate.madeFrom).toEqual([
      { digest: { sha256: RAW } },
      { uri: `https://example.invalid/alvarium-sdk/set/v1/${set}` },
    ])
    expect(lines.length).toBe(3)
  })

  it('names a payload by its digest even with hash "none", and does not show the payload', async () => {
    const { signingKey, keyring } = signer()
    const sdk = await openSdk({ signingKey, annotators: [source()], stream: memory(), hash: 'none' })
    const { message } = await sdk.create(utf8('raw'))
    await sdk.close()
    const [verified] = await verifyMessages([message], { keyring })
    const all = verified?.status === 'fulfilled' ? verified.value : []
    const { statement } = envelopeIn(await written(toInToto(all, { signingKey })))
    expect(statement.subject[0].digest).toEqual({ sha256: RAW })
    expect(JSON.stringify([statement, await provOf(all)])).not.toContain('"raw"')
  })

  it('contains the number of inputs, and lists all inputs if there are at most 1,024', async () => {
    const { all, signingKey } = await bundles()
    const made = (count: number) => {
      const inputs = Array.from(
        { length: count },
        (_, at) => ({ hash: 'md5', key: `${at}`.padStart(32, '0') }) as const,
      )
      return { ...(all[1] as VerifiedBundle), id: `${count}`, inputs }
    }
    const lines = (await written(toInToto([made(1_024), made(1_025)], { signingKey }))).trimEnd().split('\n')
    const predicates = lines.map((line) => envelopeIn(line).statement.predicate)
    expect(predicates.map(({ madeFromCount, madeFrom }) => [madeFromCount, madeFrom?.length])).toEqual([
      [1_024, 1_024],
      [1_025, undefined],
    ])
  })

  it('is written once, with the same bytes, if its bundle is passed twice', async () => {
    const { all, signingKey } = await bundles()
    const once = await written(toInToto(all, { signingKey }))
    expect(await written(toInToto([...all, ...all], { signingKey }))).toBe(once)
  })

  // claim: packs-28, algorithms-8
  it('is not written if the signature of a remote signer is invalid, or the key is neither Ed25519 nor P-256', async () => {
    const { all, signingKey } = await bundles()
    const { verifyingKey } = generateKey({ algorithm: 'Ed25519' })
    const own = { verifyingKey, sign: (bytes) => signBytes(signingKey, bytes) } satisfies Signer
    await expect(written(toInToto(all, { signingKey: own }))).rejects.toMatchObject({ code: 'SIGNER_FAILED' })
    for (const algorithm of ['SM2', 'secp256k1'] as const) {
      const other = await generateKey({ algorithm })
      const refused = written(toInToto(all, { signingKey: other.signingKey }))
      await expect(refused).rejects.toMatchObject({
        code: 'KEY_INVALID',
        message: `signingKey: expected a key of Ed25519 or P-256 for DSSE verifiers, got ${algorithm}`,
      })
    }
  })
})

describe('toSigstoreBundle', () => {
  // claim: packs-43
  it("contains the in-toto statement of a bundle, whose subject has the file's name if it is known", async () => {
    const { all, signingKey } = await bundles()
    const files: { name: string; bytes: Uint8Array }[] = []
    const names = new Map([[all[1]?.key ?? '', 'average.json']])
    for await (const one of toSigstoreBundle([...all, ...all], { signingKey, names })) files.push(one)
    expect(files.map(({ name }) => name)).toEqual(all.map(({ id }) => `${id}.sigstore.json`))
    const made = files.map(({ bytes }) => JSON.parse(textOf(bytes)))
    const lines = (await written(toInToto(all, { signingKey }))).trimEnd().split('\n')
    expect(made[0].dsseEnvelope.payload).toBe(JSON.parse(lines[0] ?? '').payload)
    const subjects = made.map(
      ({ dsseEnvelope }) => envelopeIn(JSON.stringify(dsseEnvelope)).statement.subject,
    )
    expect(subjects.map(([{ name }]) => name)).toEqual(['_', 'average.json', 'average.json'])
    expect(made[0]).toMatchObject({
      mediaType: 'application/vnd.dev.sigstore.bundle.v0.3+json',
      verificationMaterial: { publicKey: { hint: expect.stringMatching(/^[\w+/]{43}=$/) }, tlogEntries: [] },
      dsseEnvelope: { signatures: [{ keyid: expect.stringMatching(/^SHA256:[\w+/]{43}$/) }] },
    })
  })

  it('refuses names that are not a Map of texts', async () => {
    const { all, signingKey } = await bundles()
    for (const names of [{}, new Map([[1, 'a']]), new Map([['A', 1]])]) {
      const refused = toSigstoreBundle(all, { signingKey, names: names as never }).next()
      await expect(refused).rejects.toMatchObject({
        code: 'CONFIG_INVALID',
        message: expect.stringContaining('toSigstoreBundle.names'),
      })
    }
  })
})

describe('toProv', () => {
  it('writes a bundle as a PROV bundle, with its payload, signer, host and inputs', async () => {
    const { all, keyId, set } = await bundles()
    const { bundle } = await provOf(all)
    expect(Object.keys(bundle)).toEqual(all.map(({ id }) => `bundle:${id}`))
    const [, mutate, transit] = all.map(({ id }) => bundle[`bundle:${id}`])
    const [average, call] = [`sha256:${all[1]?.key.toLowerCase()}`, `call:${all[1]?.id}`]
    const [answer] = Object.keys(mutate.entity).filter((name) => name.startsWith('annotation:'))
    expect(Object.keys(mutate.entity)).toEqual([`sha256:${RAW}`, `set:${set}`, average, answer])
    expect(Object.keys(mutate.agent)).toEqual([`signer:${keyId}`, 'host:edge-7'])
    expect(Object.values(mutate.used)).toEqual([
      { 'prov:activity': call, 'prov:entity': `sha256:${RAW}` },
      { 'prov:activity': call, 'prov:entity': `set:${set}` },
    ])
    expect(Object.values(mutate.wasDerivedFrom)).toMatchObject([
      { 'prov:generatedEntity': average, 'prov:usedEntity': `sha256:${RAW}` },
      { 'prov:generatedEntity': average, 'prov:usedEntity': `set:${set}` },
      { 'prov:generatedEntity': answer, 'prov:usedEntity': average },
    ])
    expect(mutate.wasAttributedTo).toEqual({
      '_:a0': { 'prov:entity': average, 'prov:agent': `signer:${keyId}` },
    })
    // A payload in transit was not generated by this call, and is attributed to no agent.
    expect(Object.values(transit.used)).toMatchObject([{ 'prov:entity': average }])
    expect(Object.values(transit.wasGeneratedBy)).toMatchObject([
      { 'prov:entity': expect.stringMatching(/^ann/) },
    ])
    expect(transit).not.toHaveProperty('wasAttributedTo')
    expect(transit.agent['host:%C3%BC%2F7%20%22a%22']).toMatchObject({ 'alvarium:host': 'ü/7 "a"' })
  })

  // claim: packs-31
  it('writes the same bytes each time, each bundle once, and an empty document without bundles', async () => {
    const { all } = await bundles()
    expect(await written(toProv([...all, ...all]))).toBe(await written(toProv(all)))
    expect((await provOf([])).bundle).toEqual({})
  })

  // claim: packs-32
  it('writes the document in pieces, and reads only as much of a long list as it needs', async () => {
    const { all } = await bundles()
    let taken = 0
    function* many() {
      for (; taken < 100_000; taken++) yield { ...(all[0] as (typeof all)[0]), id: `${taken}` }
    }
    const pieces = toProv(many())
    expect((await pieces.next()).value?.length).toBeLessThan(200_000)
    expect(taken).toBeLessThan(200)
    await pieces.return()
    expect(taken).toBeLessThan(200)
  })

  it('lists a repeated input once, and a payload as its own input if the bundle does', async () => {
    const { all } = await bundles()
    const [create, mutate] = all as [VerifiedBundle, VerifiedBundle]
    const { key, hash } = mutate
    const twice = [create, create, { key, hash }].map((one) => ({ key: one.key, hash: one.hash }))
    const { bundle } = await provOf([{ ...mutate, inputs: twice }])
    const { entity, used } = bundle[`bundle:${mutate.id}`]
    const names = [`sha256:${RAW}`, `sha256:${key.toLowerCase()}`]
    expect(Object.keys(entity).slice(0, -1)).toEqual(names)
    expect(Object.values(used)).toMatchObject(names.map((name) => ({ 'prov:entity': name })))
  })

  it('does not block the event loop while it writes a bundle with 8,192 inputs', async () => {
    const { all } = await bundles()
    const inputs = Array.from(
      { length: 8_192 },
      (_, at) => ({ hash: 'md5', key: `${at}`.padStart(32, '0') }) as const,
    )
    const turns = await countedTurns(10)
    const { bundle } = await provOf([{ ...(all[1] as VerifiedBundle), inputs }])
    turns.end()
    expect(turns.count).toBeGreaterThan(3)
    expect(Object.keys(bundle[`bundle:${all[1]?.id}`].used).length).toBe(8_192)
  })

  it('refuses a message in place of a bundle', async () => {
    const { messages } = await bundles()
    await expect(written(toProv(messages as never))).rejects.toThrow(TypeError)
  })
})

describe('readPack', () => {
  // claim: packs-25
  it('yields the bundles that verify, and its generator returns the result of verifyPack at the end', async () => {
    const { messages, trust, keyring } = await evidence()
    const altered = utf8(textOf(messages[0] as Uint8Array).replace('edge-7', 'edge-8'))
    const go = caseOf('go', 'create-hello-md5')
    const { bytes } = await packed([altered, ...messages, utf8(go.message)], { about: query, trust })
    const reading = readPack(bytes, { keyring })
    const actions: string[] = []
    let next = await reading.next()
    for (; !next.done; next = await reading.next()) actions.push(next.value.action)
    expect(actions).toEqual(['create', 'mutate', 'transit'])
    expect(next.value).toMatchObject({ outcome: 'does not hold', verdict: { bundles: 3 } })
  })

  // claim: packs-26
  it('rejects at the end of an altered pack, and cancels its source if the reader stops early', async () => {
    const { messages, trust } = await evidence()
    const { bytes } = await packed(messages, { about: query, trust })
    await expect(written(toProv(readPack(bytes.slice(0, -1))))).rejects.toMatchObject({
      code: 'MESSAGE_MALFORMED',
    })
    let isCancelled = false
    const stream = new ReadableStream({
      start: (controller) => controller.enqueue(bytes),
      cancel: () => {
        isCancelled = true
      },
    })
    for await (const { action } of readPack(stream)) {
      expect(action).toBe('create')
      break
    }
    expect(isCancelled).toBe(true)
  })
})
