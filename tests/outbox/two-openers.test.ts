// @node-only: it uses files and LevelDB

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { storeAt } from '#outbox-store'
import { utf8 } from '../support/bytes.js'
import { absent, opened } from '../support/outgoing.js'
import { newPlace } from '../support/places.js'
import { flipBitAt, largest } from '../support/stored-files.js'

// Two that open one damaged store at once: the files that one of them puts in order are no damage to the other.

const MANY = 300
const names = Array.from({ length: MANY }, (_, at) => `<message ${at + 1}>`)
const program = fileURLToPath(new URL('../support/outbox-opener.mjs', import.meta.url))
const PATIENT = 120_000

const damages = [
  [
    'a list of files that is rubbish',
    [],
    (store: string) => writeFileSync(join(store, 'CURRENT'), 'rubbish'),
  ],
  [
    'a table with a message that is altered',
    [[50, 50]],
    (store: string) => flipBitAt(largest(store, 'ldb'), '<message 50>'),
  ],
] as const

async function inTables(): Promise<string> {
  const store = newPlace()
  const box = await opened({ stream: absent(), store })
  await Promise.all(names.map((name) => box.publish(utf8(name.padEnd(400, '.')))))
  await box.close()
  await (await opened({ stream: absent(), store })).close()
  return store
}

const salvagesIn = (store: string) => readdirSync(store).filter((name) => name.startsWith('salvage'))

/** A process that is about to open a store. */
async function opener(store: string) {
  const child = spawn(process.execPath, [program, store], { stdio: ['pipe', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const lines = createInterface(child.stdout)
  const next = async () => `${(await once(lines, 'line'))[0]}`
  await next()
  return {
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

describe.each(damages)('two who open a store with %s at once', (_, gone, damage) => {
  const left = names.filter((_, at) => !gone.some(([number]) => number === at + 1))

  // claim: delivery-39
  it(
    'as processes: one has it, the other is told so; nothing is lost, or comes twice',
    async () => {
      for (let round = 0; round < 3; round++) {
        const store = await inTables()
        damage(store)
        const both = await Promise.all([opener(store), opener(store)])
        const answers = await Promise.all(both.map((each) => each.open()))
        expect(answers.toSorted()).toEqual(['open', 'refused STORE_LOCKED'])
        const outcomes = await Promise.all(both.map((each) => each.outcome()))
        expect(
          outcomes.flatMap(({ delivered }) => delivered.map((text) => text.replace(/\.+$/, ''))),
        ).toEqual(left)
        expect(outcomes.flatMap((each) => each.gone)).toEqual(gone)
        expect(salvagesIn(store)).toEqual([])
      }
    },
    PATIENT,
  )

  it('as two outboxes of one process: the files are put in order once', async () => {
    const place = await inTables()
    damage(place)
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
    expect(salvagesIn(place)).toEqual([])
  })
})

it('an opening that was interrupted keeps nobody out, nor one whose lock is damaged', async () => {
  const store = await inTables()
  writeFileSync(join(store, 'opening', 'CURRENT'), 'rubbish')
  expect((await opened({ stream: absent(), store })).stored.messages).toBe(MANY)
})
