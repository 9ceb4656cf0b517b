import { prepare, schemes, settings, view } from './over-websockets.js'
import type { MqttTransport } from './platform.js'

export * from './web.js'

export const mqttTransport: MqttTransport = {
  schemes,
  load: () => import('mqtt'),
  settings,
  view,
  prepare,
}
