// @node-only: it uses files

import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { memory } from 'alvarium-sdk'
import { outbox } from 'alvarium-sdk/outbox'
import { describe, expect, it, vi } from 'vitest'
import { textOf, utf8 } from '../support/bytes.js'
import { absent, opened, outgoing } from '../support/outgoing.js'
import { newPlace } from '../support/places.js'
import { recordFiles } from '../support/stored-files.js'

const MESSAGES = ['one', 'two', 'three', 'four', 'five']

async function fill(store: string): Promise<void> {
  const box = await opened({ stream: absent(), store })
  for (const text of MESSAGES) await box.publish(utf8(text))
  await box.close()
}

const removeRecords = (store: string) => {
  for (const path of recordFiles(store)) rmSync(path)
}

/** Returns the messages delivered, losses reported and lines logged when the store is opened again. */
async function outcome(store: string) {
  const stream = memory()
  const warn = vi.fn()
  const box = outbox({ stream, store, closeTimeoutMs: 1_000 })
  const counts: number[] = []
  box.addEventListener('damaged', ({ count }) => counts.push(count))
  await box.connect({ logger: { debug: () => {}, info: () => {}, error: () => {}, warn } })
  await vi.waitFor(() => expect(box.stored.messages).toBe(0))
  await box.close()
  const told = counts.reduce((sum, count) => sum + count, 0)
  return { delivered: stream.messages.map(textOf), told, warned: warn.mock.calls.map(([, text]) => text) }
}

describe('the mark of an outbox folder (the stored first and last record number)', () => {
  const damage = (path: string) => writeFileSync(path, 'rubbish')

  // claim: delivery-58
  it.each([
    ['damaged', damage],
    ['gone', (path: string) => rmSync(path)],
  ])('still shows how many messages are missing if one of its two files is %s', async (_, fault) => {
    for (const name of ['mark', 'mark-copy']) {
      const place = newPlace()
      await fill(place)
      removeRecords(place)
      fault(join(place, name))
      const warned =
        name === 'mark' || fault === damage ? [expect.stringContaining('the other one is used')] : []
      expect(await outcome(place)).toEqual({ delivered: [], told: 5, warned })
    }
  })

  // claim: delivery-59
  it('is reported once as missing if its copy is missing too', async () => {
    const place = newPlace()
    await fill(place)
    for (const name of ['mark', 'mark-copy']) rmSync(join(place, name))
    const told: string[] = []
    for (const delivered of [5, 0]) {
      const stream = memory()
      const box = outbox({ stream, store: place, closeTimeoutMs: 1_000 })
      box.addEventListener('damaged', ({ count, error }) => told.push(`${count} ${error.message}`))
      await box.connect()
      await vi.waitFor(() => expect(box.stored.messages).toBe(0))
      await box.close()
      expect(stream.messages).toHaveLength(delivered)
    }
    expect(told).toEqual([
      expect.stringMatching(
        /^0 store: the mark, with the numbers of the first and last record, is missing: .* cannot be counted/,
      ),
    ])
  })

  it.each([
    ['damaged', damage],
    ['gone', (path: string) => rmSync(path)],
  ])('is reported once as lost if it and its copy are %s and all messages are gone', async (_, fault) => {
    const place = newPlace()
    await fill(place)
    removeRecords(place)
    for (const name of ['mark', 'mark-copy']) fault(join(place, name))
    const box = outbox({ stream: memory(), store: place })
    const told = vi.fn()
    box.addEventListener('damaged', told)
    await box.connect()
    await box.close()
    expect(told).toHaveBeenCalledOnce()
  })

  // claim: delivery-78
  it('prevents delivered messages from being sent again, unless it and its copy are gone', async () => {
    const store = newPlace()
    await fill(store)
    const stream = outgoing((text) => (text === 'three' ? new Promise(() => {}) : undefined))
    const box = await opened({ stream, store, maxInFlight: 1, closeTimeoutMs: 100 })
    await vi.waitFor(() => expect(stream.handed).toContain('three'))
    await box.close()
    for (const name of ['mark', 'mark-copy']) rmSync(join(store, name))
    expect(await outcome(store)).toEqual({ delivered: MESSAGES, told: 0, warned: [] })
  })

  it('exists from the first opening on, so that a new outbox reports no loss', async () => {
    const place = newPlace()
    for (let time = 0; time < 3; time++) {
      const box = outbox({ stream: memory(), store: place })
      const [told, warn] = [vi.fn(), vi.fn()]
      box.addEventListener('damaged', told)
      await box.connect({ logger: { debug: () => {}, info: () => {}, error: () => {}, warn } })
      await box.close()
      expect([told.mock.calls, warn.mock.calls]).toEqual([[], []])
    }
  })
})

// claim: troubleshooting-7
it('an outbox refuses a folder of another program whose files are named like its own, and leaves the files there', async () => {
  const store = newPlace()
  writeFileSync(join(store, 'records-1'), 'of another program')
  await expect(opened({ stream: memory(), store })).rejects.toMatchObject({
    code: 'STORE_DAMAGED',
    message: expect.stringContaining(`${store}: move them away, or name another folder`),
  })
  expect(readdirSync(store)).toEqual(['records-1'])
})
