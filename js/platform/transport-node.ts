import mqtt from 'mqtt'
import type { Transport } from './transport.js'
import { createWebsocket } from './websocket-node.js'

export const transport: Transport = {
  mqtt,
  // In a test with jsdom or happy-dom mqtt.js takes this for a browser, where it pings by a Worker.
  settings: { createWebsocket, timerVariant: 'native' },
}
