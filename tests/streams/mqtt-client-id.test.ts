// @node-only: its broker listens on a plain socket

import { hostname } from 'node:os'
import { mqtt, subscribe } from 'alvarium-sdk'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Heard } from '../brokers/scripted.js'
import { scripted } from '../support/scripts.js'

const where = { url: 'mqtt://localhost', topic: 't' }
/** Reads the client id in a CONNECT of MQTT 5, behind ten bytes and the properties. */
function clientIdIn({ body, text }: Heard): string {
  const at = 11 + (body[10] as number)
  return text.slice(at + 2, at + 2 + (body[at + 1] as number))
}

async function clientIdOf(clientId?: string | (() => string)): Promise<string> {
  const broker = await scripted()
  const stream = mqtt({ ...where, url: broker.url, ...(clientId && { clientId }) })
  onTestFinished(() => stream.close())
  await stream.connect()
  const [connect] = await broker.hears('connect')
  return clientIdIn(connect as Heard)
}

describe('the clientId of mqtt', () => {
  // claim: delivery-46
  it('is random by default', async () => {
    const ids = [await clientIdOf(), await clientIdOf()]
    expect(ids).toEqual([1, 2].map(() => expect.stringMatching(/^alvarium-[0-9a-f]{16}$/)))
    expect(new Set(ids).size).toBe(2)
  })

  it('is the one in the options', async () => {
    expect(await clientIdOf('archive-1')).toBe('archive-1')
  })

  // claim: delivery-47
  it("contains the machine's name in place of each {hostname}", async () => {
    expect(await clientIdOf('{hostname}-archive-{hostname}')).toBe(`${hostname()}-archive-${hostname()}`)
  })

  it('may be the return value of a function, which is called once', async () => {
    let calls = 0
    const id = await clientIdOf(() => `worker-${++calls} at {hostname}`)
    expect([id, calls]).toEqual([`worker-1 at ${hostname()}`, 1])
    const durable = { ...where, keyring: [], durable: true } as const
    expect(() => subscribe({ ...durable, clientId: () => 'archive-1' })).not.toThrow()
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
  ])('is refused if it is %o', (clientId, text) => {
    const options = { ...where, clientId: clientId as string }
    for (const read of [() => mqtt(options), () => subscribe({ ...options, keyring: [] })]) {
      expect(read).toThrow(
        expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringContaining(text) }),
      )
    }
  })

  it("with {hostname} is refused where no API reveals the machine's name", () => {
    vi.spyOn(process.getBuiltinModule('node:os'), 'hostname').mockReturnValue('')
    onTestFinished(() => void vi.restoreAllMocks())
    expect(() => mqtt({ ...where, clientId: 'archive-{hostname}' })).toThrow(
      'a name without {hostname}, which is not known here: a function can make one',
    )
  })
})
