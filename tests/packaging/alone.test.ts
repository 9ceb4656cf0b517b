import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, inject, it } from 'vitest'
import { printed } from './packed.js'

const { alone } = inject('packed')

/** Runs a program in the project that has alvarium-sdk and no other package. */
async function run(name: string, program: string): Promise<string> {
  const file = join(alone, `${name}.mjs`)
  await writeFile(file, program)
  return printed('node', [file], alone)
}

describe('a project that has installed alvarium-sdk and nothing else', () => {
  // claim: runtimes-2
  it('contains as many packages as the guide says', async () => {
    const page = await readFile(new URL('../../examples/guide/runtimes.md', import.meta.url), 'utf8')
    const [, others] = page.match(/adds (no|\d+) other packages/) ?? []
    const lock = JSON.parse(await readFile(join(alone, 'package-lock.json'), 'utf8'))
    // The lock file also lists the project and our package.
    expect(Object.keys(lock.packages).length - 2).toBe(others === 'no' ? 0 : Number(others))
  })

  it('signs and verifies, and reads configs and policies in JSON and YAML', async () => {
    const program = `
import { generateKey, memory, openSdk, toHex, verifyMessage } from 'alvarium-sdk'
import { fromConfig } from 'alvarium-sdk/config'
import { readTrust } from 'alvarium-sdk/trust'

const keys = generateKey()
const config = JSON.stringify({ annotators: ['src'], stream: { type: 'here' } })
const sdk = await openSdk(await fromConfig(config, { keys, streams: { here: () => memory() } }))
const { message } = await sdk.create(new Uint8Array(1))
await sdk.close()
const signers = [{ name: 'gateway', keys: [toHex(keys.verifyingKey)] }]
const trust = await readTrust(JSON.stringify({ signers }))
await readTrust(\`signers:\\n- name: gateway\\n  keys: [\${toHex(keys.verifyingKey)}]\`)
console.log((await verifyMessage(message, { keyring: trust })).annotations.length)
`
    expect(await run('json', program)).toBe('1')
  })

  // claim: runtimes-10
  it.each([
    [
      'mqtt',
      'a stream',
      "(await import('alvarium-sdk')).mqtt({ url: 'ws://localhost:1', topic: 't' }).connect()",
    ],
    [
      'mqtt',
      'a subscription',
      "(await import('alvarium-sdk')).subscribe({ url: 'ws://localhost:1', topic: 't', keyring: [], durable: false }).open()",
    ],
    [
      'alvarium-artifacts',
      'an annotator of files in a config',
      `(await import('alvarium-sdk/config')).fromConfig(
        { annotators: ['checksum'], stream: { type: 'console' } },
        { keys: (await import('alvarium-sdk')).generateKey() },
      )`,
    ],
    [
      'pg',
      'PostgreSQL',
      "(await import('alvarium-sdk/store')).openStore('postgres://localhost', { keyring: [] })",
    ],
    [
      '@electric-sql/pglite',
      'a database in memory',
      "(await import('alvarium-sdk/store')).openStore('memory:', { keyring: [] })",
    ],
  ])('fails with an error that says to install %s for %s', async (name, _, call) => {
    const program = `await (async () => ${call})().catch(({ code, message }) => console.log(code, message))\n`
    expect(await run('missing', program)).toMatch(/^CONFIG_INVALID /)
    expect(await run('missing', program)).toContain(
      `needs the package ${name} next to alvarium-sdk (npm install ${name})`,
    )
  })
})
