import * as v from 'valibot'
import type { Logger } from '../../base/logger.js'
import { integer, strict } from '../../base/options/schema.js'
import type { TrustPolicy } from '../../keys/trust-policy.js'
import { trustSchema } from '../judging/trust-option.js'

/** Options of `serveStore`: who may ask, and how many at a time. */
export interface ServeOptions {
  /**
   * Who has it may ask: `Authorization: Bearer …`, 16 to 256 characters of RFC 6750. Without one, all may that
   * call this machine `localhost`, `127.0.0.1` or `[::1]`: have your server listen on 127.0.0.1 alone, as others can send that name, too.
   */
  readonly token?: string | undefined
  /** Other names of this server, without ports: for servers whose requests somebody else has let in. */
  readonly hosts?: readonly string[] | undefined
  /** Origins of pages elsewhere that may ask too, `https://…`. */
  readonly origins?: readonly string[] | undefined
  /**
   * A trust policy by which stored messages are verified again for each answer: bundles that it refuses do not count for `/payload` and `/payload/score`, and
   * `/payload/history` and `/bundles` mark them. The answers have the digest of the policy. Default: all counts, as it was accepted when it was stored.
   */
  readonly trust?: TrustPolicy | undefined
  /** Where it is in your server: `/api`, for example. Default: at its root. */
  readonly path?: string | undefined
  /** Most requests that wait or are answered at the same time; a client that leaves (`request.signal`) does not wait. Default `64`. */
  readonly maxWaiting?: number | undefined
  /** A logger of pino's shape: it hears what those who ask are not told. Default: none. */
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
