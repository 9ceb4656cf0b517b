import { type Bundle, type ClassicDialect, classic, toHex, verifyClassic } from 'alvarium-sdk'
import { describe, expect, it } from 'vitest'
import { textOf, utf8 } from '../support/bytes.js'
import { everyCase, listOf, signingKeyOf, verifiedOf } from '../support/classic.js'
import { key, keyring } from '../support/sdk.js'

const { signingKey } = key

/** Returns the message of a bundle with an arbitrary signature, which the codec does not verify. */
function bundleMessage({ action, ...content }: Partial<Bundle>): Uint8Array {
  const signature = toHex(new Uint8Array(64).fill(0xa5))
  return utf8(
    JSON.stringify({
      action,
      messageType: 'alvarium.AnnotationBundle/1',
      content: { signature, layer: 'app', ...content },
    }),
  )
}

describe('the codec classic()', () => {
  const [single, several] = [
    everyCase.filter(([, , { annotations }]) => annotations.length === 1),
    everyCase.filter(([, , { annotations }]) => annotations.length > 1),
  ]
  /** Returns our bundle with the content of one annotation of another SDK. */
  const bundleOf = (dialect: ClassicDialect, json: string, text: string): Uint8Array => {
    const { key: theirs, hash, host = '', layer = '', timestamp, tag = '', ...annotation } = JSON.parse(json)
    const ours = hash === 'none' ? text : theirs.toUpperCase()
    const where = dialect === 'python' ? {} : { layer }
    const annotations = [{ ...annotation, tag }]
    return bundleMessage({ action: 'create', key: ours, hash, host, timestamp, ...where, annotations })
  }

  // claim: format-34, migrating-1
  it.each(single)(
    "writes the single annotation of another SDK's message byte for byte: %s",
    (_, dialect, { message, payload, action }) => {
      const [annotation] = JSON.parse(listOf(message)).items
      const ours = bundleOf(dialect, JSON.stringify(annotation), textOf(payload))
      const written = textOf(classic({ signingKey: signingKeyOf(dialect), dialect }).encode(ours))
      expect(written).toBe(message.replace(`"${action}"`, '"create"'))
    },
  )

  it.each(several)(
    "writes each annotation of another SDK's message byte for byte: %s",
    (_, dialect, { message, payload }) => {
      const codec = classic({ signingKey: signingKeyOf(dialect), dialect })
      const { items } = JSON.parse(listOf(message)) as { items: object[] }
      const written = items.map((item) => {
        const list = listOf(codec.encode(bundleOf(dialect, JSON.stringify(item), textOf(payload))))
        return list.slice(list.indexOf('[') + 1, -2)
      })
      const separator = dialect === 'python' ? ', ' : ','
      expect(listOf(message)).toContain(`[${written.join(separator)}]}`)
    },
  )
})

describe('characters that JSON does not require to be escaped', () => {
  const html = '<>&'
  const [lines, others] = ['\u2028\u2029', `='/~\u007f\u0080é\uffff😀`]
  const hex = (text: string) =>
    text.replace(/./gsu, (one) =>
      one
        .split('')
        .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
        .join(''),
    )
  it.each<[ClassicDialect, string]>([
    ['go', hex(html) + hex(lines) + others],
    ['java', html + hex(lines) + others],
    ['rust', html + lines + others],
    ['python', `${html}${hex(lines)}='/~${hex('\u007f\u0080é\uffff😀')}`],
  ])('are escaped as the %s SDK escapes them', (dialect, expected) => {
    const annotations = [{ id: '01M7XNDGJA9YWRYZVYCDF1Y03Z', kind: 'src', tag: '', isSatisfied: true }]
    const timestamp = '2026-01-02T03:04:05.123456Z'
    const ours = {
      action: 'create',
      key: 'A',
      hash: 'none',
      host: html + lines + others,
      timestamp,
      annotations,
    } as const
    const message = textOf(classic({ signingKey, dialect }).encode(bundleMessage(ours)))
    expect(listOf(message)).toContain(`"${expected}"`)
  })
})

/** Returns a dialect's spelling of the timestamp of a bundle, after its verification. */
async function spelled(timestamp: string, dialect: ClassicDialect): Promise<string | undefined> {
  const annotations = [{ id: '01M7XNDGJA9YWRYZVYCDF1Y03Z', kind: 'src', tag: '', isSatisfied: true }]
  const said = { action: 'create', key: 'A', hash: 'none', host: '', timestamp, annotations } as const
  const message = classic({ signingKey, dialect }).encode(bundleMessage(said))
  const [annotation] = verifiedOf(await verifyClassic(message, { keyring }))
  return annotation?.timestamp
}

describe('timestamps', () => {
  it.each<[string, ClassicDialect, string]>([
    ['.123456Z', 'go', '.123456Z'],
    ['.123400Z', 'go', '.1234Z'],
    ['.000000Z', 'go', 'Z'],
    ['.123456Z', 'java', '.123456Z'],
    ['.123000Z', 'java', '.123Z'],
    ['.123400Z', 'java', '.123400Z'],
    ['.000000Z', 'java', 'Z'],
    ['.120000Z', 'rust', '.120+00:00'],
    ['.000000Z', 'rust', '+00:00'],
    ['.120000Z', 'python', '.120000+00:00'],
    ['.000000Z', 'python', '+00:00'],
  ])(
    'that end with %s in a bundle are written in the %s dialect with the end %s',
    async (ours, dialect, theirs) => {
      expect(await spelled(`2026-11-20T10:00:07${ours}`, dialect)).toBe(`2026-11-20T10:00:07${theirs}`)
    },
  )

  it.each<[string, ClassicDialect, string]>([
    ['22:19:00.000000Z', 'java', '22:19Z'],
    ['22:19:00.000001Z', 'java', '22:19:00.000001Z'],
    ['22:19:01.000000Z', 'java', '22:19:01Z'],
    ['22:19:00.000000Z', 'go', '22:19:00Z'],
    ['22:19:00.000000Z', 'rust', '22:19:00+00:00'],
    ['22:19:00.000000Z', 'python', '22:19:00+00:00'],
  ])(
    'of the time %s are written in the %s dialect as %s, because only Java shortens full minutes',
    async (ours, dialect, theirs) => {
      expect(await spelled(`2026-11-20T${ours}`, dialect)).toBe(`2026-11-20T${theirs}`)
    },
  )
})
