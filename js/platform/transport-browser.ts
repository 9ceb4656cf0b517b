import mqtt from 'mqtt'
import { settings } from './over-websockets.js'
import type { Transport } from './transport.js'

export const transport: Transport = { mqtt, settings }
