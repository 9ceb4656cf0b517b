// @node-only: the same core reads the same bytes in every engine

import { classic, generateKey, keyOf, memory, openSdk, source, verifyMessage } from 'alvarium-sdk'
import { checkpoints } from 'alvarium-sdk/completeness'
import { bundlesName, memberProofs, verdictBytes, verifyPack } from 'alvarium-sdk/packs'
import { pool } from 'alvarium-sdk/pool'
import { readPolicy } from 'alvarium-sdk/score'
import { openKeyList, proveAbsent, proveMember, sealSet, verifySet } from 'alvarium-sdk/sets'
import { readTrust } from 'alvarium-sdk/trust'
import { describe, expect, it } from 'vitest'
import { base64, concat, fromBase64, textOf, utf8 } from '../support/bytes.js'
import { caseOf, keyringOf } from '../support/classic.js'
import { codeOf } from '../support/failure.js'
import { openLeased, openLogged } from '../support/leased.js'
import { about, evidence, logged, packed, payload, signer } from '../support/packs.js'
import { policyOf } from '../support/trust.js'
import { entriesOf, partChanged, remade } from '../support/zip.js'

const MESSAGES = 'messages/00000.ndjson'
const query = { query: 'all of edge-7' }
const lines = (text: string) => text.split('\n').slice(0, -1)

describe('a pack about a payload', () => {
  // claim: packs-10
  it('is verified by its own policy with `itself: true`, and then matches its stored verdict', async () => {
    const { messages, trust, keyring } = await evidence()
    const { bytes, verdict } = await packed(messages, { about, trust })
    const found = await verifyPack(bytes)
    expect(found).toMatchObject({
      outcome: 'cannot tell',
      matchesStoredVerdict: true,
      trustedBy: 'pack',
      verdict,
    })
    expect(found.needs).toContain('keyring')
    expect((await verifyPack(bytes, { itself: true })).outcome).toBe('holds')
    const both = { itself: true, keyring }
    expect(await codeOf(() => verifyPack(bytes, both))).toBe('CONFIG_INVALID')
    expect(verdict).toMatchObject({
      bundles: 3,
      payloads: 2,
      score: 1,
      whole: { word: 'not shown', missing: 0 },
    })
    expect(found.says).toBe(
      `About the payload ${about.payload.key.slice(0, 24)}…; consistent with itself, and no more: 3 of 3 messages good by the policy in the pack, score 100 % by the pack's own policy; completeness is not proven.`,
    )
  })

  it("is verified by the reader's own policy, whatever policy the pack contains", async () => {
    const { messages, trust, keyring } = await evidence()
    const { bytes } = await packed(messages, { about, trust })
    const own = await verifyPack(bytes, { keyring })
    expect(own).toMatchObject({ outcome: 'holds', trustedBy: 'reader' })
    expect(own.says).toContain('3 of 3 messages verified by your own policy')
    const other = await verifyPack(bytes, { keyring: [generateKey().verifyingKey] })
    expect(other).toMatchObject({
      outcome: 'cannot tell',
      matchesStoredVerdict: false,
      verdict: { score: 0, bundles: 0 },
    })
    expect(other.faults.map(({ part, line, error }) => [part, line, error.code])).toEqual(
      [1, 2, 3].map((line) => [MESSAGES, line, 'SIGNER_UNKNOWN']),
    )
  })

  it('is refused if a trust policy does not permit its messages', async () => {
    const { messages, trust } = await evidence()
    const { bytes } = await packed(messages, { about, trust })
    const [only] = trust.signers
    const keyring = await readTrust({
      signers: [{ ...only, name: 'x', keys: only?.keys ?? [], actions: ['create'] }],
    })
    const { verdict, outcome } = await verifyPack(bytes, { keyring })
    expect([outcome, verdict.lines.messages]).toEqual([
      'does not hold',
      { verified: 1, refused: 2, unknownSigner: 0 },
    ])
    await keyring.close()
  })

  // claim: packs-11
  it('is scored by the score policy in the pack unless the reader has a score policy', async () => {
    const { messages, trust } = await evidence()
    const { bytes } = await packed(messages, { about, trust, score: { version: 1, required: ['tls'] } })
    expect((await verifyPack(bytes, { itself: true })).verdict.score).toBe(0)
    const own = await verifyPack(bytes, { itself: true, score: '{"version":1}' })
    expect(own).toMatchObject({
      outcome: 'holds',
      matchesStoredVerdict: false,
      scoredBy: 'reader',
      verdict: { score: 1 },
    })
  })

  it('has a score in ten-thousandths, rounded down with exact arithmetic', async () => {
    const { signingKey, trust } = signer()
    const stream = memory()
    const kinds = ['a', 'b', 'c'].map((kind) => ({ kind, isSatisfied: () => kind !== 'c' }))
    const sdk = await openSdk({ signingKey, annotators: kinds, stream })
    await sdk.create(payload)
    await sdk.close()
    const scoreBy = async (weights: Record<string, number>) =>
      (await packed(stream.messages, { about, trust, score: { version: 1, weights } })).verdict.score
    expect(await scoreBy({})).toBe(0.6666)
    expect(await scoreBy({ a: 1, b: 2, c: 3 })).toBe(0.5)
    expect(await scoreBy({ a: 1_000_000, b: 1_000_000, c: 1 })).toBe(0.9999)
  })

  // claim: packs-13
  it("has a score that includes its payload's inputs, and is unknown if an input is a set", async () => {
    const { signingKey, trust } = signer()
    const stream = memory()
    let isSatisfied = false
    const bad = { kind: 'bad', isSatisfied: () => isSatisfied }
    const sdk = await openSdk({ signingKey, annotators: [bad], stream })
    await sdk.create(utf8('raw'))
    isSatisfied = true
    await sdk.mutate([utf8('raw'), utf8('raw')], payload)
    const { bytes, verdict } = await packed(stream.messages, { about, trust })
    expect(verdict.score).toBe(0)
    const own = await verifyPack(bytes, { itself: true, score: { version: 1, ancestors: 'own' } })
    expect(own).toMatchObject({ outcome: 'holds', verdict: { score: 1 }, lowest: [about.payload] })
    const made = utf8('of a set')
    await sdk.mutate([{ set: '9f'.repeat(32) }], made)
    await sdk.close()
    const ofSet = { payload: { hash: 'sha256', key: keyOf(made) } } as const
    const unknown = await packed(stream.messages.slice(-1), { about: ofSet, trust })
    expect(unknown.verdict.score).toBe('unknown')
    expect((await verifyPack(unknown.bytes, { itself: true })).says).toContain('score unknown')
  })

  it('is scored with the members of a set, if proofs show all members', async () => {
    const { signingKey, trust, keyring } = signer()
    const stream = memory()
    const images = Array.from({ length: 1_500 }, (_, at) => utf8(`image ${at}`))
    let isSatisfied = false
    const bad = { kind: 'bad', isSatisfied: () => isSatisfied }
    const sdk = await openSdk({ signingKey, annotators: [bad], stream })
    await sdk.create(images[7] as Uint8Array)
    isSatisfied = true
    await sdk.createMany(images.toSpliced(7, 1))
    const { message, set, list } = await sealSet(images, { signingKey, name: 'training-7' })
    await sdk.mutate([{ set: set.id }], payload)
    await sdk.close()
    const verified = await verifySet(message, { keyring })
    const proofs = [...memberProofs(verified, list)]
    expect(proofs.length).toBe(1_500)
    const scoreWith = async (shown: typeof proofs, score: object = {}) => {
      const options = {
        about,
        trust,
        sets: [message],
        proofs: shown,
        score: { version: 1, ...score },
      } as const
      const { bytes, verdict } = await packed(stream.messages, options)
      expect(await verifyPack(bytes, { itself: true })).toMatchObject({ outcome: 'holds', verdict })
      return verdict.score
    }
    expect(await scoreWith(proofs)).toBe(0)
    expect(await scoreWith(proofs, { trust: [{ kind: 'bad', trust: 0.9999 }], ancestors: 'product' })).toBe(0)
    expect(await scoreWith(proofs.slice(1))).toBe('unknown')
    expect(await scoreWith([])).toBe('unknown')
    expect(await scoreWith(proofs, { ancestors: 'own' })).toBe(1)
  })

  it('may contain messages under a lease, together with the lease', async () => {
    const stream = memory()
    const { sdk, leases } = await openLeased({}, { stream })
    await sdk.create(payload)
    await sdk.close()
    const trust = policyOf()
    const { bytes, verdict } = await packed(stream.messages, { about, trust, leases })
    expect(verdict).toMatchObject({
      score: 1,
      lines: { leases: { verified: 1 }, messages: { verified: 1 } },
    })
    expect(await verifyPack(bytes, { itself: true })).toMatchObject({ outcome: 'holds', verdict })
    const without = await packed(stream.messages, { about, trust })
    expect(without.verdict.lines.messages).toEqual({ verified: 0, refused: 0, unknownSigner: 1 })
  })

  // claim: packs-20, packs-21
  it('has its messages refused after their leases have ended, unless checkpoints contain the messages', async () => {
    const { sdk, leases, messages, notes } = await openLogged()
    await sdk.create(payload)
    await sdk.close()
    const trust = policyOf()
    const late = { receivedAt: Date.now() + 365 * 24 * 3_600_000 }
    const { bytes } = await packed(messages, { about, trust, leases, checkpoints: notes })
    expect((await verifyPack(bytes, late)).verdict.lines.messages.verified).toBe(1)
    const without = await packed(messages, { about, trust, leases })
    expect((await verifyPack(without.bytes, { itself: true })).outcome).toBe('holds')
    const { faults } = await verifyPack(without.bytes, late)
    expect(faults.map(({ error }) => error.code)).toEqual(['SIGNER_EXPIRED'])
  })

  it('may contain classic messages, and counts their payloads, but does not count them as bundles', async () => {
    const { message } = caseOf('go', 'create-hello-md5')
    const trust = { signers: [{ name: 'go', keys: keyringOf('go').map(textOf) }] }
    const { bytes, verdict } = await packed([utf8(message)], { about: query, trust })
    expect(verdict).toMatchObject({ bundles: 0, payloads: 1, lines: { messages: { verified: 1 } } })
    const found = await verifyPack(bytes, { itself: true })
    expect(found).toMatchObject({ outcome: 'holds', verdict })
    expect([...found.fabric.payloads()]).toEqual(found.lowest)
  })

  it('counts a classic message as refused if one annotation of the message is altered', async () => {
    const who = signer()
    const stream = memory()
    const annotators = [source(), { kind: 'tpm', isSatisfied: () => true }]
    const codec = classic({ signingKey: who.signingKey })
    const sdk = await openSdk({ signingKey: who.signingKey, annotators, stream, codec })
    await sdk.create(payload)
    await sdk.close()
    const message = JSON.parse(textOf(stream.messages[0] as Uint8Array))
    const list = textOf(fromBase64(message.content)).replace('"isSatisfied":true', '"isSatisfied":false')
    const altered = utf8(JSON.stringify({ ...message, content: base64(utf8(list)) }))
    for (const [one, outcome, lines] of [
      [stream.messages[0], 'holds', { verified: 1, refused: 0, unknownSigner: 0 }],
      [altered, 'does not hold', { verified: 0, refused: 1, unknownSigner: 0 }],
    ] as const) {
      const { bytes } = await packed([one as Uint8Array], { about, trust: who.trust })
      const found = await verifyPack(bytes, { keyring: who.keyring })
      expect([found.outcome, found.verdict.lines.messages]).toEqual([outcome, lines])
    }
  })

  it('contains a message of several lines as one line with the same content', async () => {
    const { messages, trust } = await evidence()
    const [first = '', ...others] = messages.map(textOf)
    const pretty = JSON.stringify(JSON.parse(first), null, 2).replaceAll('\n', '\r\n')
    const { bytes, verdict } = await packed([pretty, ...others].map(utf8), { about, trust })
    expect(verdict.lines.messages).toEqual({ verified: 3, refused: 0, unknownSigner: 0 })
    expect((await verifyPack(bytes, { itself: true })).outcome).toBe('holds')
  })

  it('has the outcome "cannot tell" if it is empty', async () => {
    const { bytes } = await packed([], { about: query, trust: signer().trust })
    expect(await verifyPack(bytes, { itself: true })).toMatchObject({
      outcome: 'cannot tell',
      matchesStoredVerdict: true,
      faults: [],
    })
  })

  it('contains and counts messages that do not verify', async () => {
    const { messages, trust } = await evidence()
    const altered = utf8(textOf(messages[0] as Uint8Array).replace('edge-7', 'edge-8'))
    const { bytes, verdict } = await packed([altered, ...messages, utf8('{}')], { about, trust })
    expect(verdict.lines.messages).toEqual({ verified: 3, refused: 2, unknownSigner: 0 })
    expect(await verifyPack(bytes, { itself: true })).toMatchObject({
      outcome: 'does not hold',
      matchesStoredVerdict: true,
    })
  })

  // claim: packs-3
  it('has the same verdict if it is verified in a pool of workers', async () => {
    const { messages, trust } = await evidence()
    const { bytes } = await packed(messages, { about, trust })
    const workers = await pool({ workers: 2 })
    const { verdict } = await verifyPack(bytes, { pool: workers })
    expect(verdictBytes(verdict)).toEqual(verdictBytes((await verifyPack(bytes, { itself: true })).verdict))
    await workers.close()
  })

  // claim: packs-18
  it('is "whole by seal" if a trusted signer has signed a set of the ids of its bundles', async () => {
    const { messages, trust: given, keyring, signingKey } = await evidence()
    const trust = { signers: given.signers.map((one) => ({ ...one, confirms: true })) }
    const bundles = await Promise.all(messages.map((message) => verifyMessage(message, { keyring })))
    const ids = bundles.filter(({ key }) => key === keyOf(payload)).map(({ id }) => id.toUpperCase())
    const { message } = await sealSet(ids, { signingKey, name: bundlesName(about.payload) })
    const whole = await packed(messages, { about, trust, sets: [message] })
    expect(whole.verdict.whole).toMatchObject({ word: 'whole by seal', missing: 0 })
    expect((await verifyPack(whole.bytes, { keyring: await readTrust(trust) })).says).toContain(
      'whole by seal: a set that gateway-1 has signed lists exactly these bundles',
    )
    expect((await verifyPack(whole.bytes)).says, 'a name that its author gave is a quotation').toContain(
      'a set that "gateway-1" has signed',
    )
    const { verdict, bytes } = await packed(messages.slice(0, 2), { about, trust, sets: [message] })
    expect(verdict.whole).toMatchObject({ word: 'not shown', missing: 1 })
    expect(await verifyPack(bytes, { itself: true })).toMatchObject({
      outcome: 'does not hold',
      matchesStoredVerdict: true,
    })
    const strangers = signer('somebody')
    const theirs = await sealSet(ids, { signingKey: strangers.signingKey, name: bundlesName(about.payload) })
    const unknown = await packed(messages, { about, trust, sets: [theirs.message] })
    expect(unknown.verdict).toMatchObject({
      whole: { word: 'not shown' },
      lines: { sets: { unknownSigner: 1 } },
    })
  })
})

describe('a pack about a span of a log', () => {
  // claim: packs-17
  it('is "whole by log" if checkpoints show that no message of the span is missing', async () => {
    const { messages, notes, trust, keyId, keyring } = await logged(10)
    const run = /1\/\w{32}\/(\w{32})/.exec(textOf(notes[0] as Uint8Array))?.[1] as string
    const range = (from: number, until: number) => ({ log: { signer: keyId, run, from, until } })
    const all = await packed(messages, { about: range(0, 10), trust, checkpoints: notes })
    expect(all.verdict).toMatchObject({
      whole: { word: 'whole by log', missing: 0 },
      logs: [{ verdict: 'complete' }],
    })
    expect((await verifyPack(all.bytes, { keyring })).says).toContain(
      '; whole by log: checkpoints of the key',
    )
    const some = messages.toSpliced(3, 2)
    const without = await packed(some, { about: range(0, 10), trust, checkpoints: notes })
    expect(without.verdict.whole).toMatchObject({ word: 'not shown', missing: 2 })
    expect((await verifyPack(without.bytes, { itself: true })).says).toContain('2 are missing')
    const elsewhere = await packed(some, { about: range(5, 10), trust, checkpoints: notes })
    expect(elsewhere.verdict.whole).toMatchObject({ word: 'whole by log', missing: 0 })
    const further = await packed(messages, { about: range(0, 11), trust, checkpoints: notes })
    expect(further.verdict.whole).toMatchObject({ word: 'not shown', missing: 0 })
    const untold = await packed(messages, { about: range(0, 10), trust })
    expect(untold.verdict.whole).toMatchObject({ word: 'not shown', missing: 0 })
  })

  it('is "whole by log" even if messages of another run of the same signer are missing', async () => {
    const who = signer()
    const messages: Uint8Array[] = []
    const notes: Uint8Array[] = []
    for (const left of [-1, 1]) {
      const [stream, beside] = [memory(), memory()]
      const own = checkpoints({ stream: beside, everyMs: 3_600_000 })
      const { signingKey } = who
      const sdk = await openSdk({ signingKey, annotators: [source()], stream, checkpoints: own })
      for (let at = 0; at < 3; at++) await sdk.create(utf8(`payload ${at}`))
      await sdk.close()
      messages.push(...stream.messages.filter((_, at) => at !== left))
      notes.push(...beside.messages)
    }
    const runs = new Set(notes.map((note) => /1\/\w{32}\/(\w{32})/.exec(textOf(note))?.[1] as string))
    const found: unknown[] = []
    for (const run of runs) {
      const range = { log: { signer: who.keyId, run, from: 0, until: 3 } }
      found.push(
        (await packed(messages, { about: range, trust: who.trust, checkpoints: notes })).verdict.whole,
      )
    }
    expect(found).toMatchObject([
      { word: 'whole by log', missing: 0 },
      { word: 'not shown', missing: 1 },
    ])
  })
})

describe('a pack about a set', () => {
  // claim: packs-19
  it('proves which payloads are in the set', async () => {
    const { messages, trust, signingKey } = await evidence()
    const keys = [keyOf(utf8('raw')), keyOf(payload)]
    const { message, set, list } = await sealSet(keys, { signingKey, name: 'training-7' })
    const proofs = keys.map((key) => ({ set: set.id, key, proof: proveMember(list, key) }))
    const other = keyOf(utf8('another'))
    const absent = { set: set.id, key: other, proof: proveAbsent(list, other) }
    const options = { about: { set: set.id }, trust, sets: [message] }
    const whole = await packed(messages, { ...options, proofs: [...proofs, absent] })
    expect(whole.verdict).toMatchObject({
      whole: { word: 'whole by proofs', missing: 0 },
      lines: { proofs: { verified: 3 } },
    })
    const part = await packed(messages, { ...options, proofs: proofs.slice(1) })
    expect(part.verdict.whole).toMatchObject({ word: 'not shown', missing: 1 })
    const wrong = await packed(messages, { ...options, proofs: [{ ...absent, key: keys[0] as string }] })
    expect(wrong.verdict.lines.proofs).toEqual({ verified: 0, refused: 1, unknownSigner: 0 })
    const long = utf8(textOf(absent.proof).replace('{', `{${' '.repeat(16_384)}`))
    const { bytes } = await packed(messages, { ...options, proofs: [{ ...absent, proof: long }] })
    expect((await verifyPack(bytes, { itself: true })).faults.map(({ error }) => error.message)).toEqual([
      expect.stringMatching(/^proof: expected a line of at most 16384 bytes, got 1\d{4}$/),
    ])
  })

  // claim: format-58
  it.each([
    ['with members out of order', /^\{("set":"\w+"),("key":"\w+")/, '{$2,$1'],
    ['with white space', '{', '{ '],
    ['with white space in the proof', '"content":{', '"content": {'],
    ['with an escape', 'member', '\\u006dember'],
    ['with a number in non-canonical form', /"index":(\d)/, '"index":$1.0'],
  ])('has its proof refused if the proof is spelt %s', async (_, from, to) => {
    const { messages, trust, signingKey } = await evidence()
    const { message, set, list } = await sealSet([payload], { signingKey })
    const proofs = [{ set: set.id, key: keyOf(payload), proof: proveMember(list, payload) }]
    const { bytes } = await packed(messages, { about: { set: set.id }, trust, sets: [message], proofs })
    const other = remade(
      bytes,
      partChanged('proofs/00000.ndjson', (line) => line.replace(from, to)),
    )
    expect((await verifyPack(other, { itself: true })).verdict.lines.proofs).toEqual({
      verified: 0,
      refused: 1,
      unknownSigner: 0,
    })
  })

  it('lists a payload as missing if the only bundle is about the text of its key', async () => {
    const { signingKey, trust } = signer()
    const { message, set, list } = await sealSet([payload], { signingKey })
    const key = keyOf(payload)
    const stream = memory()
    const sdk = await openSdk({ signingKey, annotators: [source()], stream, hash: 'none' })
    await sdk.create(utf8(key))
    await sdk.close()
    const proofs = [{ set: set.id, key, proof: proveMember(list, key) }]
    const options = { about: { set: set.id }, trust, sets: [message], proofs }
    const { verdict } = await packed(stream.messages, options)
    expect(verdict).toMatchObject({ bundles: 1, whole: { word: 'not shown', missing: 1 } })
  })
})

describe('proofs for all payloads of a set', () => {
  it('cannot be made from the list of another set, or if the set has a salt', async () => {
    const { signingKey, keyring } = signer()
    const [set, salt] = [await sealSet([payload], { signingKey }), new Uint8Array(32)]
    const other = await sealSet([utf8('another')], { signingKey })
    const salted = await sealSet([payload], { signingKey, salt })
    const verified = await verifySet(set.message, { keyring })
    expect([...memberProofs(verified, set.list)]).toEqual([
      { set: verified.id, key: about.payload.key, proof: proveMember(set.list, payload) },
    ])
    expect(() => memberProofs(verified, other.list)).toThrow('list: expected the key with the root')
    const unread = await openKeyList(concat(...salted.list.pieces()))
    const secret = await verifySet(salted.message, { keyring })
    expect(() => memberProofs(secret, unread)).toThrow(
      'set: expected a set without a salt, got a set with a salt',
    )
  })
})

describe('an altered pack with a matching manifest', () => {
  // claim: threats-5, packs-15
  it('has the outcome "does not hold", because its verdict differs from its stored verdict', async () => {
    const { messages, trust, keyring } = await evidence()
    const { bytes } = await packed(messages, { about, trust })
    const changed = (part: string, change: (text: string) => string) =>
      verifyPack(remade(bytes, partChanged(part, change)), { keyring })
    const host = await changed(MESSAGES, (text) => text.replace('edge-7', 'edge-8'))
    expect(host).toMatchObject({
      outcome: 'does not hold',
      matchesStoredVerdict: false,
      verdict: { lines: { messages: { refused: 1 } } },
    })
    const left = await changed(MESSAGES, (text) => text.slice(text.indexOf('\n') + 1))
    expect(left).toMatchObject({ outcome: 'does not hold', matchesStoredVerdict: false })
    const better = await changed('verdict.json', (text) => text.replace('"refused":0', '"refused":1'))
    expect(better).toMatchObject({ outcome: 'does not hold', matchesStoredVerdict: false })
  })

  // claim: packs-16
  it('has the same verdict if only the order of its messages was changed', async () => {
    const { messages, trust } = await evidence()
    const { bytes, verdict } = await packed(messages, { about, trust })
    const other = remade(
      bytes,
      partChanged(MESSAGES, (text) => `${lines(text).toReversed().join('\n')}\n`),
    )
    expect(await verifyPack(other, { itself: true })).toMatchObject({ outcome: 'holds', verdict })
  })
})

describe('makePack', () => {
  // claim: packs-22
  it('divides many messages into parts of about a mebibyte', async () => {
    const { messages, trust } = await evidence()
    const many = Array.from({ length: 4000 }, (_, at) => messages[at % 3] as Uint8Array)
    const { bytes, verdict } = await packed(many, { about: query, trust })
    const parts = entriesOf(bytes).filter(({ name }) => name.startsWith('messages'))
    expect(parts.map(({ name }) => name)).toEqual([
      'messages/00000.ndjson',
      'messages/00001.ndjson',
      'messages/00002.ndjson',
    ])
    expect(parts[0]?.content.length).toBeGreaterThanOrEqual(1_048_576)
    expect(verdict).toMatchObject({ bundles: 3, lines: { messages: { verified: 4000 } } })
    expect((await verifyPack(bytes, { itself: true })).outcome).toBe('holds')
  })

  // claim: packs-41
  it('refuses a policy with more public keys than verifyPack accepts', async () => {
    const { messages } = await evidence()
    const trust = { signers: [{ name: 'x', keys: Array.from({ length: 4_097 }, () => '?') }] }
    await expect(packed(messages, { about, trust })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringMatching(/^trust: expected at most 4096 public keys, got 4097$/),
    })
  })

  // claim: packs-12
  it('refuses invalid options, and messages that cannot be in a pack', async () => {
    const { messages, trust } = await evidence()
    const code = (options: object, given = messages) =>
      packed(given, { about, trust, ...options } as never).then(
        () => 'made',
        ({ code, name, message }) => `${code ?? name} ${message}`,
      )
    expect(await code({ about: {} })).toContain('CONFIG_INVALID about')
    for (const payload of [
      { hash: 'sha256', key: 'ab' },
      { hash: 'none', key: 'a'.repeat(65_537) },
      { hash: 'none', key: '€'.repeat(21_846) },
    ])
      expect(await code({ about: { payload } })).toContain('CONFIG_INVALID about')
    expect(await code({ abuot: {} })).toContain('CONFIG_INVALID makePack.abuot')
    expect(await code({ trust: { signers: [{ name: 'x', keys: ['?'] }] } })).toContain('CONFIG_INVALID')
    expect(await code({ score: { version: 1, layers: 'stack' } })).toContain('CONFIG_INVALID score.layers')
    expect(await code({ score: { weights: {} } })).toContain('CONFIG_INVALID version')
    const kinds = Array.from({ length: 256 }, (_, at) => `${at}`.padStart(1_000, 'x'))
    const many = Array.from({ length: 10 }, (_, at) => ({ ...signer(`${at}`).trust.signers[0], kinds }))
    expect(await code({ trust: { signers: many } })).toContain(
      'CONFIG_INVALID trust.json: expected at most 2097152 bytes, got ',
    )
    expect(await code({}, [new Uint8Array(0)])).toContain('CONFIG_INVALID messages')
    expect(await code({}, ['{}' as never])).toContain('TypeError')
  })
})

describe('verifyPack', () => {
  // claim: packs-5
  it('refuses a pack with more bytes than maxBytes', async () => {
    const { messages, trust } = await evidence()
    const { bytes } = await packed(messages, { about, trust })
    expect((await verifyPack(bytes, { itself: true, maxBytes: bytes.length })).outcome).toBe('holds')
    await expect(verifyPack(bytes, { maxBytes: bytes.length - 1 })).rejects.toMatchObject({
      code: 'MESSAGE_MALFORMED',
      message: `pack: expected at most ${bytes.length - 1} bytes, got more`,
    })
  })

  it('refuses invalid arguments', async () => {
    await expect(verifyPack('evidence.zip' as never)).rejects.toThrow(TypeError)
    const { messages, trust } = await evidence()
    const { bytes } = await packed(messages, { about, trust })
    await expect(verifyPack(bytes, { trust } as never)).rejects.toMatchObject({ code: 'CONFIG_INVALID' })
    await expect(verifyPack(bytes, { keyring: ['?'] })).rejects.toMatchObject({ code: 'KEY_INVALID' })
  })

  it('refuses a pack with an unreadable policy, unless the reader has a policy', async () => {
    const { messages, trust, keyring } = await evidence()
    const { bytes } = await packed(messages, { about, trust })
    const broken = (part: string, text: string) =>
      remade(
        bytes,
        partChanged(part, () => text),
      )
    for (const [part, text] of [
      ['score.json', '{"version":1,"weights":{"tls":-1}}'],
      ['score.json', '{"version":1,"required":[],"required":["tls"]}'],
      ['score.json', '{"version":1}'],
      ['score.json', readPolicy({ version: 1, layers: 'stack' }).json],
      ['score.json', ` ${readPolicy({ version: 1 }).json}`],
      ['trust.json', '{"signers":[{"name":"x","keys":["?"]}]}'],
      ['trust.json', '[]'],
    ] as const) {
      await expect(verifyPack(broken(part, text)), text).rejects.toMatchObject({
        code: 'MESSAGE_MALFORMED',
        message: expect.stringContaining(part),
      })
    }
    expect((await verifyPack(broken('trust.json', '[]'), { keyring })).outcome).toBe('holds')
  })

  // claim: packs-4
  it('ends when its signal aborts, and reports its progress', async () => {
    const { messages, trust } = await evidence()
    const { bytes } = await packed(messages, { about, trust })
    const told: number[] = []
    await verifyPack(bytes, { onProgress: ({ bytes: read }) => told.push(read) })
    expect(told.at(-1)).toBe(bytes.length)
    const aborting = AbortSignal.abort(new Error('enough'))
    await expect(verifyPack(bytes, { signal: aborting })).rejects.toThrow('enough')
  })
})
