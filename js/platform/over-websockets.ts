import { keepAliveTimer } from './keep-alive.js'
import type { MqttTransport } from './mqtt-transport.js'

/** MQTT where there are WebSockets and nothing else, by the mqtt.js that is loaded for it. */
export const overWebSockets = (load: MqttTransport['load']): MqttTransport => ({
  schemes: ['wss', 'ws'],
  load,
  // With over 512 kB buffered mqtt.js sleeps a whole second by default: 2,300 instead of 15,000 messages/s.
  settings: async () => ({ browserBufferTimeout: 4, timerVariant: keepAliveTimer }),
  view: (message) => message as Buffer,
  prepare: () => {},
})
