// @browser: host and tag come from the page

import { type Layer, source } from 'alvarium-sdk'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { platform } from '../support/platform.js'
import { opened } from '../support/sdk.js'

const payload = utf8('hello')

afterEach(() => vi.unstubAllEnvs())

describe('the host in bundles', () => {
  it('is the one in the options', async () => {
    const { sdk } = await opened([source()], { host: 'Grüße-数据-7' })
    expect((await sdk.create(payload)).bundle.host).toBe('Grüße-数据-7')
  })

  it("is by default the name of this machine, or of the page's host", async () => {
    const { sdk } = await opened([source()], { host: undefined })
    expect((await sdk.create(payload)).bundle.host).toBe(platform.hostName)
  })

  it('may be empty', async () => {
    const { sdk, verified } = await opened([source()], { host: '' })
    await sdk.create(payload)
    expect((await verified(payload)).host).toBe('')
  })
})

describe('the layer in bundles', () => {
  it.each<Layer>(['app', 'cicd', 'os', 'host'])('is "%s" if the options name that layer', async (layer) => {
    const { sdk, verified } = await opened([source()], { layer })
    await sdk.create(payload)
    expect((await verified(payload)).layer).toBe(layer)
  })

  it('is "app" by default', async () => {
    const { sdk } = await opened([source()])
    expect((await sdk.create(payload)).bundle.layer).toBe('app')
  })
})

describe('the tag in annotations', () => {
  const tagOf = async (options: { layer?: Layer; tag?: string }) => {
    const { sdk } = await opened([source()], options)
    return (await sdk.create(payload)).bundle.annotations[0]?.tag
  }

  describe('without an option', () => {
    it('is the environment variable TAG for the layer "app", on platforms with environment variables', async () => {
      vi.stubEnv('TAG', 'v1.2.3')
      expect(await tagOf({ layer: 'app' })).toBe(platform.name === 'node' ? 'v1.2.3' : '')
    })

    it('is empty for the layer "app" if the environment variable TAG is not set', async () => {
      vi.stubEnv('TAG', undefined)
      expect(await tagOf({ layer: 'app' })).toBe('')
    })

    it.each<Layer>(['os', 'host'])('is the name of the host for the layer "%s"', async (layer) => {
      vi.stubEnv('TAG', 'v1.2.3')
      expect(await tagOf({ layer })).toBe('edge-7')
    })

    it('is empty for the layer "cicd"', async () => {
      vi.stubEnv('TAG', 'v1.2.3')
      expect(await tagOf({ layer: 'cicd' })).toBe('')
    })
  })

  it.each<Layer>(['app', 'cicd', 'os', 'host'])(
    'is the one in the options, for the layer "%s"',
    async (layer) => {
      vi.stubEnv('TAG', 'v1.2.3')
      expect(await tagOf({ layer, tag: 'mine' })).toBe('mine')
      expect(await tagOf({ layer, tag: '' })).toBe('')
    },
  )
})
