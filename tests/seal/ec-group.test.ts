// @alone

import { generateKey, keyOf, loadAlgorithms, source, verifyBatch, verifyMessage } from 'alvarium-sdk'
import { beforeAll, describe, expect, it } from 'vitest'
import { algorithmsModule } from '../../dist/algorithms/module.js'
import { messagesOf } from '../../dist/base/bytes/join.js'
// What a pool's worker does with a group of calls, where this test can see it.
import { openSealer } from '../../dist/pool/contexts.js'
import { Packer } from '../../dist/seal/packer.js'
import { utf8 } from '../support/bytes.js'
import { codeOf, failure } from '../support/failure.js'
import { sealRequest } from '../support/group-requests.js'
import { lastOf, opened } from '../support/sdk.js'

const settings = { hash: 'sha256', engine: 'auto', layer: 'app', tag: 't', kinds: ['k'] } as const
/** The key is wiped as soon as it is read. */
const openWith = (signingKey: Uint8Array, host = 'h') =>
  openSealer({ ...settings, host, signingKey: signingKey.slice(), algorithms: algorithmsModule() })
const call = (payload: string, previous?: string, tag?: string) => ({
  action: previous === undefined ? ('create' as const) : ('mutate' as const),
  payload: { bytes: utf8(payload), isDigest: false },
  previous: previous === undefined ? undefined : { bytes: utf8(previous), isDigest: false },
  asked: 1,
  answers: 1,
  tag: tag === undefined ? undefined : utf8(tag),
})

beforeAll(() => loadAlgorithms())

describe.each(['P-256', 'secp256k1', 'SM2'] as const)('a group of calls with a key of %s', (algorithm) => {
  it('has a message for each, in order, with its own payloads and tag', async () => {
    const { signingKey, verifyingKey } = await generateKey({ algorithm })
    const sealer = openWith(signingKey)
    const packer = new Packer()
    for (const one of [call('a'), call('after', 'before', 'mine'), call('', ''), call('z', undefined, '')])
      packer.add(one)
    const messages = messagesOf(sealer.seal(sealRequest(packer)) as Uint8Array)
    const bundles = await Promise.all(messages.map((one) => verifyMessage(one, { keyring: [verifyingKey] })))
    expect(
      bundles.map(({ key, previousKey, annotations }) => [key, previousKey, annotations[0]?.tag]),
    ).toEqual([
      [keyOf(utf8('a')), undefined, 't'],
      [keyOf(utf8('after')), keyOf(utf8('before')), 'mine'],
      [keyOf(utf8('')), keyOf(utf8('')), 't'],
      [keyOf(utf8('z')), undefined, ''],
    ])
    sealer.free()
    expect(await codeOf(() => sealer.seal(sealRequest(packer)))).toBe('CORE_FAILED')
  })

  it('goes into one message, when it is a batch', async () => {
    const { signingKey, verifyingKey } = await generateKey({ algorithm })
    const { sdk, stream } = await opened([source()], { signingKey })
    await sdk.createMany(['a', 'b'].map(utf8))
    await sdk.close()
    const bundles = await verifyBatch(lastOf(stream), { keyring: [verifyingKey] })
    expect(bundles.map(({ key }) => key)).toEqual(['a', 'b'].map((text) => keyOf(utf8(text))))
  })

  it('is not there when the words are too long for a bundle', async () => {
    const { signingKey } = await generateKey({ algorithm })
    const error = await failure(() => openWith(signingKey, 'h'.repeat(256)))
    expect([error.code, error.message]).toEqual(['CONFIG_INVALID', 'host: expected 0 to 255 bytes, got 256'])
  })
})
