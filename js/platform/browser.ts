import { overWebSockets } from './over-websockets.js'

export * from './web.js'

export const mqttTransport = overWebSockets(() => import('mqtt'))
