// @browser: WebCrypto signs where nothing answers at once
// @firefox

import {
  AlvariumError,
  generateKey,
  Keyring,
  memory,
  openSdk,
  signBytes,
  source,
  verifyBytes,
  verifyMessage,
} from 'alvarium-sdk'
import { pool } from 'alvarium-sdk/pool'
import { describe, expect, it } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { platform } from '../support/platform.js'

const keys = [
  ['Ed25519', () => generateKey()],
  ['P-256', () => generateKey({ algorithm: 'P-256' })],
] as const

describe('the option engine "host"', () => {
  it.each(keys)(
    'makes the platform sign bundles with %s, and the engine "wasm" accepts the signatures',
    async (_, makeKey) => {
      const { signingKey, verifyingKey } = await makeKey()
      const stream = memory()
      const sdk = await openSdk({ signingKey, annotators: [source()], stream, engine: 'host' })
      const { message } = await sdk.create(utf8('21.4'))
      await sdk.close()
      expect((await verifyMessage(message, { keyring: [verifyingKey] })).action).toBe('create')
    },
  )

  it('cannot be combined with a pool on a platform where only WebCrypto can sign', async () => {
    await using workers = await pool({ workers: 1 })
    const { signingKey } = generateKey()
    const opening = openSdk({ signingKey, annotators: [], stream: memory(), engine: 'host', pool: workers })
    if (platform.name === 'node') await (await opening).close()
    else await expect(opening).rejects.toMatchObject({ code: 'CONFIG_INVALID' })
  })

  it('is refused in a browser by synchronous functions', () => {
    const { signingKey, verifyingKey } = generateKey()
    const engine = 'host'
    const signature = signBytes(signingKey, utf8('a'))
    const calls = [
      () => signBytes(signingKey, utf8('a'), { engine }),
      () => verifyBytes(verifyingKey, utf8('a'), signature, { engine }),
      () => new Keyring([verifyingKey], { engine }),
    ]
    for (const call of calls) {
      if (platform.name === 'node') call()
      else expect(call).toThrow(AlvariumError)
    }
  })
})
