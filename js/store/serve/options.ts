import * as v from 'valibot'
import type { Logger } from '../../foundation/base/logger.js'
import { integer, strict } from '../../foundation/base/options/schema.js'
import type { TrustPolicy } from '../../signing/keys/trust-policy.js'
import { trustSchema } from '../scoring/options.js'

/** Options of `serveStore`: access, and number of requests. */
export interface ServeOptions {
  /**
   * Token of the clients: `Authorization: Bearer …`, 16 to 256 characters of RFC 6750. Without one, any client may ask that calls this machine
   * `localhost`, `127.0.0.1` or `[::1]`: have your server listen on 127.0.0.1 alone, because remote clients can send that name, too.
   */
  readonly token?: string | undefined
  /** Other names of this server, without ports: for servers whose access something else controls, such as a proxy. */
  readonly hosts?: readonly string[] | undefined
  /** Origins of foreign pages that may ask too, `https://…`. */
  readonly origins?: readonly string[] | undefined
  /**
   * Trust policy by which stored messages are verified again for each answer. Bundles that it refuses do not count for `/payload` and
   * `/payload/score`, and `/payload/history` and `/bundles` mark them. The answers have the digest of the policy. Default: all bundles count,
   * because they were accepted when they were stored.
   */
  readonly trust?: TrustPolicy | undefined
  /** Path of the API in your server, such as `/api`. Default: the root. */
  readonly path?: string | undefined
  /**
   * Maximum number of requests that wait or are answered at the same time; a request whose client leaves (`request.signal`) does not wait.
   * Default `64`.
   */
  readonly maxWaiting?: number | undefined
  /** A logger of pino's shape, for errors that clients do not see. Default: none. */
  readonly logger?: Logger | undefined
}

/** The page of limits shows it. */
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
