import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { startBroker } from '../../examples/broker/broker.mjs'

// claim: edge-7
it('after its process was suspended, an SDK connects again for a call if the broker has closed the connection', async () => {
  const broker = await startBroker()
  const connected: { close(): void }[] = []
  let messages = 0
  broker.aedes.on('client', (client) => connected.push(client))
  broker.aedes.on('publish', ({ topic }) => {
    if (topic === 'alvarium') messages++
  })
  const child = fork(join(import.meta.dirname, 'frozen.mjs'), [broker.tcpUrl])
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await broker.close()
  })
  await once(child, 'message')

  child.kill('SIGSTOP')
  const gone = once(broker.aedes, 'clientDisconnect')
  connected[0]?.close()
  await gone
  const answer = once(child, 'message')
  child.send('request')
  child.kill('SIGCONT')
  expect((await answer)[0]).toMatch(/^[0-9a-f]{64}$/i)
  // Aedes acknowledges a message before it reports the publication.
  await vi.waitFor(() => expect([messages, connected.length]).toEqual([1, 2]))
})
