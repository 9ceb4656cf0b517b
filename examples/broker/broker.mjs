/**
 * A small MQTT 3.1.1 broker inside this process: for trying things out, for the examples and for tests. It
 * keeps nothing on disk and listens on 127.0.0.1 only.
 */
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
 * @property {number} [port] for WebSocket; 0, the default, takes a free one
 * @property {number} [tcpPort] for plain MQTT; 0, the default, takes a free one
 * @property {string} [username] with `password`: the only ones let in; without: everybody is
 * @property {string} [password]
 * @property {{ key: string, cert: string }} [tls] PEM; makes the listeners `wss` and `mqtts`
 * @property {readonly string[]} [origins] of pages elsewhere that are let in too; `null` is every sandboxed frame's
 */

/**
 * @typedef {object} Broker
 * @property {string} url of the WebSocket listener
 * @property {string} tcpUrl of the plain MQTT listener
 * @property {number} port of `url`
 * @property {number} tcpPort of `tcpUrl`
 * @property {Aedes} aedes the broker itself, for its hooks and events
 * @property {() => Promise<void>} close cuts every connection
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
  sockets.on('error', () => {}) // `listen` says it
  sockets.on('connection', (socket, request) => {
    // When aedes is done with a client it destroys the stream. That would cut the connection without the closing
    // handshake, which Firefox shows as an error in the page's console.
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

/** This machine, as it calls itself. */
const HERE = ['localhost', '127.0.0.1', '[::1]']

/**
 * Any page that is open in a browser can connect to this machine, and the browser only says from where the page is. Programs say
 * nothing. A page whose own name was made to lead here shows that name as the host.
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
 * A server's `close` waits for its connections: this remembers them, to end them.
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

// node examples/broker/broker.mjs [port]: a broker for the examples that ask for one of yours.
if (isStarted(import.meta.url)) {
  await import('../shared/program.mjs')
  const { url } = await startBroker({ port: Number(process.argv[2] ?? 9001) })
  console.log(`${url} is listening, Ctrl-C ends it`)
}
