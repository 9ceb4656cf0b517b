// @node-only: its broker listens on a plain socket

import { hostname } from 'node:os'
import { mqtt, subscribe } from 'alvarium-sdk'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { platform } from '../../dist/platform/platform.js'
import { readMqttOptions, readReceiveOptions } from '../../dist/streams/mqtt/options.js'
import { scripted } from '../support/scripts.js'

const where = { url: 'mqtt://localhost', topic: 't' }
const clientIdOf = (clientId?: string | (() => string)) => readMqttOptions({ ...where, clientId }).clientId

describe('the clientId', () => {
  // claim: delivery-46
  it('is random unless it is given', () => {
    expect(clientIdOf()).toMatch(/^alvarium-[0-9a-f]{16}$/)
    expect(clientIdOf()).not.toBe(clientIdOf())
  })

  it('is what is given', () => {
    expect(clientIdOf('archive-1')).toBe('archive-1')
  })

  // claim: delivery-47
  it('has the name of the machine for {hostname}, each time', () => {
    expect(clientIdOf('{hostname}-archive-{hostname}')).toBe(`${hostname()}-archive-${hostname()}`)
  })

  it('is what a function returns, which is called once', () => {
    let calls = 0
    const id = clientIdOf(() => `worker-${++calls} at {hostname}`)
    expect([id, calls]).toEqual([`worker-1 at ${hostname()}`, 1])
  })

  it('is the name that a durable subscription needs', () => {
    expect(readReceiveOptions({ ...where, clientId: () => 'archive-1' })).toMatchObject({
      clientId: 'archive-1',
      clean: false,
    })
  })

  it.each<[unknown, string]>([
    ['', 'expected a string that is not empty, got ""'],
    [7, 'expected a string that is not empty, or a function that returns one, got 7'],
    [() => '', 'expected a function that returns a string that is not empty (a string that is not empty)'],
    [() => 7, 'expected a function that returns a string that is not empty (a string)'],
    [
      () => {
        throw new Error('no name today')
      },
      'expected a function that returns a string that is not empty (no name today)',
    ],
  ])('is not %o', (clientId, text) => {
    const options = { ...where, clientId: clientId as string }
    for (const read of [() => mqtt(options), () => subscribe({ ...options, keyring: [] })]) {
      expect(read).toThrow(
        expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringContaining(text) }),
      )
    }
  })

  it('cannot have the name of the machine where no program knows it', () => {
    vi.spyOn(platform as Required<typeof platform>, 'machineName').mockReturnValue('')
    onTestFinished(() => void vi.restoreAllMocks())
    expect(() => clientIdOf('archive-{hostname}')).toThrow(
      'a name without {hostname}, which is not known here: a function can make one',
    )
  })

  it('is what the broker is told', async () => {
    const broker = await scripted()
    const stream = mqtt({ ...where, url: broker.url, clientId: 'gateway-{hostname}' })
    onTestFinished(() => stream.close())
    await stream.connect()
    expect((await broker.hears('connect'))[0]?.text).toContain(`gateway-${hostname()}`)
  })
})
