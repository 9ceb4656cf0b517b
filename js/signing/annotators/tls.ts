import * as v from 'valibot'
import { describe } from '../../foundation/base/errors.js'
import { oneOf, readOptions, strict } from '../../foundation/base/options/schema.js'
import { platform } from '../../foundation/platform/platform.js'
import type { Annotator } from './annotator.js'

/** The members of Node's `tls.TLSSocket` that `tls` reads. A plain `net.Socket` does not satisfy the check. */
export interface TlsSocket {
  readonly destroyed: boolean
  /** State of the socket: `opening` until it has connected, and `open` from then on. */
  readonly readyState: string
  /** True if the peer's certificate is valid. */
  readonly authorized?: boolean
  /** Returns the last message of the peer's handshake (RFC 8446 §4.4.4), or undefined before it was received. */
  getPeerFinished?(): Uint8Array | undefined
}

/** Options of the annotator {@link tls}: whether the peer's certificate must be valid. */
export interface TlsOptions {
  /**
   * States whether the peer's certificate must be valid (`required`) or is not checked (`optional`). Use `optional` in
   * a server that does not request a certificate from its clients. Default `required`.
   */
  readonly peerCertificate?: 'required' | 'optional' | undefined
}

const schema = strict({ peerCertificate: v.optional(oneOf(['required', 'optional']), 'required') })

/**
 * Creates the annotator `tls`: the payload travels over TLS. Pass the socket with each call, for example `req.socket`
 * of `node:https`. It must be connected, past its handshake, and authorized. In browsers, which do not expose sockets,
 * the page must have been loaded over HTTPS and be a secure context.
 *
 * If the input is not a socket, the annotation is not satisfied, and the mistake is reported (`annotatorerror`, and the
 * logger).
 *
 * A mutate has no `tls` annotation, as in the other SDKs, because it does not move the payload.
 *
 * @throws AlvariumError `CONFIG_INVALID` naming the invalid option
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
    // Check the socket when the call begins, because it may be closed by the time a streamed payload has been
    // read.
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
  // Answer false without an error for a plain net.Socket, which lacks the method `getPeerFinished`.
  const isHandshakeDone =
    typeof socket.getPeerFinished === 'function' && socket.getPeerFinished() !== undefined
  return isOpen && isHandshakeDone && (peerCertificate === 'optional' || socket.authorized === true)
}

/** Returns whether the page was loaded over HTTPS. A secure context may be localhost without TLS. */
function isSecurePage(): boolean {
  const { isSecureContext, location } = globalThis
  return platform.hasPages && isSecureContext === true && location?.protocol === 'https:'
}
