/// <reference lib="esnext.disposable" preserve="true" />
export type { Annotator, AnnotatorContext, AnyAnnotator, CallContext } from './annotators/annotator.js'
export { type PkiOptions, pki } from './annotators/pki.js'
export { source } from './annotators/source.js'
export { type TlsOptions, type TlsSocket, tls } from './annotators/tls.js'
export { type TpmOptions, tpm } from './annotators/tpm.js'
export { AlvariumError, type ErrorCode } from './base/errors.js'
export { AnnotatorErrorEvent, type ListenerOptions, type SdkEventMap } from './base/events.js'
export { toHex } from './base/hex.js'
export type { LatencyStats } from './base/latency.js'
export type { Logger } from './base/logger.js'
export type { ClassicAnnotation } from './classic/annotation.js'
export { type ClassicCodec, type ClassicOptions, classic } from './classic/classic.js'
export type { ClassicDialect } from './classic/dialect.js'
export {
  type ClassicMessage,
  type ClassicVerdict,
  type VerifiedAnnotation,
  type VerifyClassicOptions,
  verifyClassic,
} from './classic/verify-classic.js'
export { cbor } from './codecs/cbor.js'
export type { Codec } from './codecs/codec.js'
export { json } from './codecs/json.js'
export type { BatchOptions, SdkOptions } from './config/options.js'
export type { SdkStats } from './config/stats.js'
export type { DedupOptions, SeenStore } from './consume/dedup.js'
export type { ConsumeOptions } from './consume/options.js'
export { type ReceivedBundle, RejectedEvent } from './consume/received.js'
export type { Receipt } from './delivery/receipt.js'
export type {
  ConnectionSaid,
  DiagnosticsChannels,
  MessageTook,
  PacketSaid,
} from './diagnostics/channels.js'
export { keyOf } from './hashing/hashing.js'
export { type ReadKeyOptions, readKey } from './keys/file.js'
export type { Jwk } from './keys/jwk.js'
export { Keyring, type KeyringOptions } from './keys/keyring.js'
export type { Seed } from './keys/seed.js'
export { generateKey, type KeyPair, type SigningKeyInput, signBytes } from './keys/signing.js'
export { keyIdOf, type VerifyingKeyInput, verifyBytes } from './keys/verifying.js'
export type { Action, Annotation, Bundle, HashName, Layer } from './model/bundle.js'
export type { Engine } from './model/payload.js'
export type { WorkerPool } from './model/worker-pool.js'
export { openSdk, type Sdk } from './sdk.js'
export type { Signer, WebCryptoKey, WebCryptoKeyPair } from './seal/signer.js'
export { consoleStream } from './streams/console.js'
export { type MemoryStream, memory } from './streams/memory.js'
export { type MqttStream, mqtt } from './streams/mqtt/mqtt.js'
export type { MqttOptions, MqttTls } from './streams/mqtt/options.js'
export type { StreamStats } from './streams/stats.js'
export type { Acceptance, PublishOptions, StreamContext, StreamProvider } from './streams/stream.js'
export {
  type SubscribeOptions,
  type Subscription,
  type SubscriptionEventMap,
  subscribe,
} from './subscribe.js'
export { extractBundle, extractBundles, identityBytes } from './verify/extract.js'
export { type Verification, verifyMessages } from './verify/messages.js'
export type { VerifiedBundle, VerifyOptions } from './verify/options.js'
export { verifyBatch, verifyMessage } from './verify/verify.js'
