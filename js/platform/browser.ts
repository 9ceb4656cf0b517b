import type { MqttTransport } from './mqtt-transport.js'
import { prepare, schemes, settings, view } from './over-websockets.js'

export * from './web.js'

export const mqttTransport: MqttTransport = {
  schemes,
  load: () => import('mqtt'),
  settings,
  view,
  prepare,
}
