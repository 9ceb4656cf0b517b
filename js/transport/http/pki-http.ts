import type { PayloadAnnotator } from '../../signing/annotators/annotator.js'
import type { PkiHttpOptions } from './options.js'
import type { HttpRequest } from './request.js'
import { requestVerifier } from './verify.js'

/**
 * Makes the annotator `pki-http`: the HTTP request that brought the payload is signed. Give the request with each call.
 * The payload must be its body if the body is signed, as it is with `rfc9421`. Requests are verified as by
 * `verifyRequest`. A refused request is not satisfied, and the reason is reported (`annotatorerror`, and the logger).
 *
 * @throws AlvariumError `CONFIG_INVALID` naming the option, `KEY_INVALID`
 *
 * @example
 * ```ts
 * const annotator = pkiHttp({ format: 'rfc9421', keys: { 'edge-7': await readKey('edge-7.key') } })
 * await sdk.transit(body, { 'pki-http': request }) // of node:http, node:https, node:http2, or fetch's
 * ```
 */
export function pkiHttp(options: PkiHttpOptions): PayloadAnnotator<'pki-http', HttpRequest> {
  const verify = requestVerifier(options, 'pkiHttp')
  return {
    kind: 'pki-http',
    needs: 'payload',
    isSatisfied: async ({ payload, input }) => {
      // Let `verify` report an input that is no request.
      await verify(input as HttpRequest, payload)
      return true
    },
  }
}
