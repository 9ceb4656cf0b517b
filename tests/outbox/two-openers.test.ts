// @node-only: it uses files

import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { storeAt } from '#outbox-store'
import { utf8 } from '../support/bytes.js'
import { absent, opened } from '../support/outgoing.js'
import { newPlace } from '../support/places.js'
import { flipBitAt, largest } from '../support/stored-files.js'

// Two processes that open one damaged store at once would each report the loss.

const MANY = 300
const names = Array.from({ length: MANY }, (_, at) => `<message ${at + 1}>`)
const program = fileURLToPath(new URL('../support/outbox-opener.mjs', import.meta.url))
const PATIENT = 120_000

async function damagedStore(): Promise<string> {
  const store = newPlace()
  const box = await opened({ stream: absent(), store })
  await Promise.all(names.map((name) => box.publish(utf8(name.padEnd(400, '.')))))
  await box.close()
  flipBitAt(largest(store), '<message 50>')
  return store
}

async function opener(store: string, ...before: string[]) {
  const [command = '', ...args] = [...before, process.execPath, program, store]
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const lines = createInterface(child.stdout)
  const next = async () => `${(await once(lines, 'line'))[0]}`
  await next()
  return {
    kill: async () => {
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
    open: () => {
      const answer = next()
      child.stdin.write('open\n')
      return answer
    },
    outcome: async (): Promise<{ delivered: string[]; gone: unknown[] }> => {
      const answer = next()
      child.stdin.end()
      return JSON.parse((await answer).replace('outcome ', ''))
    },
  }
}

const left = names.filter((_, at) => at !== 49)

describe('two programs that open the same outbox store with a damaged message', () => {
  // claim: delivery-39
  it(
    'lose no message and send none twice, even as separate processes',
    async () => {
      for (let round = 0; round < 3; round++) {
        const store = await damagedStore()
        const both = await Promise.all([opener(store), opener(store)])
        const answers = await Promise.all(both.map((each) => each.open()))
        expect(answers.toSorted()).toEqual(['open', 'refused STORE_LOCKED'])
        const outcomes = await Promise.all(both.map((each) => each.outcome()))
        expect(
          outcomes.flatMap(({ delivered }) => delivered.map((text) => text.replace(/\.+$/, ''))),
        ).toEqual(left)
        expect(outcomes.flatMap((each) => each.gone)).toEqual([[50, 50]])
      }
    },
    PATIENT,
  )

  it('cannot both have the store, even in the same process', async () => {
    const place = await damagedStore()
    const stores = [storeAt(place), storeAt(place)]
    onTestFinished(async () => void (await Promise.all(stores.map((store) => store.close()))))
    const outcomes = await Promise.allSettled(stores.map((store) => store.open()))
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    const second = outcomes.find(({ status }) => status === 'rejected')
    expect(second).toMatchObject({
      reason: { code: 'STORE_LOCKED', message: expect.stringContaining(place) },
    })
    const first = stores[outcomes.findIndex(({ status }) => status === 'fulfilled')]
    expect(await first?.numbers?.()).toHaveLength(left.length)
  })
})

describe('an outbox in a second container with its own network', () => {
  const OTHER_NETWORK = ['unshare', '--net']
  const isAllowed = spawnSync('unshare', ['--net', 'true']).status === 0

  // claim: delivery-79
  it.runIf(isAllowed)(
    'is refused the store with STORE_LOCKED until the first process has been killed',
    async () => {
      const store = await damagedStore()
      const one = await opener(store)
      expect(await one.open()).toBe('open')
      const early = await opener(store, ...OTHER_NETWORK)
      expect(await early.open()).toBe('refused STORE_LOCKED')
      await one.kill()
      expect(readdirSync(store)).toContain('lock')
      const late = await opener(store, ...OTHER_NETWORK)
      expect(await late.open()).toBe('open')
      const again = await opener(store)
      expect(await again.open()).toBe('refused STORE_LOCKED')
      expect((await late.outcome()).delivered).toHaveLength(left.length)
      expect(readdirSync(store)).not.toContain('lock')
    },
    PATIENT,
  )
})
