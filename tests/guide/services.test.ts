// @slow: it runs the programs of the guide as a user does

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { generateKey, Keyring, toHex, verifyMessage } from 'alvarium-sdk'
import { signRequest } from 'alvarium-sdk/http'
import { afterAll, it } from 'vitest'
import { startBroker } from '../../examples/broker/broker.mjs'
import { freePort } from '../brokers/ports.js'
import { utf8 } from '../support/bytes.js'
import { projectFolder } from '../support/project.js'
import { post } from '../support/serving.js'
import { blocksOf, fileOf } from './blocks.js'

const services = blocksOf('examples/guide/services.md').filter(({ mark }) => mark === 'service')
const { signingKey, verifyingKey } = generateKey()
const body = utf8('{"celsius":21.4}')
const folders: string[] = []
const children: ChildProcess[] = []
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL')
  for (const folder of folders) await rm(folder, { recursive: true })
})

/** Starts a service as a reader would paste it, in a folder with key files, with other ports. */
async function started(code: string, name: string, brokerUrl: string, port: number) {
  const folder = await projectFolder('service')
  folders.push(folder)
  const files = {
    'private.key': toHex(signingKey),
    'public.key': toHex(verifyingKey),
    [name]: code.replaceAll('3000', `${port}`).replaceAll('ws://localhost:9001', brokerUrl),
  }
  for (const [file, text] of Object.entries(files)) await writeFile(join(folder, file), text)
  const child = spawn(process.execPath, [name], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
  children.push(child)
  return { child, url: `http://localhost:${port}/readings` }
}

it.concurrent.for(services.map((block) => ({ code: block.code, name: fileOf(block) })))(
  'the $name service annotates signed requests, refuses long bodies, ends on a signal, and reports a used port',
  async ({ code, name }, { expect }) => {
    const broker = await startBroker()
    const messages: Uint8Array[] = []
    broker.aedes.on('publish', ({ topic, payload }) => {
      if (topic === 'alvarium') messages.push(Buffer.from(payload))
    })
    const port = await freePort()
    const { child, url } = await started(code, name, broker.url, port)
    await once(child.stdout, 'data')
    const { child: second } = await started(code, name, broker.url, port)
    const said = buffer(second.stderr)
    expect(await once(second, 'exit')).toEqual([1, null])
    expect(String(await said)).toContain('EADDRINUSE')
    const signing = { format: 'rfc9421', signingKey, keyId: 'edge-7', body } as const
    const headers = await signRequest({ method: 'POST', url, headers: {} }, signing)
    const { status, text } = await post(url, body, headers)
    expect(status).toBe(201)
    expect((await post(url, new Uint8Array(2 ** 20 + 1))).status).toBe(413)
    // The outbox connects in the background; if it closes earlier, messages stay in its store.
    await expect.poll(() => messages).toHaveLength(1)

    child.kill('SIGTERM')
    expect(await once(child, 'exit')).toEqual([0, null])
    const keyring = new Keyring([verifyingKey])
    const { id, annotations } = await verifyMessage(messages[0] as Uint8Array, { keyring, payload: body })
    expect(JSON.parse(text)).toEqual({ id })
    expect(annotations.map(({ kind, isSatisfied }) => [kind, isSatisfied])).toEqual([
      ['tls', false],
      ['pki-http', true],
    ])
    await broker.close()
  },
)
