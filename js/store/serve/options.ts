import * as v from 'valibot'
import type { Logger } from '../../foundation/base/logger.js'
import { integer, strict } from '../../foundation/base/options/schema.js'
import type { TrustPolicy } from '../../signing/keys/trust-policy.js'
import { trustSchema } from '../scoring/options.js'

/** Configures `serveStore`: access rules, trust policy and capacity. */
export interface ServeOptions {
  /**
   * Token that clients must send as `Authorization: Bearer …`: 16 to 256 characters of RFC 6750. Without it,
   * any client that addresses the server as `localhost`, `127.0.0.1` or `[::1]` is served. Remote clients can
   * send these names, too, so let the server listen only on 127.0.0.1.
   */
  readonly token?: string | undefined
  /**
   * Host names of this server besides `localhost`, without ports. Set them if a proxy controls access instead of
   * `token`: without a token, requests for other host names are refused.
   */
  readonly hosts?: readonly string[] | undefined
  /** Web origins, besides this server's own, whose pages may send requests, such as `https://example.com`. */
  readonly origins?: readonly string[] | undefined
  /**
   * Trust policy by which stored messages are verified again for each answer. Bundles that the policy refuses
   * do not count in `/payload` and `/payload/score`, and are marked in `/payload/history` and `/bundles`. The
   * answers contain the digest of the policy. Default: all bundles count, because they were permitted when
   * they were stored.
   */
  readonly trust?: TrustPolicy | undefined
  /** Path of the API in your server, such as `/api`. Default: the root. */
  readonly path?: string | undefined
  /** Maximum number of requests that wait or are answered. An aborted request stops waiting. Default `64`. */
  readonly maxWaiting?: number | undefined
  /** Logger with the interface of pino, for errors that clients do not see. Default: none. */
  readonly logger?: Logger | undefined
}

/** Valibot schema of {@link ServeOptions}. It is exported for the documentation page of limits. */
export const schema = strict({
  token: v.optional(
    v.pipe(
      v.string('a token'),
      v.regex(/^(?=.{16,256}$)[\w.~+/-]+=*$/, 'a token: 16 to 256 letters, digits and -._~+/'),
    ),
  ),
  hosts: v.optional(v.array(v.string('the name of a host'), 'an array of names'), []),
  origins: v.optional(v.array(v.string('an origin'), 'an array of origins'), []),
  trust: trustSchema,
  path: v.optional(v.pipe(v.string('a path'), v.regex(/^(\/[\w.~-]+)*$/, 'a path such as /api')), ''),
  maxWaiting: integer(1, 10_000, 64),
  logger: v.optional(v.any()),
})
