import { vulnerability } from 'alvarium-artifacts'
import { mqtt } from 'alvarium-sdk'
import { fromConfig } from 'alvarium-sdk/config'
import { describe, expect, it } from 'vitest'

async function refusal(open: () => unknown): Promise<string> {
  try {
    await open()
    return 'nothing'
  } catch (error) {
    return String(error)
  }
}

const REFUSED = /expected (a URL without user and password|a URL with |the name or address of a host)/

describe('a misplaced password is refused and shown nowhere', () => {
  it.each([
    'ws://host/me:geheim@mqtt',
    'ws://host//me:geheim@other/mqtt',
    'mqtt://host/me:geheim@other',
    'ws://host/me%3Ageheim%40other',
    'ws://me:geheim@host',
  ])('in the URL of a broker: %s', async (url) => {
    const said = await refusal(() => mqtt({ url, topic: 't' }))
    expect(said).toMatch(REFUSED)
    expect(said).not.toContain('geheim')
  })

  it.each([
    'https://me:geheim@host/v1',
    'https://host/me:geheim@v1',
    'foo:me:geheim@host',
    'https:me:geheim@host',
  ])('in the URL of the vulnerability annotator: %s', async (url) => {
    const said = await refusal(() => vulnerability({ url }))
    expect(said).toMatch(REFUSED)
    expect(said).not.toContain('geheim')
  })

  it.each(['stream', 'annotators'])('in the host of a config, in the member %s', async (where) => {
    const host = 'me:geheim@host'
    const half = { type: 'ed25519', path: 'nothing.key' }
    const osv = { kind: 'vulnerability', provider: { host, protocol: 'https', port: 443 } }
    const broker = {
      type: 'mqtt',
      config: { topics: ['t'], provider: { host, protocol: 'tcp', port: 1883 } },
    }
    const config = {
      annotators: where === 'annotators' ? [osv] : [],
      hash: { type: 'sha256' },
      signature: { public: half, private: half },
      stream: where === 'stream' ? broker : { type: 'mock' },
      layer: 'app',
    }
    const said = await refusal(() => fromConfig(config))
    expect(said).toMatch(REFUSED)
    expect(said).not.toContain('geheim')
  })
})
