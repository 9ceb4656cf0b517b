// Entry point `alvarium-sdk/http`: signs, verifies, receives and answers HTTP messages.

export { jwkThumbprint } from '../../signing/keys/forms/thumbprint.js'
export { type AgentKeys, agentKeys } from './agent-keys.js'
export type { HttpDialect } from './alvarium.js'
export { answerTo, type HttpAnswer } from './answer.js'
export { contentDigest, type DigestAlgorithm } from './digest.js'
export type { HeaderFields } from './fields.js'
export { type KeyDirectory, type KeyDirectoryOptions, keyDirectory } from './key-directory.js'
export type {
  AlvariumHttpOptions,
  PkiHttpOptions,
  Rfc9421Options,
  VerifyResponseOptions,
  WebBotAuthOptions,
} from './options.js'
export { pkiHttp } from './pki-http.js'
export {
  type FetchRequest,
  type NodeRequest,
  type ReceivedRequest,
  type ReceiveOptions,
  receive,
  type ServiceRequest,
  type WrappedRequest,
} from './receive.js'
export { jwkSetAt, type RemoteKeys, type RemoteKeysOptions } from './remote-keys.js'
export type { HttpRequest, IncomingRequest, PlainRequest } from './request.js'
export type { HttpResponse, IncomingResponse, PlainResponse } from './response.js'
export {
  type AlvariumSignOptions,
  type Rfc9421SignOptions,
  type SignRequestOptions,
  type SignResponseOptions,
  signRequest,
  signResponse,
} from './sign.js'
export type { WebBotAuthSignOptions } from './sign-web-bot-auth.js'
export type { UnboundPart, VerifiedRequest, VerifiedResponse } from './verified.js'
export {
  type VerifyRequestOptions,
  verifyRequest,
  verifyResponse,
} from './verify.js'
