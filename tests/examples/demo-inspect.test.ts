import { memory, openSdk } from 'alvarium-sdk'
import { describe, expect, it, vi } from 'vitest'
import { inspect } from '../../examples/demo/worker/inspect.js'
import { utf8 } from '../support/bytes.js'
import { key, keyring, lastOf } from '../support/sdk.js'

// The module fetches WebAssembly from a web server; here the package provides it.
vi.mock('../../examples/demo/worker/core.js', () => ({ startAlgorithms: () => {} }))

/** Opens an SDK with the hash `none`, so that a payload is its own key. */
async function unhashed() {
  const stream = memory()
  const { signingKey } = key
  return { stream, sdk: await openSdk({ signingKey, annotators: [], stream, hash: 'none' }) }
}

describe('the inspector of the demo page', () => {
  it('recognizes a bundle about a payload that is derived from several payloads', async () => {
    const { sdk } = await unhashed()
    const { message } = await sdk.mutate([utf8('one'), utf8('other')], utf8('both'))
    expect(await inspect({ message: Uint8Array.from(message) }, keyring)).toMatchObject({
      kind: 'bundle',
      bundles: [{ key: 'both' }],
    })
  })

  it('reports a payload that is not UTF-8 as PAYLOAD_MISMATCH, for a batch as for a single bundle', async () => {
    const { sdk, stream } = await unhashed()
    const payload = Uint8Array.of(0xff)
    await sdk.createMany([utf8('one'), utf8('other')])
    const batch = lastOf(stream)
    const { message } = await sdk.create(utf8('one'))
    for (const one of [batch, message]) {
      const { trouble } = await inspect({ message: Uint8Array.from(one), payload }, keyring)
      expect(trouble?.code).toBe('PAYLOAD_MISMATCH')
    }
  })
})
