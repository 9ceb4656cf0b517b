import type { PayloadAnnotator } from '../../signing/annotators/annotator.js'
import type { PkiHttpOptions } from './options.js'
import type { HttpRequest } from './request.js'
import { requestVerifier } from './verify.js'

/**
 * Makes the annotator `pki-http`, which is satisfied if the HTTP request that brought the payload has a valid
 * signature. Pass the request with each call. If the signature covers the body, as with `rfc9421`, the
 * payload must be that body. The annotator verifies requests as `verifyRequest` does. For a refusal, it
 * reports the reason with the event `annotatorerror` and to the logger.
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
      // Pass the input unchecked, because `verify` itself refuses an input that is no request.
      await verify(input as HttpRequest, payload)
      return true
    },
  }
}
