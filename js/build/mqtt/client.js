// mqtt.js out of its own modules. The bundle that it brings for browsers holds everything for every platform, and is
// more than twice as heavy.
import client from 'mqtt/lib/client'
import { browserStreamBuilder } from 'mqtt/lib/connect/ws'

/** What mqtt.js' own `connect` does for WebSockets in browsers. */
function connect(url, given) {
  const { protocol, hostname } = new URL(url)
  const options = { ...given, protocol: protocol.replace(':', ''), hostname }
  const connecting = new client.default((self) => browserStreamBuilder(self, options), options)
  // An event `error` that nobody listens for would be thrown.
  return connecting.on('error', () => {})
}

export default { connect }
