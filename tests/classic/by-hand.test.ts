// @node-only: no engine decides it

import { classic, memory, openSdk, verifyClassic } from 'alvarium-sdk'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { textOf, utf8 } from '../support/bytes.js'
import { parsed, resigned } from '../support/messages.js'
import { key, keyring, yes } from '../support/sdk.js'
import { classicByHand, type SaidBundle } from './by-hand.js'

const { signingKey } = key
const DIALECTS = ['go', 'java', 'rust', 'python'] as const
const bundles = fc.record({
  action: fc.constantFrom('create', 'mutate', 'transit'),
  kinds: fc.subarray(['src', 'tls', 'tpm']),
  // Characters that dialects escape, or write in another case.
  host: fc.string({ unit: fc.constantFrom(...'a<>&=\'"\\\u2028\u00e9\u007f\n', '\u{1f600}'), maxLength: 6 }),
  tag: fc.constantFrom('', 'v1', '<b>'),
  layer: fc.constantFrom('app', 'os'),
  hash: fc.constantFrom('sha256', 'md5', 'none'),
  seconds: fc.constantFrom('00', '07'),
  fraction: fc.constantFrom('', '.5', '.250', '.000001', '.100000', '.123456'),
})
type BundleChoice = Parameters<Parameters<typeof bundles.map>[0]>[0]

async function messageOf(
  { action, kinds, host, tag, layer, hash, seconds, fraction }: BundleChoice,
  ofCall: string,
) {
  const stream = memory()
  const naming = { host, tag, layer, hash } as Pick<
    Parameters<typeof openSdk>[0],
    'host' | 'tag' | 'layer' | 'hash'
  >
  const sdk = await openSdk({ signingKey, annotators: kinds.map(yes), stream, ...naming })
  const [before, payload] = [utf8('before'), utf8('caf\u00e9')]
  if (action === 'mutate') await sdk.mutate(before, payload, { tag: ofCall })
  else await sdk[action as 'create' | 'transit'](payload, { tag: ofCall })
  await sdk.close()
  return resigned(stream.messages[0] as Uint8Array, ({ content }) => {
    content['timestamp'] = `2026-11-20T22:19:${seconds}${fraction}Z`
  })
}

// claim: format-65, format-66
it.each(DIALECTS)(
  'a bundle that is written as a classic message of %s has the bytes that FORMAT.md specifies',
  async (dialect) => {
    await fc.assert(
      fc.asyncProperty(bundles, fc.constantFrom('', 'of the call'), async (given, ofCall) => {
        const isPlain = dialect === 'python'
        const one = isPlain ? ({ ...given, layer: 'app', tag: '' } as const) : given
        const bundle = await messageOf(one, isPlain ? '' : ofCall)
        const codec = classic({ signingKey, dialect })
        const encoded = (await codec.encode(bundle)) as Uint8Array
        const said = parsed(bundle) as unknown as SaidBundle
        expect(textOf(encoded)).toBe(classicByHand(said, dialect, signingKey, ''))
        const { outcome, annotations } = await verifyClassic(encoded, { keyring })
        expect(outcome).toBe(annotations.length === 0 ? 'cannot tell' : 'holds')
      }),
      { numRuns: 60 },
    )
  },
)
