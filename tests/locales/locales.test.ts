// @node-only: it starts processes in other time zones and languages

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { generateKey, toHex } from 'alvarium-sdk'
import { expect, it } from 'vitest'
import { bundleBy } from '../support/by-hand.js'
import { textOf } from '../support/bytes.js'
import { LANGUAGES, ZONES } from './places.mjs'

const run = promisify(execFile)
const [device, subject] = [generateKey(), generateKey()]
const message = (host: string, timestamp: string) =>
  textOf(bundleBy(device, { payload: 'I', host, timestamp }).message)
const INPUT = JSON.stringify({
  signingKey: toHex(device.signingKey),
  subject: toHex(subject.signingKey),
  messages: [
    message('FACTORY-I1', '2026-11-20T10:00:00.000001Z'),
    message('factory-i1', '2026-11-20T15:29:59+05:30'),
    message('FACTORY-İ1', '2026-11-19T23:59:59.999-02:30'),
  ],
})

/** Runs the program on a machine with this time zone and this language. */
async function saidAt(zone: string, language: string): Promise<Record<string, unknown>> {
  const env = {
    PATH: process.env['PATH'],
    HOME: process.env['HOME'],
    TZ: zone,
    LANG: language,
    LC_ALL: language,
  }
  const { stdout } = await run(process.execPath, ['tests/locales/said.mjs', INPUT], { env })
  return JSON.parse(stdout)
}

it('keys, messages, digests, packs, verdicts and their texts are the same in each time zone and language', async () => {
  const here = await saidAt('UTC', 'C')
  // `npm run test:long` runs tests there, and `node tests/locales/main.mjs --full` also in the other six pairs.
  for (const [at, zone] of ZONES.entries()) {
    expect(await saidAt(zone, LANGUAGES[at] as string), zone).toEqual(here)
  }
})
