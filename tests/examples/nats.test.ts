// @slow: it starts NATS

import { execFile, spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { generateKey, openSdk, source, verifyMessage } from 'alvarium-sdk'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startNats } from '../../examples/nats/server.mjs'
import { jetStream } from '../../examples/nats/stream.mjs'
import { utf8 } from '../support/bytes.js'

// nats-server may be installed; Debian has it.

const isThere = spawnSync('nats-server', ['--version']).status === 0
if (!isThere) console.warn('not tested: the example with NATS. There is no nats-server')

async function startServer() {
  const folder = await mkdtemp(join(tmpdir(), 'alvarium-nats-'))
  const server = await startNats(folder)
  const connection = await connect({ servers: server.url })
  onTestFinished(async () => {
    await connection.close()
    await server.stop()
    await rm(folder, { recursive: true })
  })
  return { servers: server.url, manager: await jetstreamManager(connection) }
}

describe.skipIf(!isThere)('the example with NATS JetStream', () => {
  it('publishes readings, each with a JWS, and their annotations, and verifies everything that it consumes', async () => {
    const script = fileURLToPath(new URL('../../examples/nats/run.mjs', import.meta.url))
    const { stdout } = await promisify(execFile)(process.execPath, [script])
    expect(stdout).toContain('100 readings and their annotations verify')
  })

  it('resolves a call only after JetStream has stored the message, and rejects it if no stream has the subject', async () => {
    const { servers, manager } = await startServer()
    const { signingKey, verifyingKey } = generateKey()
    const open = (subject: string) =>
      openSdk({ signingKey, annotators: [source()], stream: jetStream({ servers, subject }) })
    const nobody = await open('elsewhere')
    await expect(nobody.create(utf8('a'))).rejects.toMatchObject({ code: expect.stringMatching(/^STREAM_/) })
    await nobody.close()
    await manager.streams.add({ name: 'annotations', subjects: ['annotations'] })
    const sdk = await open('annotations')
    const { id } = await sdk.create(utf8('a'))
    const stored = await manager.streams.getMessage('annotations', { seq: 1 })
    await sdk.close()
    const bundle = await verifyMessage(stored?.data as Uint8Array, { keyring: [verifyingKey] })
    expect(bundle.id).toBe(id)
  })
})
