import { readFile } from 'node:fs/promises'
import { generateKey, memory, openSdk, source } from 'alvarium-sdk'
import sax from 'sax'
import { describe, expect, it } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { craftedBundle, keyOfText } from '../support/crafted.js'
import { alvarium } from './command.js'
import { ofMany, SET, signer, text } from './messages.js'

/** A host that would end a label, run a script, or write its own line. */
const HOSTILE = '"]; click p0 call alert(1) %% <script>alert(1)</script> `**b**` #35; & --> \u202e ]]>'

/** Returns the texts of an SVG that a strict parser has read. */
function textsIn(svg: string): string[] {
  const [parser, texts, names] = [sax.parser(true), [] as string[], new Set<string>()]
  parser.onerror = (error) => {
    throw error
  }
  parser.onopentag = ({ name }) => {
    names.add(name)
    if (name === 'text') texts.push('')
  }
  parser.ontext = (piece) => {
    if (texts.length > 0) texts.push(`${texts.pop()}${piece}`)
  }
  parser.write(svg).close()
  expect([...names].sort()).toEqual(
    ['defs', 'g', 'marker', 'path', 'rect', 'svg', 'text', 'title', 'tspan'].filter((name) =>
      names.has(name),
    ),
  )
  return texts.map((one) => one.trim())
}

/**
 * Returns messages about a reading and the payloads made from it: one of them altered, one by a stranger, one from a
 * hostile host.
 */
async function story() {
  const { key, write, signingKey, keyId } = await signer()
  const [holder, stranger] = [{ ...generateKey(), signingKey, keyId }, generateKey()]
  const bundles = [
    craftedBundle(holder, { about: 'raw', timestamp: '2026-01-01T00:00:00Z' }),
    craftedBundle(holder, { about: 'raw', timestamp: '2026-01-02T00:00:00Z' }),
    craftedBundle(holder, {
      action: 'mutate',
      about: 'mean',
      previous: 'raw',
      host: HOSTILE,
      says: { src: true, tls: false },
    }),
    craftedBundle(stranger, { about: 'mean', host: 'elsewhere' }),
  ].map(({ message }) => text(message))
  const altered = (bundles[0] as string).replace('"isSatisfied":true', '"isSatisfied":false')
  const file = await write('messages.ndjson', [...bundles, altered].join('\n'))
  const drawn = (format: string) => alvarium(['lineage', keyOfText('mean'), file, ...key, '--as', format])
  return { drawn, keyId, stranger: stranger.keyId }
}

describe('alvarium lineage', () => {
  it('draws as SVG the statements of each signer with times, and marks messages that do not verify', async () => {
    const { drawn, keyId, stranger } = await story()
    const { out, code } = await drawn('svg')
    expect(code).toBe(1)
    expect(textsIn(out)).toEqual(
      expect.arrayContaining([
        ...[
          '2: payload, 100 %',
          `✓ create by ${keyId}`,
          'from 2026-01-01T00:00:00Z',
          'yes: src (2 times)',
          '1: payload, 50 %',
          'made from 2',
        ],
        ...['to 2026-01-02T00:00:00Z, 2 times', `✓ mutate by ${keyId}`, 'yes: src', 'no: tls'],
        ...[
          '? not verified: SIGNER_UNKNOWN',
          'claims create by',
          stranger,
          '✗ not verified: SIGNATURE_INVALID',
        ],
      ]),
    )
    const words = textsIn(out).join('').replaceAll(/\s/g, '')
    expect(words).toContain(HOSTILE.replaceAll(/\s/g, '').replace('\u202e', '\\u{202e}'))
  })

  it('draws for Mermaid, and writes each special character of untrusted text as an entity', async () => {
    const { drawn, keyId } = await story()
    const { out } = await drawn('mermaid')
    expect(out).toMatch(/^flowchart TB\n {2}p0\["<b>1: payload, 50 #37;<\/b><br\/>made from 2<br\/>/)
    expect(out).toContain(`✓ mutate by ${keyId}<br/>on #34;#93;#59; click p0`)
    expect(out).toContain('\n  p1 -->|made into| p0\n')
    const labels = out.matchAll(/^ {2}p\d+\["(.*)"\]:::(?:holds|fails|unknown)$/gm)
    const texts = Array.from(labels, ([, label = '']) => label.replaceAll(/<\/?b>|<br\/>|#\d+;/g, ''))
    expect([texts.length, texts.join('').match(/[^\p{L}\p{N} ,:.()✓✗?…/+-]/gu)]).toEqual([2, null])
  })

  // claim: command-25
  it.each([
    ['svg', 'fill="#f3faf5"', 'does not hold'],
    ['mermaid', ':::holds\n', ':::fails'],
  ])(
    'marks a message as verified in %s, even if an annotation in the message is not satisfied',
    async (format, genuine, forged) => {
      const { key, signingKey, keyId } = await signer()
      const { message } = craftedBundle(
        { ...generateKey(), signingKey, keyId },
        { about: 'a', says: { tls: false } },
      )
      const { out, code } = await alvarium(['lineage', keyOfText('a'), ...key, '--as', format], {
        input: text(message),
      })
      expect([code, out]).toEqual([0, expect.stringContaining(genuine)])
      expect(out).toContain('no: tls')
      expect(out).not.toMatch(/[✗?]/)
      expect(out).not.toContain(forged)
    },
  )

  it.each(['svg', 'mermaid'])(
    'draws, as %s, a signed set and payloads that no message is about',
    async (format) => {
      const { key, signingKey } = await signer()
      const input = text((await ofMany(signingKey, 2)).a)
      const { out, code } = await alvarium(['lineage', keyOfText('average'), ...key, '--as', format], {
        input,
      })
      expect([code, out.match(/nothing was said/g)?.length]).toEqual([0, 2])
      expect(out).toContain('its payloads are unknown')
      expect(out).toContain(SET.slice(0, 32))
    },
  )

  it.each([
    ['svg', 100],
    ['mermaid', 50],
  ])(
    'draws, as %s, only the nearest payloads, and reports the number of omitted payloads',
    async (format, least) => {
      const { key, signingKey } = await signer()
      const stream = memory()
      const sdk = await openSdk({ signingKey, annotators: [source()], stream })
      const inputs = Array.from({ length: 700 }, (_, at) => utf8(`${at}`))
      await sdk.mutate(inputs, utf8('mean'))
      await sdk.close()
      const input = stream.messages.map(text).join('\n')
      const { out, err } = await alvarium(['lineage', keyOfText('mean'), ...key, '--as', format], { input })
      const boxes = out.match(/made into|<g>/g)?.length ?? 0
      expect(boxes).toBeGreaterThanOrEqual(least)
      expect(out.length).toBeLessThan(format === 'svg' ? 200_000 : 50_000)
      expect(err).toMatch(/the picture has the nearest payloads only, without 6\d\d others: --json has all\n/)
    },
  )

  it('writes the picture to a new file, whose title states the payload, its score and the lowest score of a source', async () => {
    const { key, write, at, signingKey } = await signer()
    const stream = memory()
    const doubt = { kind: 'doubt', isSatisfied: () => false }
    const sdk = await openSdk({ signingKey, annotators: [source()], stream })
    const doubting = await openSdk({ signingKey, annotators: [source(), doubt], stream })
    await sdk.mutate(utf8('raw & <raw>'), utf8('mean'))
    await doubting.create(utf8('raw & <raw>'))
    await sdk.close()
    await doubting.close()
    const file = await write('messages.ndjson', stream.messages.map(text).join('\n'))
    const mean = await write('mean.txt', 'mean')
    const draw = ['lineage', mean, file, ...key, '--out', at('mean.svg')]
    const { out, code } = await alvarium([...draw, '--as', 'svg'])
    expect([code, out]).toEqual([0, ''])
    const [, title = ''] = /<title>(.*)<\/title>/.exec(text(await readFile(at('mean.svg')))) ?? []
    expect(title).toBe(`Lineage of ${mean}: 50 %, lowest source 50 %`)
    const again = await alvarium([...draw, '--as', 'svg'])
    expect([again.code, again.err]).toEqual([2, expect.stringContaining('mean.svg, which already exists')])
    const bare = await alvarium(draw)
    expect([bare.code, bare.err]).toEqual([
      2,
      expect.stringContaining('works only with --as svg or --as mermaid'),
    ])
  })

  it('refuses --as svg together with --json', async () => {
    const { code, err } = await alvarium(['lineage', 'ABCD', '--as', 'svg', '--json'])
    expect([code, err]).toEqual([
      2,
      expect.stringContaining("option '--as <format>' cannot be used with option '--json'"),
    ])
  })
})
