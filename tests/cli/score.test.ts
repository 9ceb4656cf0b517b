import { classic, type HashName, keyOf, memory, openSdk, readKey, source, verifyMessage } from 'alvarium-sdk'
import { BundleGraph, readPolicy, type ScoringPolicyFile, scorePayload } from 'alvarium-sdk/score'
import { describe, expect, it } from 'vitest'
import { caseOf } from '../support/classic.js'
import { vectorBytes } from '../support/vectors.js'
import { alvarium } from './command.js'
import { ofMany, SET, signer, text } from './messages.js'

const encoder = new TextEncoder()
const [raw, parsed, rounded] = ['{"celsius":"21.4"}', '{"celsius":21.4}', '{"celsius":21}'].map((one) =>
  encoder.encode(one),
) as [Uint8Array, Uint8Array, Uint8Array]

/** An annotator of two actions whose answer each call supplies. */
const calibrated = {
  kind: 'calibrated',
  actions: ['create', 'transit'] as const,
  isSatisfied: ({ input }: { input?: unknown }) => input === true,
}

/** Returns the messages about a reading that is converted twice. */
async function lifeOfAReading(signingKey: Uint8Array): Promise<string[]> {
  const stream = memory()
  const sdk = await openSdk({
    signingKey,
    annotators: [source(), { ...calibrated, actions: ['create', 'transit'] }],
    stream,
  })
  await sdk.create(raw)
  await sdk.transit(raw, { calibrated: true })
  await sdk.mutate(raw, parsed)
  await sdk.mutate(parsed, rounded)
  await sdk.close()
  return stream.messages.map(text)
}

type Answered = readonly [payload: Uint8Array, yes: number, no: number]

async function answered(
  signingKey: Uint8Array,
  answers: readonly Answered[],
  options: { hash?: HashName } = {},
): Promise<string> {
  const stream = memory()
  const asked = { kind: 'asked', isSatisfied: ({ input }: { input?: unknown }) => input === true }
  const sdk = await openSdk({ signingKey, annotators: [asked], stream, ...options })
  for (const [payload, yes, no] of answers) {
    for (let at = 0; at < yes + no; at++) await sdk.create(payload, { asked: at < yes })
  }
  await sdk.close()
  return stream.messages.map((message) => `${text(message)}\n`).join('')
}

/** Writes a policy into a file, and returns the option for it. */
async function by(
  write: (name: string, text: string) => Promise<string>,
  policy: Omit<ScoringPolicyFile, 'version'>,
): Promise<string[]> {
  return ['--policy', await write('scoring.json', JSON.stringify({ version: 1, ...policy }))]
}

describe('alvarium score', () => {
  // claim: command-26
  it('prints the score of each payload under the policy, and the reasons', async () => {
    const { key, signingKey, write } = await signer()
    const input = (await lifeOfAReading(signingKey)).join('\n')
    const plain = await alvarium(['score', ...key], { input })
    expect([plain.code, plain.err]).toEqual([0, expect.stringMatching(/^✓ holds: [^\n]*\n$/)])
    const lowest = `lowest source 50 %, ${keyOf(raw).slice(0, 12)}…`
    expect(plain.out.trimEnd().split('\n')).toEqual([
      `   50 %  ${keyOf(raw)}  calibrated 1 no  src 1 yes`,
      `   50 %  ${keyOf(parsed)}  src 1 yes; ${lowest}`,
      `   50 %  ${keyOf(rounded)}  src 1 yes; ${lowest}`,
    ])
    const policy = { weights: { calibrated: 3 }, repeats: 'each', ancestors: 'own' } as const
    const weighted = await alvarium(['score', ...key, ...(await by(write, policy))], { input })
    expect(weighted.out).toContain(`   62 %  ${keyOf(raw)}  calibrated 1 yes, 1 no  src 2 yes\n`)
    expect(weighted.out).toContain(`  100 %  ${keyOf(parsed)}  src 1 yes\n`)
  })

  it('prints with --json what scorePayload() returns for the same bundles', async () => {
    const { key, signingKey, at } = await signer()
    const keyring = [await readKey(at('public.key'))]
    const messages = await lifeOfAReading(signingKey)
    const { out } = await alvarium(['score', ...key, '--json'], { input: messages.join('\n') })
    const graph = new BundleGraph()
    for (const message of messages) graph.add(await verifyMessage(encoder.encode(message), { keyring }))
    const verdicts = Array.from(graph.payloads(), (one) =>
      scorePayload(graph.scoringInput(one), readPolicy({ version: 1 })),
    )
    expect(out).toBe(verdicts.map((one) => `${JSON.stringify(one)}\n`).join(''))
  })

  it('names the required kind that makes a score 0', async () => {
    const { key, signingKey, write } = await signer()
    const input = (await lifeOfAReading(signingKey)).join('\n')
    const required = await by(write, { required: ['calibrated', 'pki'] })
    const { out } = await alvarium(['score', ...key, ...required], { input })
    const zero = 'is required: without a yes, or with a no, the score is 0'
    expect(out).toContain(
      `    0 %  ${keyOf(raw)}  calibrated ${zero}; pki ${zero}; calibrated 1 no  src 1 yes`,
    )
  })

  // claim: command-28
  it('has exit code 2 if a payload was made from a set of unknown payloads', async () => {
    const { key, signingKey } = await signer()
    const input = (await ofMany(signingKey, 2)).all.map(text).join('\n')
    const { code, out, err } = await alvarium(['score', ...key, '--min', '100'], { input })
    expect([code, out]).toEqual([2, expect.stringMatching(/^unknown {2}[0-9A-F]{64} {2}src 1 yes; /m)])
    expect(err).toMatch(/^\? cannot tell: .*, 1 of them unknown, .*; needs the lists of the sets/m)
  })

  // claim: command-10
  it('counts a repeated message only once, and a message that does not verify not at all', async () => {
    const [{ key, signingKey }, stranger] = [await signer(), await signer()]
    const [first = '', ...more] = await lifeOfAReading(signingKey)
    const altered = first.replace('"isSatisfied":false', '"isSatisfied":true')
    const [strange = ''] = await lifeOfAReading(stranger.signingKey)
    const input = [first, ...more, first, altered, strange].join('\n')
    const { code, out, err } = await alvarium(['score', ...key], { input })
    expect(code).toBe(1)
    expect(out).toContain(`   50 %  ${keyOf(raw)}  calibrated 1 no  src 1 yes\n`)
    expect(err).toMatch(/✗ stdin:6 {2}SIGNATURE_INVALID.*\n\? stdin:7 {2}SIGNER_UNKNOWN/)
  })

  it('has exit code 1 if the score of a payload is below --min', async () => {
    const { key, signingKey } = await signer()
    const input = (await lifeOfAReading(signingKey)).join('\n')
    expect(await alvarium(['score', ...key, '--min', '50'], { input })).toMatchObject({ code: 0 })
    expect(await alvarium(['score', ...key, '--min', '51'], { input })).toMatchObject({ code: 1 })
  })

  it('scores the payload of a message that another SDK signed', async () => {
    const { write } = await signer()
    const path = await write('go.key', vectorBytes('keys/go-public.key'))
    const { message, annotations } = caseOf('go', 'create-bytes1000')
    const { out } = await alvarium(['score', '-k', path, '--json'], { input: message })
    expect(JSON.parse(out)).toMatchObject({ key: annotations[0]?.key })
  })

  it('asks for messages if its argument is a file of payloads', async () => {
    const { key, write } = await signer()
    const results = await write('results.json', '{"results":[{"celsius":21.4}]}')
    const { code, err } = await alvarium(['score', ...key, results])
    expect([code, err]).toEqual([1, expect.stringContaining('results.json:1  MESSAGE_MALFORMED')])
    expect(err).toContain(
      '\n    is this the data itself? Give the messages about it: the file that annotate --out',
    )
  })

  // claim: command-11
  it.each([
    ['an empty file', () => ''],
    ['messages of an untrusted signer', (messages: string[]) => messages.join('\n')],
  ])('has exit code 2 with --min if no annotation counts: %s', async (_, input) => {
    const [{ key }, stranger] = [await signer(), await signer()]
    const messages = await lifeOfAReading(stranger.signingKey)
    const { code, out, err } = await alvarium(['score', ...key, '--min', '80'], { input: input(messages) })
    expect([code, out]).toEqual([2, ''])
    expect(err).toMatch(/\? cannot tell: .*no message was about any payload, so there is no score, /)
  })

  it.each([
    [57, 100],
    [29, 100],
    [7, 25],
  ])(
    'prints the exact score of %i satisfied annotations out of %i, and --min accepts that score',
    async (yes, all) => {
      const { key, signingKey, write } = await signer()
      const input = await answered(signingKey, [[raw, yes, all - yes]])
      const percent = `${(100 * yes) / all}`
      const each = await by(write, { repeats: 'each' })
      const { code, out } = await alvarium(['score', ...key, ...each, '--min', percent], { input })
      expect([code, out]).toEqual([0, expect.stringMatching(new RegExp(`^ +${percent} %`))])
    },
  )

  it('scores two payloads separately if the text of one payload is the payload key of the other', async () => {
    const { key, signingKey } = await signer()
    const doubted = await answered(signingKey, [[raw, 0, 1]])
    const impostor = await answered(signingKey, [[encoder.encode(keyOf(raw)), 9, 0]], { hash: 'none' })
    const { out } = await alvarium(['score', ...key], { input: doubted + impostor })
    expect(out.trimEnd().split('\n')).toEqual([
      `    0 %  ${keyOf(raw)}  asked 1 no`,
      `  100 %  ${keyOf(raw)} (none)  asked 1 yes`,
    ])
  })

  it('gives texts that differ only in case separate scores, in the Java dialect with the hash "none"', async () => {
    const { at, key } = await signer()
    const args = ['annotate', '-k', at('private.key'), '--dialect', 'java', '--hash', 'none']
    const { out: input } = await alvarium(args, { input: 'ABC\nabc\n' })
    const { out } = await alvarium(['score', ...key, '--json'], { input })
    const keys = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).key)
    expect(keys).toEqual(['ABC', 'abc'])
  })

  it('scores a payload that another SDK made, and reports its lineage as unsigned', async () => {
    const { key, signingKey, write } = await signer()
    const stream = memory()
    const codec = classic({ signingKey, dialect: 'go' })
    const sdk = await openSdk({ signingKey, annotators: [source()], stream, codec })
    await sdk.mutate(raw, parsed)
    await sdk.close()
    const path = await write('messages', stream.messages.map(text).join('\n'))
    expect((await alvarium(['score', ...key, path])).out).toContain(`100 %  ${keyOf(parsed)}  src 1 yes`)
    const { out, err } = await alvarium(['lineage', keyOf(parsed), path, ...key])
    expect(out.trim().split('\n')).toHaveLength(1)
    expect(err).toContain('1 mutate of other SDKs gave no lineage: nobody signed what was made from what')
  })

  it('distinguishes statements, whatever characters their payloads and kinds contain', async () => {
    const { key, signingKey } = await signer()
    const stream = memory()
    const annotators = ['b c', 'c'].map((kind) => ({ kind, isSatisfied: () => kind !== 'c' }))
    const sdk = await openSdk({ signingKey, annotators, stream, hash: 'none' })
    for (const payload of ['a', 'a b']) await sdk.create(encoder.encode(payload))
    await sdk.close()
    const input = stream.messages.map((message) => `${text(message)}\n`).join('')
    const { out } = await alvarium(['score', ...key, '--json'], { input })
    const said = [
      { kind: 'b c', isSatisfied: true, count: 1 },
      { kind: 'c', isSatisfied: false, count: 1 },
    ]
    const scores = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(scores).toMatchObject([{ score: 0.5 }, { score: 0.5 }])
    expect(scores.map(({ why }) => why.answers)).toMatchObject([said, said])
  })

  it('counts repeated statements of a signer only once, unless the policy counts each of them', async () => {
    const [{ key, signingKey, write }, other] = [await signer(), await signer()]
    const input = [
      await answered(signingKey, [
        [raw, 9, 0],
        [parsed, 2, 1],
      ]),
      await answered(other.signingKey, [[raw, 0, 1]]),
    ].join('')
    const both = [...key, ...other.key]
    const each = await alvarium(['score', ...both, ...(await by(write, { repeats: 'each' }))], { input })
    expect(each.out).toContain(`   90 %  ${keyOf(raw)}  asked 9 yes, 1 no`)
    const { out } = await alvarium(['score', ...both], { input })
    expect(out).toContain(`   50 %  ${keyOf(raw)}  asked 1 yes, 1 no`)
    expect(out).toContain(`    0 %  ${keyOf(parsed)}  asked 1 no`)
  })

  it('reports a kind in the policy that no annotation has', async () => {
    const { key, signingKey, write } = await signer()
    const input = (await lifeOfAReading(signingKey)).join('\n')
    const policy = await by(write, { weights: { sorce: 2, src: 2 }, required: ['tls'] })
    const { err } = await alvarium(['score', ...key, ...policy], { input })
    expect(err.match(/no annotation is of the kind \w+, which the policy names/g)).toEqual(
      ['sorce', 'tls'].map((kind) => `no annotation is of the kind ${kind}, which the policy names`),
    )
  })

  it.each(['{"version":1,"weights":{"tls":-1}}', '{"version":1,"weights":{"tls":1,"tls":2}}', 'tls=2'])(
    'refuses the policy %s',
    async (policy) => {
      const { key, write } = await signer()
      const { code, err } = await alvarium(['score', ...key, '--policy', await write('bad.json', policy)])
      expect([code, err]).toEqual([2, expect.stringContaining('bad.json: ')])
    },
  )
})

describe('alvarium lineage', () => {
  it('accepts a payload, its key, or the beginning of its key, and follows the payload to its sources', async () => {
    const { key, signingKey, write } = await signer()
    const path = await write('messages.ndjson', (await lifeOfAReading(signingKey)).join('\n'))
    const expected = [
      `   50 %  ${keyOf(rounded)}  src 1 yes; lowest source 50 %, ${keyOf(raw).slice(0, 12)}…`,
      `  100 %    made from ${keyOf(parsed)}  src 1 yes`,
      `   50 %      made from ${keyOf(raw)}  calibrated 1 no  src 1 yes`,
    ]
    for (const asked of [
      await write('payload', rounded),
      keyOf(rounded),
      keyOf(rounded).slice(0, 8).toLowerCase(),
    ]) {
      const { code, out } = await alvarium(['lineage', asked, path, ...key])
      expect([code, out.trimEnd().split('\n')]).toEqual([0, expected])
    }
  })

  it('follows each input of a payload, and reports the score of a set among them as unknown', async () => {
    const { key, signingKey } = await signer()
    const input = (await ofMany(signingKey, 2)).all.map(text).join('\n')
    const [average, one, other] = ['average', '0', '1'].map((name) => keyOf(encoder.encode(name)))
    const { out } = await alvarium(['lineage', average as string, ...key], { input })
    expect(out.trimEnd().split('\n')).toEqual([
      `unknown  ${average}  src 1 yes; lowest source 100 %, ${one?.slice(0, 12)}…; ? what ${average?.slice(0, 12)}… was made from is not known`,
      `unknown    made from the set ${SET}`,
      `  100 %    made from ${one}  src 1 yes`,
      `  100 %    made from ${other}  src 1 yes`,
    ])
    const json = await alvarium(['lineage', average as string, ...key, '--json'], { input })
    expect(JSON.parse(json.out.split('\n')[0] as string)).toMatchObject({
      score: 'unknown',
      madeFrom: [one, other],
      madeFromSets: [SET],
    })
  })

  it('ends although two payloads are made from each other', async () => {
    const { key, signingKey } = await signer()
    const stream = memory()
    const sdk = await openSdk({ signingKey, annotators: [], stream })
    await sdk.mutate(raw, parsed)
    await sdk.mutate(parsed, raw)
    await sdk.close()
    const { out } = await alvarium(['lineage', keyOf(raw), ...key, '--json'], {
      input: stream.messages.map(text).join('\n'),
    })
    expect(
      out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).depth),
    ).toEqual([0, 1])
  })

  it('reports a payload that no statement is about', async () => {
    const { key } = await signer()
    const { code, err } = await alvarium(['lineage', 'ABCD', ...key])
    expect([code, err]).toEqual([2, expect.stringContaining('; none is about the payload, ')])
  })
})
