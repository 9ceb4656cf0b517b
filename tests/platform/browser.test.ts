import { generateKey, memory, mqtt, openSdk, readKey, source, tls, tpm } from 'alvarium-sdk'
import { describe, expect, it } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { failure } from '../support/failure.js'
import { platform } from '../support/platform.js'
import { opened } from '../support/sdk.js'

describe('in a browser', () => {
  it('these tests use the support files for browsers', () => {
    expect(navigator.userAgent).toMatch(/Chrome\/|Firefox\//)
    expect(platform.name).toBe('browser')
  })

  it('the package loads its browser build, and nothing that is for Node', async () => {
    const { signingKey } = generateKey()
    await using sdk = await openSdk({ signingKey, annotators: [source()], stream: memory() })
    expect((await sdk.create(utf8('hello'))).bundle.host).toBe(location.hostname)
    const loaded = performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname)
    const platforms = loaded.filter((path) => path.includes('/dist/foundation/platform/'))
    const own = ['browser', 'platform', 'web'].map((name) => `/dist/foundation/platform/${name}.js`)
    expect(new Set(platforms)).toEqual(new Set(own))
  })

  it('mqtt() accepts only WebSocket URLs', async () => {
    const { code, message } = await failure(() => mqtt({ url: 'mqtt://broker:1883', topic: 't' }))
    expect(code).toBe('CONFIG_INVALID')
    expect(message).toContain('url: expected a URL with wss://, ws://, got mqtt://broker:1883')
  })

  it('readKey is unsupported, and the error asks for the contents of the key file', async () => {
    const { code, message } = await failure(() => readKey('private.key'))
    expect(code).toBe('KEY_INVALID')
    expect(message).toContain('there are no files here: pass the contents of the key file instead')
  })

  it('the tpm annotator finds no TPM, and the tls annotator is not satisfied by a page over HTTP', async () => {
    expect(location.protocol).toBe('http:')
    expect(isSecureContext).toBe(true)
    const { sdk } = await opened([source(), tpm(), tpm({ paths: ['/dev/null'] }), tls()])
    const { bundle } = await sdk.create(utf8('hello'))
    expect(bundle.annotations.map(({ kind, isSatisfied }) => [kind, isSatisfied])).toEqual([
      ['src', true],
      ['tpm', false],
      ['tpm', false],
      ['tls', false],
    ])
  })
})
