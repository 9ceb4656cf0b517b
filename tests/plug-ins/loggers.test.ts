// @own-process: it counts unhandled rejections of the process
import { AlvariumError, mqtt, openSdk, subscribe } from 'alvarium-sdk'
import { fromConfig } from 'alvarium-sdk/config'
import { file } from 'alvarium-sdk/file'
import { outbox } from 'alvarium-sdk/outbox'
import fastify from 'fastify'
import { describe, expect, it, vi } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { newPlace } from '../support/places.js'
import { key, keyring } from '../support/sdk.js'
import { faulty, outcomeOf } from './faults.js'

const stream = { publish: () => {} }
const annotators = [{ kind: 'broken', isSatisfied: faulty('throws') }]
const quietLogger = () => ({ debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() })
const openWith = (logger: object) =>
  openSdk({ signingKey: key.signingKey, annotators, stream, logger: logger as never })

describe('a logger that lacks a required method', () => {
  const half = { info: () => {}, error: () => {} } as never
  const url = 'ws://127.0.0.1:1'
  // claim: own-code-5
  it.each<[string, () => unknown]>([
    ['openSdk', () => openWith(half)],
    ['subscribe', () => subscribe({ url, topic: 't', durable: false, keyring, logger: half })],
    ['fromConfig', () => fromConfig({}, { logger: half })],
    ['mqtt', () => mqtt({ url, topic: 't' }).connect({ logger: half })],
    ['file', () => file({ path: `${newPlace()}/a` }).connect({ logger: half })],
    ['outbox', () => outbox({ stream, store: newPlace() }).connect({ logger: half })],
  ])('is refused by %s with CONFIG_INVALID', async (_, use) => {
    expect(await outcomeOf(use)).toBe('CONFIG_INVALID')
  })

  it('is refused with an error that names the missing methods', () => {
    const missing =
      'logger: expected the methods debug, info, warn and error, got a logger without debug, warn'
    expect(() => subscribe({ url, topic: 't', durable: false, keyring, logger: half })).toThrow(missing)
    expect(() => subscribe({ url, topic: 't', durable: false, keyring, logger: null as never })).toThrow(
      'logger: expected the methods debug, info, warn and error, got null',
    )
  })
})

describe('a log line that a logger could not write', () => {
  // claim: own-code-3
  it('is written once more, with the reason instead of its fields', async () => {
    const lines: string[] = []
    const write = (fields: object, text: string) => void lines.push(JSON.stringify({ ...fields, text }))
    const cyclic = { self: {} }
    cyclic.self = cyclic
    const own = { kind: 'own', isSatisfied: faulty('throws') }
    const error = (fields: object, text: string) =>
      write('err' in fields ? { ...fields, cyclic } : fields, text)
    const logger = { debug: write, info: write, warn: write, error }
    const sdk = await openSdk({
      signingKey: key.signingKey,
      annotators: [own],
      stream,
      logger: logger as never,
    })
    await sdk.create(utf8('a'))
    await sdk.close()
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      {
        loggerError: expect.stringContaining('circular'),
        text: 'annotator own: expected true or false, got an error: oops',
      },
    ])
  })
})

describe('a log line with an error', () => {
  it('contains the text of each cause once, even if pino writes the line', async () => {
    const lines: string[] = []
    const { log } = fastify({ logger: { level: 'warn', stream: { write: (line) => void lines.push(line) } } })
    const disk = Object.assign(new Error('the disk is full', { cause: new Error('a quota') }), {
      code: 'ENOSPC',
    })
    const own = { kind: 'own', isSatisfied: () => Promise.reject(disk) }
    const sdk = await openSdk({ signingKey: key.signingKey, annotators: [own], stream, logger: log })
    await sdk.create(utf8('a'))
    await sdk.close()
    const [{ err, ...line }] = lines.map((text) => JSON.parse(text)) as [
      Record<string, { message: string; stack: string }>,
    ]
    expect(err).toMatchObject({
      type: 'AlvariumError',
      code: 'ANNOTATOR_FAILED',
      message: 'annotator own: expected true or false, got an error: the disk is full: a quota',
    })
    const below = err?.stack.match(/^.*(AlvariumError|Error): .*$/gm)
    expect(below).toEqual([
      'AlvariumError: annotator own: expected true or false, got an error: the disk is full',
      'caused by: Error: the disk is full',
      'caused by: Error: a quota',
    ])
    expect(line).toMatchObject({
      msg: 'annotator own: expected true or false, got an error: the disk is full',
    })
  })

  it('contains an AlvariumError with its code and without its cause', async () => {
    const lines: unknown[] = []
    const logger = { ...quietLogger(), error: (fields: object) => void lines.push(fields) }
    const sdk = await openSdk({ signingKey: key.signingKey, annotators, stream, logger })
    await sdk.create(utf8('a'))
    await sdk.close()
    const [{ err }] = lines as [{ err: AlvariumError }]
    expect(err).toBeInstanceOf(AlvariumError)
    expect(err.code).toBe('ANNOTATOR_FAILED')
    expect(Object.keys(err)).toEqual(['name', 'code'])
    expect('cause' in err).toBe(false)
  })
})

describe('an application’s own stream', () => {
  it('receives a logger that does not throw even if the application’s logger does', async () => {
    const loggers: { info(fields: object, text: string): void }[] = []
    const own = {
      ...stream,
      connect: ({ logger }: { logger: (typeof loggers)[0] }) => void loggers.push(logger),
    }
    const logger = { ...quietLogger(), info: vi.fn(faulty('throws')) }
    for (let time = 0; time < 2; time++) {
      const sdk = await openSdk({ signingKey: key.signingKey, annotators: [], stream: own, logger })
      await sdk.close()
    }
    loggers[0]?.info({ fields: 1 }, 'text')
    expect(logger.info.mock.calls).toEqual([
      [{ fields: 1 }, 'text'],
      [{ loggerError: 'oops' }, 'text'],
    ])
    expect(loggers[1]).toBe(loggers[0])
  })
})
