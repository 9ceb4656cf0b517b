// @slow: it starts Kafka

import { execFile, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { fetchJars } from '../../examples/kafka/server.mjs'

/** Returns whether Java is installed and Maven can fetch a broker. */
async function isFetched(): Promise<boolean> {
  try {
    if (spawnSync('java', ['-version']).status !== 0) throw new Error('There is no java')
    await fetchJars()
    return true
  } catch (error) {
    console.warn(`not tested: the example with Kafka. ${(error as Error).message}`)
    return false
  }
}

const isThere = await isFetched()

describe.skipIf(!isThere)('the example with Kafka', () => {
  it('publishes readings, each with a JWS, and their annotations, and verifies everything that it consumes', async () => {
    const script = fileURLToPath(new URL('../../examples/kafka/run.mjs', import.meta.url))
    const { stdout } = await promisify(execFile)(process.execPath, [script])
    expect(stdout).toContain('100 readings and their annotations verify')
  })
})
