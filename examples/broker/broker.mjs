/** MQTT 3.1.1 broker in this process, for examples and tests. Listens on 127.0.0.1, stores nothing. */
import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { createServer as createTcpServer } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { Aedes } from 'aedes'
import { createWebSocketStream, WebSocketServer } from 'ws'
import { isStarted } from '../shared/started.mjs'

const HOST = '127.0.0.1'

/**
 * @typedef {object} BrokerOptions
 * @property {number} [port] for WebSocket; 0, the default, chooses a free one
 * @property {number} [tcpPort] for TCP; 0, the default, chooses a free one
 * @property {string} [username] required together with `password`; without both, every client may connect
 * @property {string} [password]
 * @property {{ key: string, cert: string }} [tls] PEM; makes the listeners `wss` and `mqtts`
 * @property {readonly string[]} [origins] of pages that may connect, besides pages of this machine; `null` is
 * the origin of all sandboxed frames
 */

/**
 * @typedef {object} Broker
 * @property {string} url of the WebSocket listener
 * @property {string} tcpUrl of the TCP listener
 * @property {number} port of `url`
 * @property {number} tcpPort of `tcpUrl`
 * @property {Aedes} aedes the broker itself, for its hooks and events
 * @property {() => Promise<void>} close destroys every connection
 */

/**
 * @param {BrokerOptions} [options]
 * @returns {Promise<Broker>}
 */
export async function startBroker({ port = 0, tcpPort = 0, username, password, tls, origins = [] } = {}) {
  const aedes = await Aedes.createBroker({ authenticate: admitting(username, password) })
  const web = tls ? createHttpsServer(tls) : createHttpServer()
  const tcp = tls ? createTlsServer({ ...tls, noDelay: true }) : createTcpServer({ noDelay: true })
  tcp.on(tls ? 'secureConnection' : 'connection', aedes.handle)
  const sockets = new WebSocketServer({
    server: web,
    perMessageDeflate: false,
    verifyClient: ({ origin, req }) => origins.includes(origin) || isFromHere(req.headers),
  })
  sockets.on('error', () => {}) // `listen` reports this error
  sockets.on('connection', (socket, request) => {
    // Close the WebSocket instead of terminating it. aedes destroys a client's stream when it is done, and
    // without the closing handshake Firefox reports an error in the page's console.
    socket.terminate = () => socket.close()
    aedes.handle(createWebSocketStream(socket), request)
  })
  const cut = [cuttable(web), cuttable(tcp)]
  const close = () => stop(aedes, [web, tcp], cut)
  try {
    const ports = { port: await listen(web, port), tcpPort: await listen(tcp, tcpPort) }
    return {
      ...ports,
      url: `${tls ? 'wss' : 'ws'}://${HOST}:${ports.port}`,
      tcpUrl: `${tls ? 'mqtts' : 'mqtt'}://${HOST}:${ports.tcpPort}`,
      aedes,
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** Host names that stand for this machine in a URL. */
const HERE = ['localhost', '127.0.0.1', '[::1]']

/**
 * Returns whether a client runs on this machine. Any page in a browser can connect to this machine, and the
 * browser sends only the page's origin. Programs send no origin. In a DNS rebinding attack, the Host header
 * has another name.
 *
 * @param {import('node:http').IncomingHttpHeaders} headers
 */
function isFromHere({ host, origin }) {
  return [`http://${host}`, origin ?? 'http://localhost'].every(
    (url) => URL.canParse(url) && HERE.includes(new URL(url).hostname),
  )
}

/**
 * @param {string | undefined} username
 * @param {string | undefined} password
 */
function admitting(username, password) {
  /** @type {import('aedes').AuthenticateHandler} */
  return (_client, givenName, givenPassword, done) => {
    const admitted = username === undefined || (givenName === username && String(givenPassword) === password)
    done(null, admitted)
  }
}

/**
 * @param {import('node:net').Server} server
 * @param {number} port
 */
async function listen(server, port) {
  server.listen(port, HOST)
  await once(server, 'listening')
  return /** @type {import('node:net').AddressInfo} */ (server.address()).port
}

/**
 * Returns a function that destroys all connections of a server, which `close` alone would wait for.
 *
 * @param {import('node:net').Server} server
 */
function cuttable(server) {
  /** @type {Set<import('node:net').Socket>} */
  const sockets = new Set()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  return () => {
    for (const socket of sockets) socket.destroy()
  }
}

/**
 * @param {Aedes} aedes
 * @param {import('node:net').Server[]} servers
 * @param {(() => void)[]} cut
 */
async function stop(aedes, servers, cut) {
  const closed = servers.map((server) => once(server, 'close'))
  for (const server of servers) server.close()
  for (const cutServer of cut) cutServer()
  await Promise.all(closed)
  await new Promise((resolve) => aedes.close(() => resolve(undefined)))
}

// Start a broker for the examples if this file is run: node examples/broker/broker.mjs [port]
if (isStarted(import.meta.url)) {
  await import('../shared/program.mjs')
  const { url } = await startBroker({ port: Number(process.argv[2] ?? 9001) })
  console.log(`${url} is listening, Ctrl-C ends it`)
}
