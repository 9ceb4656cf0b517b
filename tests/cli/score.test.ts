import { keyOf, memory, openSdk, source } from 'alvarium-sdk'
import { describe, expect, it } from 'vitest'
import { caseOf } from '../support/classic.js'
import { vectorBytes } from '../support/vectors.js'
import { alvarium } from './command.js'
import { signer, text } from './messages.js'

const encoder = new TextEncoder()
const [raw, parsed, rounded] = ['{"celsius":"21.4"}', '{"celsius":21.4}', '{"celsius":21}'].map((one) =>
  encoder.encode(one),
) as [Uint8Array, Uint8Array, Uint8Array]

/** Answers what each call says about it, of those that may. */
const calibrated = {
  kind: 'calibrated',
  actions: ['create', 'transit'] as const,
  isSatisfied: ({ input }: { input?: unknown }) => input === true,
}

/** What is said of a reading while it becomes another one, and that one another. */
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

describe('alvarium score', () => {
  it('says which share of what was said is satisfied, by weight', async () => {
    const { key, signingKey } = await signer()
    const input = (await lifeOfAReading(signingKey)).join('\n')
    const plain = await alvarium(['score', ...key], { input })
    expect([plain.code, plain.err]).toEqual([0, ''])
    expect(plain.out).toContain(` 75 %  ${keyOf(raw)}  src ✓2  calibrated ✓1 ✗1`)
    expect(plain.out).toContain(`100 %  ${keyOf(parsed)}  src ✓1`)
    const weighted = await alvarium(['score', ...key, '--weights', '{"calibrated":3}'], { input })
    expect(weighted.out).toContain(` 62 %  ${keyOf(raw)}`)
  })

  it('counts a message once that came twice, and none that does not verify', async () => {
    const [{ key, signingKey }, stranger] = [await signer(), await signer()]
    const [first = '', ...more] = await lifeOfAReading(signingKey)
    const altered = first.replace('"isSatisfied":false', '"isSatisfied":true')
    const [strange = ''] = await lifeOfAReading(stranger.signingKey)
    const input = [first, ...more, first, altered, strange].join('\n')
    const { code, out, err } = await alvarium(['score', ...key], { input })
    expect(code).toBe(1)
    expect(out).toContain(` 75 %  ${keyOf(raw)}`)
    expect(err).toMatch(/✗ stdin:6 {2}SIGNATURE_INVALID.*\n\? stdin:7 {2}SIGNER_UNKNOWN/)
  })

  it('ends with 1 where a payload has less than it has to', async () => {
    const { key, signingKey } = await signer()
    const input = (await lifeOfAReading(signingKey)).join('\n')
    expect(await alvarium(['score', ...key, '--min', '75'], { input })).toMatchObject({ code: 0 })
    expect(await alvarium(['score', ...key, '--min', '76'], { input })).toMatchObject({ code: 1 })
  })

  it('adds up what other SDKs have said', async () => {
    const { write } = await signer()
    const path = await write('go.key', vectorBytes('keys/go-public.key'))
    const { message, annotations } = caseOf('go', 'create-bytes1000')
    const { out } = await alvarium(['score', '-k', path, '--json'], { input: message })
    expect(JSON.parse(out)).toMatchObject({ key: annotations[0]?.key })
  })

  it.each(['{"tls":-1}', '{"tls":"2"}', 'tls=2'])('takes no weights %s', async (weights) => {
    const { key } = await signer()
    const { code, err } = await alvarium(['score', ...key, '--weights', weights])
    expect([code, err]).toEqual([2, expect.stringContaining('--weights: expected')])
  })
})

describe('alvarium lineage', () => {
  it('follows a payload back, by the payload or the beginning of its key', async () => {
    const { key, signingKey, write } = await signer()
    const path = await write('messages.ndjson', (await lifeOfAReading(signingKey)).join('\n'))
    const expected = [
      `100 %  ${keyOf(rounded)}  src ✓1`,
      `100 %    made from ${keyOf(parsed)}  src ✓1`,
      ` 75 %      made from ${keyOf(raw)}  src ✓2  calibrated ✓1 ✗1`,
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

  it('ends where payloads are said to be made from each other', async () => {
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

  it('says of which payload nothing is said', async () => {
    const { key } = await signer()
    const { code, err } = await alvarium(['lineage', 'ABCD', ...key])
    expect([code, err]).toEqual([2, expect.stringContaining('got one of which nothing is said')])
  })
})
