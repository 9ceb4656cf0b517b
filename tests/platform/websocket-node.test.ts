// @node-only: it stops the clock, which the streams of mqtt.js need in browsers

import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { WebSocketServer } from 'ws'
import { createWebsocket } from '../../dist/platform/websocket-node.js'

it('what was written last, in the same turn as close(), is sent before the connection ends', async () => {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const connected = once(server, 'connection')
  const socket = createWebsocket(`ws://127.0.0.1:${port}`, [], {})
  const [peer] = await connected
  const heard: string[] = []
  peer.on('message', (data: Buffer) => heard.push(data.toString()))
  if (socket.readyState !== socket.OPEN) await once(socket, 'open')
  socket.send(Buffer.from('DIS'))
  socket.send(Buffer.from('CONNECT'))
  const closed = once(peer, 'close')
  socket.close()
  await closed
  expect(heard).toEqual(['DISCONNECT'])
})
