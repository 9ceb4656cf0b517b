// @alone

import { generateKey, keyOf, loadAlgorithms, source, verifyBatch, verifyMessage } from 'alvarium-sdk'
import { pool } from 'alvarium-sdk/pool'
import { beforeAll, describe, expect, it } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { failure } from '../support/failure.js'
import { lastOf, opened } from '../support/sdk.js'

beforeAll(() => loadAlgorithms())

describe.each(['P-256', 'secp256k1', 'SM2'] as const)('a group of calls with a key of %s', (algorithm) => {
  it.each(['of this thread', 'of a pool'])(
    'has a message for each call, in order, with its own payloads and tag, for calls %s',
    async (where) => {
      const { signingKey, verifyingKey } = await generateKey({ algorithm })
      await using workers = where === 'of a pool' ? await pool({ workers: 1 }) : undefined
      const { sdk, stream } = await opened([source()], {
        signingKey,
        tag: 't',
        ...(workers && { pool: workers }),
      })
      const mine = { tag: 'mine' }
      await Promise.all([
        sdk.create(utf8('a')),
        sdk.mutate(utf8('before'), utf8('after'), mine),
        sdk.mutate(utf8(''), utf8('')),
        sdk.create(utf8('z'), { tag: '' }),
      ])
      await sdk.close()
      const keyring = [verifyingKey]
      const bundles = await Promise.all(stream.messages.map((one) => verifyMessage(one, { keyring })))
      expect(
        bundles.map(({ key, previousKey, annotations }) => [key, previousKey, annotations[0]?.tag]),
      ).toEqual([
        [keyOf(utf8('a')), undefined, 't'],
        [keyOf(utf8('after')), keyOf(utf8('before')), 'mine'],
        [keyOf(utf8('')), keyOf(utf8('')), 't'],
        [keyOf(utf8('z')), undefined, ''],
      ])
    },
  )

  it('becomes one message if the calls were made together by createMany', async () => {
    const { signingKey, verifyingKey } = await generateKey({ algorithm })
    const { sdk, stream } = await opened([source()], { signingKey })
    await sdk.createMany(['a', 'b'].map(utf8))
    await sdk.close()
    const bundles = await verifyBatch(lastOf(stream), { keyring: [verifyingKey] })
    expect(bundles.map(({ key }) => key)).toEqual(['a', 'b'].map((text) => keyOf(utf8(text))))
  })

  it('is not created if the host is too long for a bundle', async () => {
    const { signingKey } = await generateKey({ algorithm })
    const error = await failure(() => opened([source()], { signingKey, host: 'h'.repeat(256) }))
    expect([error.code, error.message]).toEqual(['CONFIG_INVALID', 'host: expected 0 to 255 bytes, got 256'])
  })
})
