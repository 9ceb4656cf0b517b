import { once } from 'node:events'
import { isIP } from 'node:net'
import { connect, type PeerCertificate as NodeCertificate, type TLSSocket } from 'node:tls'
import type { PeerCertificate } from './platform.js'

const PORTS: Readonly<Record<string, number>> = { 'mqtts:': 8883, 'wss:': 443 }

/**
 * Returns the certificate of a TLS server, valid or not. It opens a separate connection and sends nothing on it.
 *
 * @throws Node's error if there is no TLS server; an `AbortError` if the signal aborts, with its reason as the cause
 */
export async function certificateOf(url: URL, tls: object, signal: AbortSignal): Promise<PeerCertificate> {
  // Remove the brackets around an IPv6 address in a URL.
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const port = Number(url.port) || (PORTS[url.protocol] as number)
  const servername = isIP(host) ? {} : { servername: host }
  const socket = connect({ ...tls, ...servername, host, port, rejectUnauthorized: false })
  try {
    await once(socket, 'secureConnect', { signal })
    return certificateIn(socket)
  } finally {
    socket.destroy()
  }
}

function certificateIn(socket: TLSSocket): PeerCertificate {
  const { subject, issuer, valid_from, valid_to, fingerprint256 } = socket.getPeerCertificate()
  return {
    subject: nameOf(subject),
    issuer: nameOf(issuer),
    validFrom: new Date(valid_from),
    validTo: new Date(valid_to),
    fingerprint: fingerprint256,
    isAuthorized: socket.authorized,
    // Convert to a string, because Node sets a code here, although the type is Error.
    ...(!socket.authorized && { reason: String(socket.authorizationError) }),
  }
}

/** Returns a distinguished name like RFC 4514, but in the order of the certificate, and without escaping. */
function nameOf(name: NodeCertificate['subject']): string {
  return Object.entries(name)
    .flatMap(([attribute, values]) => [values].flat().map((value) => `${attribute}=${value}`))
    .join(', ')
}
