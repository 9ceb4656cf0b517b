// @node-only: its broker listens on a plain socket

import { mqtt } from 'alvarium-sdk'
import { expect, it } from 'vitest'
import { packet } from '../brokers/scripted.js'
import { scripted } from '../support/scripts.js'

it('close() sends the DISCONNECT packet before the connection ends', async () => {
  const broker = await scripted({ publish: ({ body }) => packet('puback', body.slice(3, 5)) }, 'ws')
  const stream = mqtt({ url: broker.url, topic: 't' })
  await stream.connect()
  await stream.publish(new Uint8Array(1))
  await stream.close()
  await broker.hears('disconnect')
  expect(broker.heard.map(({ name }) => name)).toEqual(['connect', 'publish', 'disconnect'])
})
