import * as v from 'valibot'
import { describe } from '../base/errors.js'
import { oneOf, readOptions, strict } from '../base/options/schema.js'
import { platform } from '../platform/platform.js'
import type { Annotator } from './annotator.js'

/** What the check needs of a Node `tls.TLSSocket`; a plain `net.Socket`, which lacks the optional half, is not satisfied. */
export interface TlsSocket {
  readonly destroyed: boolean
  /** `open` once connected; a socket still connecting is `opening`. */
  readonly readyState: string
  /** Whether the peer's certificate checked out. */
  readonly authorized?: boolean
  /** The last message of the peer's handshake (RFC 8446 §4.4.4); undefined before it has come. */
  getPeerFinished?(): Uint8Array | undefined
}

/** Options of `tls`. */
export interface TlsOptions {
  /**
   * `required`: the peer's certificate must have checked out. A server that asks its clients for no
   * certificate has none to check: it wants `optional`. Default `required`.
   */
  readonly peerCertificate?: 'required' | 'optional' | undefined
}

const schema = strict({ peerCertificate: v.optional(oneOf(['required', 'optional']), 'required') })

/**
 * `tls`: the payload travels over TLS. Give the socket with each call (`req.socket` of `node:http` and `node:https` will do);
 * it must be connected, past its handshake, and authorised. In a browser, which shows no sockets, the page itself must have
 * come over HTTPS and be a secure context.
 *
 * What is no socket at all is a mistake: it is not satisfied, and reported (`annotatorerror`, and the logger).
 *
 * A mutate moves nothing, so it carries no `tls` annotation, as in the other SDKs.
 *
 * @throws AlvariumError `CONFIG_INVALID` naming the option
 *
 * @example
 * ```ts
 * await sdk.transit(payload, { tls: response.socket })
 * ```
 */
export function tls(options: TlsOptions = {}): Annotator<'tls', TlsSocket> {
  const { peerCertificate } = readOptions(schema, options, 'tls')
  return {
    kind: 'tls',
    // A socket may be gone when the last byte of a source has come.
    needs: 'nothing',
    actions: ['create', 'transit', 'publish'],
    isSatisfied: ({ input }) => (input ? isProtected(input, peerCertificate) : isSecurePage()),
  }
}

function isProtected(socket: TlsSocket, peerCertificate: 'required' | 'optional'): boolean {
  if (typeof socket.readyState !== 'string') {
    throw new TypeError(`the call's tls: expected a socket, got ${describe(socket)}`)
  }
  const isOpen = !socket.destroyed && socket.readyState === 'open'
  // A plain net.Socket has no such method: that is a false, not a mistake of the caller's.
  const hasShakenHands =
    typeof socket.getPeerFinished === 'function' && socket.getPeerFinished() !== undefined
  return isOpen && hasShakenHands && (peerCertificate === 'optional' || socket.authorized === true)
}

/** Localhost is a secure context without TLS as well, so the context alone would claim too much. In a process only a socket can tell. */
function isSecurePage(): boolean {
  const { isSecureContext, location } = globalThis
  return platform.hasPages && isSecureContext === true && location?.protocol === 'https:'
}
