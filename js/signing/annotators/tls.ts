import * as v from 'valibot'
import { describe } from '../../foundation/base/errors.js'
import { oneOf, readOptions, strict } from '../../foundation/base/options/schema.js'
import { platform } from '../../foundation/platform/platform.js'
import type { Annotator } from './annotator.js'

/** Members of a Node `tls.TLSSocket` that the check needs. A plain `net.Socket`, which lacks the optional ones, is not satisfied. */
export interface TlsSocket {
  readonly destroyed: boolean
  /** State of the socket: `open` once connected; a socket still connecting is `opening`. */
  readonly readyState: string
  /** True if the peer's certificate is valid. */
  readonly authorized?: boolean
  /** Returns the last message of the peer's handshake (RFC 8446 §4.4.4); undefined before it was received. */
  getPeerFinished?(): Uint8Array | undefined
}

/** Options of `tls`. */
export interface TlsOptions {
  /**
   * Requirement for the peer's certificate. `required`: it must be valid. A server that does not ask its clients for a certificate has none
   * to check: use `optional`. Default `required`.
   */
  readonly peerCertificate?: 'required' | 'optional' | undefined
}

const schema = strict({ peerCertificate: v.optional(oneOf(['required', 'optional']), 'required') })

/**
 * Makes the annotator `tls`: the payload travels over TLS. Give the socket with each call (for example `req.socket` of `node:http` or
 * `node:https`). It must be connected, past its handshake, and authorised. In a browser, which shows no sockets, the page itself must have
 * been loaded over HTTPS and be a secure context.
 *
 * An input that is not a socket at all is a mistake: it is not satisfied, and reported (`annotatorerror`, and the logger).
 *
 * A mutate moves nothing, so it has no `tls` annotation, as in the other SDKs.
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
    // Ask early: the socket may be closed after the last byte of a source.
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
  // Return false for a plain net.Socket, which has no such method: that is not a mistake of the caller.
  const hasShakenHands =
    typeof socket.getPeerFinished === 'function' && socket.getPeerFinished() !== undefined
  return isOpen && hasShakenHands && (peerCertificate === 'optional' || socket.authorized === true)
}

/**
 * Returns whether the page was loaded over HTTPS. The secure context alone proves too little, because localhost is one without TLS. In a
 * process only a socket shows TLS.
 */
function isSecurePage(): boolean {
  const { isSecureContext, location } = globalThis
  return platform.hasPages && isSecureContext === true && location?.protocol === 'https:'
}
