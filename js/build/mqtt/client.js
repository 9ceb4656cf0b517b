// Entry to mqtt.js from its separate modules. The browser bundle in the npm package contains the code for every
// platform, and is more than twice as large as the bundle of this entry.
import client from 'mqtt/lib/client'
import { browserStreamBuilder } from 'mqtt/lib/connect/ws'

/** Connects as mqtt.js' own `connect` does for WebSockets in browsers. */
function connect(url, given) {
  const { protocol, hostname } = new URL(url)
  const options = { ...given, protocol: protocol.replace(':', ''), hostname }
  const connecting = new client.default((self) => browserStreamBuilder(self, options), options)
  // An `error` event without a listener would be thrown.
  return connecting.on('error', () => {})
}

export default { connect }
