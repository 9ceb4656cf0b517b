import { once } from 'node:events'
import { isIP } from 'node:net'
import { connect, type PeerCertificate as NodeCertificate, type TLSSocket } from 'node:tls'
import type { PeerCertificate } from './platform.js'

const PORTS: Readonly<Record<string, number>> = { 'mqtts:': 8883, 'wss:': 443 }

/**
 * Looks at the certificate of a TLS server, over a connection of its own on which nothing is sent: so what is invalid can be
 * shown, too.
 *
 * @throws what Node says when there is no TLS server; the signal's reason
 */
export async function certificateOf(url: URL, tls: object, signal: AbortSignal): Promise<PeerCertificate> {
  // Of an IPv6 address, the URL has brackets.
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const port = Number(url.port) || (PORTS[url.protocol] as number)
  const servername = isIP(host) ? {} : { servername: host }
  const socket = connect({ ...tls, ...servername, host, port, rejectUnauthorized: false })
  try {
    await once(socket, 'secureConnect', { signal })
    return shownBy(socket)
  } finally {
    socket.destroy()
  }
}

function shownBy(socket: TLSSocket): PeerCertificate {
  const { subject, issuer, valid_from, valid_to, fingerprint256 } = socket.getPeerCertificate()
  return {
    subject: nameOf(subject),
    issuer: nameOf(issuer),
    validFrom: new Date(valid_from),
    validTo: new Date(valid_to),
    fingerprint: fingerprint256,
    isAuthorized: socket.authorized,
    // A code, though its type says that it is an error.
    ...(!socket.authorized && { reason: String(socket.authorizationError) }),
  }
}

/** As RFC 4514 writes it, but for its escapes. */
function nameOf(name: NodeCertificate['subject']): string {
  return Object.entries(name)
    .flatMap(([attribute, values]) => [values].flat().map((value) => `${attribute}=${value}`))
    .join(', ')
}
