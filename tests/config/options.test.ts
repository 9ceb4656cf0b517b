import { openSdk, source } from 'alvarium-sdk'
import { describe, expect, it } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { failure } from '../support/failure.js'
import { key, opened, yes } from '../support/sdk.js'

/** Opens an SDK with working options that a test overrides, untyped like those of JavaScript callers. */
const open = (options: object) =>
  openSdk({
    signingKey: key.signingKey,
    annotators: [source()],
    stream: { publish: () => {} },
    ...options,
  } as never)
const complaint = async (options: object) => {
  const { code, message } = await failure(() => open(options))
  return `${code} ${message}`
}

describe('openSdk with an invalid option', () => {
  it.each(['host', 'tag'])(
    'refuses a lone surrogate in %s, because two different surrogates would be signed as the same bytes',
    async (name) => {
      expect(await complaint({ [name]: 'a\ud800' })).toMatch(
        new RegExp(`^CONFIG_INVALID ${name}: expected a string without lone surrogates, got `),
      )
    },
  )

  // claim: format-45
  it.each([
    ['signingKey', { signingKey: 7 }, 'a private key', 'a number'],
    ['signingKey', { signingKey: '' }, 'a private key', 'a string'],
    ['signingKey', { signingKey: null }, 'a private key', 'null'],
    ['signingKey', { signingKey: undefined }, 'a private key', 'undefined'],
    ['annotators', { annotators: source() }, 'an array of annotators', 'an Object'],
    ['annotators', { annotators: undefined }, 'an array of annotators', 'undefined'],
    ['annotators.1', { annotators: [source(), source] }, 'an annotator', 'a function'],
    ['annotators.0', { annotators: [{ kind: 'a' }] }, 'isSatisfied()', 'an Object'],
    ['annotators.0', { annotators: [{ isSatisfied: () => true }] }, 'kind', 'an Object'],
    ['annotators.0', { annotators: [yes('')] }, 'kind', 'an Object'],
    ['annotators.0', { annotators: [yes('signal')] }, 'a kind other than signal', 'an Object'],
    ['annotators.0', { annotators: [yes('tag')] }, 'a kind other than tag', 'an Object'],
    ['annotators[0].kind', { annotators: [yes('k'.repeat(256))] }, '1 to 255 bytes', '256'],
    ['annotators[0].kind', { annotators: [yes('ü'.repeat(128))] }, '1 to 255 bytes', '256'],
    ['annotators', { annotators: Array(33).fill(source()) }, '0 to 32', '33'],
    ['stream', { stream: undefined }, 'a stream with publish()', 'undefined'],
    ['stream', { stream: {} }, 'a stream with publish()', 'an Object'],
    ['stream', { stream: { publish: true } }, 'a stream with publish()', 'an Object'],
    ['layer', { layer: 'application' }, 'app, cicd, os or host', '"application"'],
    ['layer', { layer: null }, 'app, cicd, os or host', 'null'],
    ['hash', { hash: 'sha1' }, 'sha256, md5 or none', '"sha1"'],
    ['hash', { hash: 'SHA256' }, 'sha256, md5 or none', '"SHA256"'],
    ['engine', { engine: 'gpu' }, 'auto, wasm or host', '"gpu"'],
    ['host', { host: 7 }, 'a string', '7'],
    ['host', { host: 'h'.repeat(256) }, '0 to 255 bytes', '256'],
    ['host', { host: '数'.repeat(86) }, '0 to 255 bytes', '258'],
    ['host', { host: 'h'.repeat(65_537) }, 'at most 65,536 characters', 'a string'],
    ['tag', { tag: 't'.repeat(65_537) }, 'at most 65,536 characters', 'a string'],
    ['annotators.0', { annotators: [yes('k'.repeat(65_537))] }, 'at most 65,536 characters', 'an Object'],
    ['tag', { tag: ['a'] }, 'a string', 'an Array'],
    ['tag', { tag: 't'.repeat(1025) }, '0 to 1024 bytes', '1025'],
    ['annotatorTimeoutMs', { annotatorTimeoutMs: 0 }, 'an integer from 1 to 2147483647', '0'],
    ['annotatorTimeoutMs', { annotatorTimeoutMs: -1 }, 'an integer from 1 to 2147483647', '-1'],
    ['annotatorTimeoutMs', { annotatorTimeoutMs: 1.5 }, 'an integer from 1 to 2147483647', '1.5'],
    ['annotatorTimeoutMs', { annotatorTimeoutMs: 2 ** 31 }, 'an integer from 1 to 2147483647', '2147483648'],
    ['annotatorTimeoutMs', { annotatorTimeoutMs: '5' }, 'an integer from 1 to 2147483647', '"5"'],
    ['annotatorTimeoutMs', { annotatorTimeoutMs: Number.NaN }, 'an integer from 1 to 2147483647', 'NaN'],
    ['logger', { logger: console.log }, 'a logger with debug, info, warn and error', 'a function'],
    ['logger', { logger: { error: () => {} } }, 'a logger with debug, info, warn and error', 'an Object'],
    ['signal', { signal: true }, 'an AbortSignal', 'true'],
  ])(
    'refuses %s with the options %o, and names the expected and the given value',
    async (name, options, expected, got) => {
      const text = await complaint(options)
      expect(text).toMatch(/^CONFIG_INVALID /)
      expect(text).toContain(` ${name}: expected `)
      expect(text).toContain(expected)
      expect(text.split(', got ')[1]).toContain(got)
    },
  )

  it.each([
    ['a text', 'create'],
    ['an action that does not exist', ['crate']],
    ['a number', 5],
  ])('refuses an annotator whose actions are %s', async (_, actions) => {
    const annotators = [{ ...yes('a'), actions }]
    expect(await complaint({ annotators })).toMatch(/^CONFIG_INVALID annotators.0.*actions/)
  })

  it.each(['signingKey', 'annotators', 'stream'])('names the option %s if it is missing', async (name) => {
    const options: Record<string, unknown> = {
      signingKey: key.signingKey,
      annotators: [],
      stream: { publish() {} },
    }
    delete options[name]
    const { code, message } = await failure(() => openSdk(options as never))
    expect({ code, message }).toEqual({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining(`${name}: expected a`),
    })
  })

  it.each([undefined, null, 7, 'options'])(
    'refuses %j in place of the options, and names an object as the expected value',
    async (options) => {
      const { code, message } = await failure(() => openSdk(options as never))
      expect({ code, message }).toEqual({
        code: 'CONFIG_INVALID',
        message: expect.stringMatching(/options: expected an? o/),
      })
    },
  )

  it('connects no stream', async () => {
    let connects = 0
    const stream = { connect: () => connects++, publish: () => {} }
    await failure(() => open({ stream, layer: 'x' }))
    await failure(() => open({ stream, host: 'h'.repeat(256) }))
    expect(connects).toBe(0)
  })
})

describe('openSdk with options at their limits', () => {
  it.each([
    { host: 'h'.repeat(255) },
    { tag: 't'.repeat(1024) },
    { annotatorTimeoutMs: 1 },
    { annotatorTimeoutMs: 2 ** 31 - 1 },
    {
      layer: undefined,
      hash: undefined,
      engine: undefined,
      host: undefined,
      tag: undefined,
      logger: undefined,
      signal: undefined,
      annotatorTimeoutMs: undefined,
    },
  ])('accepts the options %o', async (options) => {
    const { sdk, verified } = await opened([yes('k'.repeat(255))], options as object)
    await sdk.create(utf8('a'))
    expect((await verified()).annotations).toHaveLength(1)
  })
})
