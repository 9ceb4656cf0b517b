// @own-process: it replaces the environment of the process
// @node-only: it uses node:module, node:os

import { syncBuiltinESMExports } from 'node:module'
import os from 'node:os'
import { generateKey, openSdk, type Signer, signBytes, source } from 'alvarium-sdk'
import { afterEach, expect, it, vi } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { key, opened } from '../support/sdk.js'

const { hostname } = os
const { env } = process

/** Blocks the platform's information, as Deno does without `--allow-sys` and `--allow-env`. */
function forbid(): void {
  const refuse = (): never => {
    throw new Error('NotCapable')
  }
  os.hostname = refuse
  syncBuiltinESMExports()
  const get = (_: unknown, name: string) => (name === 'TAG' ? refuse() : env[name])
  process.env = new Proxy<NodeJS.ProcessEnv>(env, { get })
}

afterEach(() => {
  vi.restoreAllMocks()
  os.hostname = hostname
  syncBuiltinESMExports()
  process.env = env
})

const signer: Signer = { verifyingKey: key.verifyingKey, sign: (bytes) => signBytes(key.signingKey, bytes) }

it.each([
  ['a key', generateKey().signingKey],
  ['a signer', signer],
])(
  'without access to the host name and TAG, both are empty, and an SDK that was opened before still works: %s',
  async (_, signingKey) => {
    const { sdk: other } = await opened([source()])
    forbid()
    await using sdk = await openSdk({ signingKey, annotators: [source()], stream: { publish: () => {} } })
    const { bundle } = await sdk.create(utf8('hello'))
    expect({ host: bundle.host, tag: bundle.annotations[0]?.tag }).toEqual({ host: '', tag: '' })
    await other.create(utf8('hello'))
    await other.close()
  },
)
