// `alvarium-sdk/http`: signatures of HTTP requests, to make, to verify, and to annotate by.

export type { HttpDialect } from './alvarium.js'
export { contentDigest, type DigestAlgorithm } from './digest.js'
export type { AlvariumHttpOptions, PkiHttpOptions, Rfc9421Options } from './options.js'
export { pkiHttp } from './pki-http.js'
export type { HeaderFields, HttpRequest, IncomingRequest, PlainRequest } from './request.js'
export {
  type AlvariumSignOptions,
  type Rfc9421SignOptions,
  type SignRequestOptions,
  signRequest,
} from './sign.js'
export { type VerifiedRequest, type VerifyRequestOptions, verifyRequest } from './verify.js'
