/// <reference lib="esnext.disposable" preserve="true" />
export type { Annotator, AnnotatorContext, AnyAnnotator, CallContext } from './annotators/annotator.js'
export { type PkiOptions, pki } from './annotators/pki.js'
export { source } from './annotators/source.js'
export { type TlsOptions, type TlsSocket, tls } from './annotators/tls.js'
export { type TpmOptions, tpm } from './annotators/tpm.js'
export type { Action, Annotation, Bundle, HashName, Layer } from './bundle.js'
export { cbor } from './codecs/cbor.js'
export type { ClassicAnnotation } from './codecs/classic/annotation.js'
export { type ClassicCodec, type ClassicOptions, classic } from './codecs/classic/classic.js'
export type { ClassicDialect } from './codecs/classic/dialect.js'
export {
  type ClassicMessage,
  type ClassicVerdict,
  type VerifiedAnnotation,
  type VerifyClassicOptions,
  verifyClassic,
} from './codecs/classic/verify-classic.js'
export type { Codec } from './codecs/codec.js'
export { json } from './codecs/json.js'
export type { BatchOptions, SdkOptions } from './config/options.js'
export { AlvariumError, type ErrorCode } from './errors.js'
export { AnnotatorErrorEvent, type ListenerOptions, type SdkEventMap } from './events.js'
export { type Engine, keyOf } from './hashing.js'
export { toHex } from './hex.js'
export type { Jwk } from './key-forms.js'
export {
  generateKey,
  type KeyPair,
  Keyring,
  keyIdOf,
  readKey,
  type SigningKeyInput,
  signBytes,
  type VerifyingKeyInput,
  verifyBytes,
} from './keys.js'
export type { Logger } from './logger.js'
export type { WorkerPool } from './pool/pool.js'
export type { Receipt } from './receipt.js'
export { openSdk, type Sdk } from './sdk.js'
export type { Signer, WebCryptoKey, WebCryptoKeyPair } from './signer.js'
export { consoleStream } from './streams/console.js'
export { type MemoryStream, memory } from './streams/memory.js'
export { type MqttStream, mqtt } from './streams/mqtt/mqtt.js'
export type { MqttOptions, MqttTls } from './streams/mqtt/options.js'
export type { PublishOptions, StreamContext, StreamProvider } from './streams/stream.js'
export {
  type ReceivedBundle,
  RejectedEvent,
  type SubscribeOptions,
  type Subscription,
  type SubscriptionEventMap,
  subscribe,
} from './subscribe.js'
export {
  extractBundle,
  identityBytes,
  type Verification,
  type VerifiedBundle,
  type VerifyOptions,
  verifyBatch,
  verifyMessage,
  verifyMessages,
} from './verify.js'
