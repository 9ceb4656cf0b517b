// @own-process: it stops the clock
// @node-only: it uses files, Buffers, processes or a stopped clock

import { mkdtempSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readTrust, type Trust, type TrustEventMap } from 'alvarium-sdk/trust'
import { afterEach, expect, it, onTestFinished, vi } from 'vitest'
import { failure } from '../support/failure.js'
import { messageFrom, policyOf, told } from '../support/trust.js'

const folder = mkdtempSync(join(tmpdir(), 'trust-'))
const path = join(folder, 'trust.json')
const write = (policy: unknown) => {
  writeFileSync(`${path}.new`, typeof policy === 'string' ? policy : JSON.stringify(policy))
  renameSync(`${path}.new`, path)
}
const next = <Type extends keyof TrustEventMap>(trust: Trust, type: Type) =>
  new Promise<TrustEventMap[Type]>((resolve) => trust.addEventListener(type, resolve, { once: true }))

afterEach(() => rmSync(path, { force: true }))

it('a watched file that does not end is not read to its end', async () => {
  const { code, message } = await failure(() => readTrust('/dev/zero'))
  expect([code, message]).toEqual([
    'CONFIG_INVALID',
    expect.stringContaining('a file of more than 33554432 bytes'),
  ])
})

// claim: trust-52
it('a watched file is read again when it is replaced, but a new file that is not a policy changes nothing', async () => {
  write(policyOf())
  await using trust = await readTrust(path, { watch: true, watchMs: 10 })
  const updated = next(trust, 'updated')
  write(policyOf({ hosts: ['edge-8'] }))
  expect((await updated).changed).toEqual(['gateway-1'])
  expect(await told(await messageFrom(), trust)).toBe('SIGNER_NOT_ALLOWED')
  const failed = next(trust, 'updatefailed')
  write('{"signers": 5}')
  expect((await failed).error.message).toContain('signers: expected an array of signers')
  expect(await told(await messageFrom(), trust)).toBe('SIGNER_NOT_ALLOWED')
  const restored = next(trust, 'updated')
  write(policyOf())
  await restored
  expect(await told(await messageFrom(), trust)).toBe('gateway-1')
})

// claim: trust-51, threats-90
it('a watched file is read only when it has stopped changing, because a half-written YAML file can be valid YAML', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  write(policyOf())
  await using trust = await readTrust(path, { watch: true, watchMs: 1000 })
  let isTaken = false
  trust.addEventListener('updated', () => {
    isTaken = true
  })
  write(policyOf({ hosts: ['edge-8'] }))
  vi.advanceTimersByTime(1000)
  // Wait for the time of three reads.
  for (let reads = 0; reads < 3; reads++) await readTrust(path)
  expect(isTaken).toBe(false)
  await vi.waitFor(() => {
    vi.advanceTimersByTime(1000)
    expect(isTaken).toBe(true)
  })
})

it('a watched file is read again even if a new file has the same size and time, which copying may keep', async () => {
  write(policyOf({ hosts: ['edge-7'] }))
  const { atime, mtime } = statSync(path)
  await using trust = await readTrust(path, { watch: true, watchMs: 10 })
  const updated = next(trust, 'updated')
  writeFileSync(path, JSON.stringify(policyOf({ hosts: ['edge-8'] })))
  utimesSync(path, atime, mtime)
  expect((await updated).changed).toEqual(['gateway-1'])
})

it('a watched file has its fault reported once, however often the file is checked', async () => {
  write(policyOf())
  await using trust = await readTrust(path, { watch: true, watchMs: 1 })
  const told: string[] = []
  trust.addEventListener('updatefailed', ({ error }) => told.push(error.message))
  write('{"signers": 5}')
  await vi.waitFor(() => expect(told).toHaveLength(1))
  write('{"signers": 6}')
  await vi.waitFor(() => expect(told).toHaveLength(2))
  expect(told[1]).toContain('got 6')
  const updated = next(trust, 'updated')
  write(policyOf({ hosts: ['edge-8'] }))
  await updated
  expect(told).toHaveLength(2)
})
