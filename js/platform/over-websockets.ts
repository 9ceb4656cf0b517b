// MQTT where there are WebSockets and nothing else. Each part by itself: what is called to put them together, bundlers would keep,
// with mqtt.js, for who has no stream.

import { keepAliveTimer } from './keep-alive.js'
import type { MqttTransport } from './mqtt-transport.js'

export const schemes: MqttTransport['schemes'] = ['wss', 'ws']

/** With over 512 kB buffered mqtt.js sleeps a whole second by default: 2,300 instead of 15,000 messages/s. */
export const settings: MqttTransport['settings'] = async () => ({
  browserBufferTimeout: 4,
  timerVariant: keepAliveTimer,
})

export const view: MqttTransport['view'] = (message) => message as Buffer

export const prepare: MqttTransport['prepare'] = () => {}
