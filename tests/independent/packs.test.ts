// @slow: it runs other verifiers; vectors.test.ts shows that format and verifier agree

import { readFile } from 'node:fs/promises'
import { keyIdOf, keyOf, memory, openSdk, toHex } from 'alvarium-sdk'
import { type MakePackOptions, verdictBytes, verifyPack } from 'alvarium-sdk/packs'
import { proveAbsent, proveMember, sealSet } from 'alvarium-sdk/sets'
import { readTrust } from 'alvarium-sdk/trust'
import { expect, it } from 'vitest'
import { Random } from '../attack/random.mjs'
import { base64, fromHex, textOf, utf8 } from '../support/bytes.js'
import { about, evidence, logged, packed, payload, signer } from '../support/packs.js'
import { golden } from '../support/vectors.js'
import { partChanged, remade } from '../support/zip.js'
import { verdictsOf } from './python.js'

const PACK = new URL('../vectors/pack-1.zip', import.meta.url)

/** Returns public keys as a policy, in which key ids replace the missing names of signers. */
function policyOf(keys: readonly string[], confirming: readonly string[]) {
  const signers = keys.map((key) => ({ name: keyIdOf(fromHex(key)), keys: [key] }))
  return readTrust({ signers: signers.map((one) => ({ ...one, confirms: confirming.includes(one.name) })) })
}

async function ours(pack: Uint8Array, keys: readonly string[], confirming: readonly string[] = []) {
  try {
    const keyring = confirming.length > 0 ? await policyOf(keys, confirming) : keys.map(fromHex)
    const { verdict, matchesStoredVerdict } = await verifyPack(pack, { keyring })
    return { pack: { verdict: textOf(verdictBytes(verdict)), matchesStoredVerdict } }
  } catch (error) {
    return { code: (error as { code: string }).code }
  }
}

/** Returns the verdicts on packs, after checking that both verifiers agree byte for byte. */
async function agree(
  packs: readonly Uint8Array[],
  keys: readonly string[],
  confirming: readonly string[] = [],
) {
  const python = await verdictsOf(
    packs.map((pack) => ({ pack: base64(pack), confirming })),
    keys,
  )
  const own = await Promise.all(packs.map((pack) => ours(pack, keys, confirming)))
  expect(own).toEqual(python)
  return own.map((one) => ('code' in one ? one.code : JSON.parse(one.pack.verdict)))
}

// claim: packs-24
it('the golden pack, made in Python, has the recorded verdict in Python and TypeScript', async () => {
  const pack = new Uint8Array(await readFile(PACK))
  const { publicKey, keyId } = golden()
  expect(await ours(pack, [publicKey], [keyId])).toMatchObject({ pack: { matchesStoredVerdict: true } })
  const { outcome } = await verifyPack(pack)
  expect(outcome, 'by its own trust policy').toBe('cannot tell')
  const sealed = { word: 'whole by seal', by: keyId, missing: 0 }
  expect(await agree([pack], [publicKey], [keyId])).toMatchObject([{ whole: sealed }])
  expect(await agree([pack], [publicKey])).toMatchObject([{ whole: { word: 'not shown', missing: 0 } }])
  expect(await agree([pack], [])).toMatchObject([{ lines: { messages: { unknownSigner: 6 } } }])
})

it('packs of payloads, sets and logs, complete or not, have the same verdict in Python and TypeScript', async () => {
  const { messages, trust, verifyingKey, signingKey } = await evidence()
  const keys = [keyOf(utf8('raw')), keyOf(payload)]
  const { message, set, list } = await sealSet(keys, { signingKey, name: 'training-7' })
  const other = keyOf(utf8('another'))
  const proofs = [
    ...keys.map((key) => [key, proveMember(list, key)] as const),
    [other, proveAbsent(list, other)] as const,
  ]
  const proved = proofs.map(([key, proof]) => ({ set: set.id, key, proof }))
  const altered = utf8(textOf(messages[0] as Uint8Array).replace('edge-7', 'ü'))
  const made: [Uint8Array[], Omit<MakePackOptions, 'trust'>][] = [
    [messages, { about, score: { version: 1, weights: { src: 3, tls: 7 }, required: ['src'] } }],
    [messages, { about, score: { version: 1, required: ['tls'], repeats: 'each' } }],
    [
      messages,
      { about, score: { version: 1, ancestors: 'product', trust: [{ host: 'edge-7', trust: 0.7 }] } },
    ],
    [messages, { about, score: { version: 1, ancestors: 'own', trust: [{ layer: 'app', trust: 0.7 }] } }],
    [messages.slice(1), { about }],
    [messages.slice(1), { about: { set: set.id }, sets: [message], proofs: proved }],
    [messages, { about: { set: set.id }, sets: [message], proofs: proved }],
    [messages, { about: { set: set.id }, sets: [message], proofs: proved.slice(1) }],
    [[altered, ...messages, ...messages], { about: { query: 'ü "quoted" \u2028' } }],
    [[], { about: { query: 'nothing' } }],
  ]
  const packs = await Promise.all(made.map(([some, options]) => packed(some, { ...options, trust })))
  const told = await agree(
    packs.map(({ bytes }) => bytes),
    [toHex(verifyingKey)],
  )
  expect(told.slice(2, 5).map(({ score }) => score)).toEqual([0.49, 0.7, 0])
  expect(told.map(({ whole }) => whole.word)).toEqual([
    'not shown',
    'not shown',
    'not shown',
    'not shown',
    'not shown',
    'not shown',
    'whole by proofs',
    'not shown',
    'not shown',
    'not shown',
  ])
})

it('packs of logs from which any part is missing have the same verdict in Python and TypeScript', async () => {
  const { messages, notes, trust, keyId, verifyingKey } = await logged(10)
  const run = /1\/\w{32}\/(\w{32})/.exec(textOf(notes[0] as Uint8Array))?.[1] as string
  const random = new Random(7)
  const packs = await Promise.all(
    Array.from({ length: 20 }, async () => {
      const from = random.below(9)
      const range = { signer: keyId, run, from, until: from + 1 + random.below(10 - from) }
      const some = messages.filter(() => random.below(5) > 0)
      return (await packed(some, { about: { log: range }, trust, checkpoints: notes })).bytes
    }),
  )
  const told = await agree(packs, [toHex(verifyingKey)])
  expect(new Set(told.map(({ whole }) => whole.word))).toEqual(new Set(['whole by log', 'not shown']))
})

it('Python and TypeScript refuse the same altered packs, and report the same altered lines', async () => {
  const { messages, trust, verifyingKey } = await evidence()
  const { bytes } = await packed(messages, { about, trust })
  const random = new Random(9)
  const bits = Array.from({ length: 150 }, () => {
    const changed = bytes.slice()
    const at = random.below(bytes.length)
    changed[at] = (changed[at] as number) ^ (1 << random.below(8))
    return changed
  })
  const told = await agree([...bits, bytes.slice(0, -1), new Uint8Array(0)], [toHex(verifyingKey)])
  expect(new Set(told)).toEqual(new Set(['MESSAGE_MALFORMED', 'PACK_UNREADABLE']))
  const lines = Array.from({ length: 60 }, () =>
    remade(
      bytes,
      partChanged('messages/00000.ndjson', (text) => {
        const at = random.below(text.length - 1)
        return `${text.slice(0, at)}${random.pick(['a', '0', '"', '{', ' '])}${text.slice(at + 1)}`
      }),
    ),
  )
  expect((await agree(lines, [toHex(verifyingKey)])).length).toBe(60)
})

it('Python and TypeScript refuse a proof that is not canonical JSON', async () => {
  const { messages, trust, verifyingKey, signingKey } = await evidence()
  const { message, set, list } = await sealSet([payload], { signingKey })
  const proofs = [{ set: set.id, key: keyOf(payload), proof: proveMember(list, payload) }]
  const { bytes } = await packed(messages, { about: { set: set.id }, trust, sets: [message], proofs })
  const others = [
    [/^\{("set":"\w+"),("key":"\w+")/, '{$2,$1'],
    ['"content":{', '"content": {'],
    [/"index":(\d)/, '"index":$1.0'],
  ] as const
  const packs = others.map(([from, to]) =>
    remade(
      bytes,
      partChanged('proofs/00000.ndjson', (line) => line.replace(from, to)),
    ),
  )
  const told = await agree([bytes, ...packs], [toHex(verifyingKey)])
  expect(told.map(({ lines }) => lines.proofs.verified)).toEqual([1, 0, 0, 0])
})

it('a payload derived from a set has the same score in Python and TypeScript, whether or not the pack contains a proof for each member', async () => {
  const { signingKey, verifyingKey, trust } = signer()
  const stream = memory()
  const [images, model] = [['good', 'bad', 'unheard'].map(utf8), utf8('a model')]
  let isSatisfied = false
  const good = { kind: 'good', isSatisfied: () => isSatisfied }
  const sdk = await openSdk({ signingKey, annotators: [good], stream })
  await sdk.create(images[1] as Uint8Array)
  isSatisfied = true
  await sdk.create(images[0] as Uint8Array)
  const made: [Uint8Array[], MakePackOptions][] = []
  for (const members of [images.slice(0, 1), images.slice(0, 2), images, []]) {
    const { message, set, list } = await sealSet(members, { signingKey, name: 'training-7' })
    await sdk.mutate([{ set: set.id }], model)
    const messages = [...stream.messages.slice(0, 2), stream.messages.at(-1) as Uint8Array]
    const proofs = members
      .map((one) => keyOf(one))
      .map((key) => ({ set: set.id, key, proof: proveMember(list, key) }))
    const options = {
      about: { payload: { hash: 'sha256', key: keyOf(model) } },
      trust,
      sets: [message],
    } as const
    for (const ancestors of ['min', 'product'] as const) {
      made.push([messages, { ...options, proofs, score: { version: 1, ancestors } }])
    }
    made.push([messages, { ...options, proofs: proofs.slice(1) }])
  }
  await sdk.close()
  const packs = await Promise.all(made.map(([some, options]) => packed(some, options)))
  const told = await agree(
    packs.map(({ bytes }) => bytes),
    [toHex(verifyingKey)],
  )
  expect(told.map(({ score }) => score)).toEqual([
    ...[1, 1, 'unknown'],
    ...[0, 0, 'unknown'],
    ...[0, 0, 'unknown'],
    ...[1, 1, 1],
  ])
})
