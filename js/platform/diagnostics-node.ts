import { channel as channelOf } from 'node:diagnostics_channel'
import type { Diagnostics } from './diagnostics.js'

export const channel: Diagnostics['channel'] = (name) => channelOf(name)
