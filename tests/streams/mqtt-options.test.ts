import { mqtt } from 'alvarium-sdk'
import { describe, expect, it } from 'vitest'
import { platform } from '../support/platform.js'

const good = { url: 'wss://broker:8084/mqtt', topic: 'alvarium-topic' }
const complaint = (options: object): string => {
  try {
    mqtt({ ...good, ...options })
  } catch (error) {
    expect(error).toMatchObject({ name: 'AlvariumError', code: 'CONFIG_INVALID' })
    return (error as Error).message
  }
  return 'none'
}

describe('the options of mqtt', () => {
  it('need no more than a url and a topic', () => {
    expect(complaint({})).toBe('none')
  })

  it.each(['a'.repeat(65_535), `${'ü'.repeat(32_767)}a`, '🙂'.repeat(16_383)])(
    'accept a topic of up to 65,535 bytes, whatever its number of characters',
    (topic) => {
      expect(complaint({ topic })).toBe('none')
      const longer = `${topic}🙂`
      expect(complaint({ topic: longer })).toContain(
        'a topic of at most 65535 bytes, without U+0000 and lone surrogates, got',
      )
    },
  )

  it('accept numbers at their limits', () => {
    const least = { maxInFlight: 1, keepAliveSeconds: 0, publishTimeoutMs: 1, maxQueuedMessages: 1 }
    const most = { maxInFlight: 65_535, keepAliveSeconds: 65_535, publishTimeoutMs: 2_147_483_647 }
    expect([complaint(least), complaint(most)]).toEqual(['none', 'none'])
  })

  it.each([
    [{ url: 7 }, 'stream.url: expected a URL, got a number'],
    [{ url: 'broker:1883:' }, 'stream.url: expected a URL, got a string that is not a URL'],
    [{ url: 'http://broker/' }, `stream.url: expected a URL with ${platform.schemes}, got http://broker/`],
    [{ topic: '' }, 'stream.topic.0: expected a string that is not empty, got ""'],
    [{ topic: [] }, 'stream.topic: expected at least one topic, got an Array'],
    [{ topic: 'a/+' }, 'stream.topic.0: expected a topic without the wildcards + and #, got "a/+"'],
    [{ topic: ['a', '#'] }, 'stream.topic.1: expected a topic without the wildcards + and #, got "#"'],
    [{ qos: 3 }, 'stream.qos: expected 0, 1 or 2, got 3'],
    [{ retain: 'yes' }, 'stream.retain: expected true or false, got "yes"'],
    [
      { topic: 'a\0b' },
      'stream.topic.0: expected a topic of at most 65535 bytes, without U+0000 and lone surrogates, got "a\\u0000b"',
    ],
    [{ maxInFlight: 65_536 }, 'stream.maxInFlight: expected an integer from 1 to 65535, got 65536'],
    [
      { connectTimeoutMs: 2 ** 31 },
      'stream.connectTimeoutMs: expected an integer from 1 to 2147483647, got 2147483648',
    ],
    [
      { maxQueuedMessages: 0 },
      'stream.maxQueuedMessages: expected an integer from 1 to 9007199254740991, got 0',
    ],
    [{ maxQueuedBytes: 0 }, 'stream.maxQueuedBytes: expected an integer from 1 to 9007199254740991, got 0'],
    [{ maxInFlight: 0 }, 'stream.maxInFlight: expected an integer from 1 to 65535, got 0'],
    [{ keepAliveSeconds: 1.5 }, 'stream.keepAliveSeconds: expected an integer from 0 to 65535, got 1.5'],
    [{ protocolVersion: 3 }, 'stream.protocolVersion: expected 4 or 5, got 3'],
    [{ tls: { ca: 1 } }, 'stream.tls.ca: expected PEM, as a string or a Uint8Array, got a number'],
    [{ tpoic: 'a' }, 'stream.tpoic: is not a known option (topic?)'],
  ])('given as %o are refused with an error that names the option', (options, message) => {
    expect(complaint(options)).toBe(message)
  })

  it('are refused if they contain a string that MQTT cannot encode', () => {
    const long = 'x'.repeat(65_536)
    for (const text of [long, 'a\0', '\ud800']) {
      const options = [
        { topic: text },
        { clientId: text },
        { username: text },
        { userProperties: { a: text } },
        { userProperties: { [text]: 'a' } },
      ]
      for (const one of options)
        expect(complaint(one)).toMatch(
          /^stream\..*: expected .* of at most 65535 bytes, without U\+0000 and lone surrogates, got/,
        )
    }
    // A password may have any bytes.
    expect(complaint({ username: 'ü', password: '\0', userProperties: { ü: '', '': '🙂' } })).toBe('none')
    expect(complaint({ password: long })).toBe(
      'stream.password: expected a string of at most 65535 bytes, got a string of 65536 characters',
    )
  })

  it('are refused without a password in the error', () => {
    expect(complaint({ password: 123456 })).toBe('stream.password: expected a string, got a number')
    const inUrl = complaint({ url: 'wss://ada:battery-staple@broker/mqtt?token=horse' })
    expect(inUrl).toContain('username and password have their own options')
    expect(inUrl).not.toMatch(/battery-staple|horse/)
  })
})
