/// <reference lib="esnext.disposable" preserve="true" />
export type {
  Annotator,
  AnnotatorContext,
  AnyAnnotator,
  CallContext,
  KeyAnnotator,
  PayloadAnnotator,
  PayloadContext,
} from './annotators/annotator.js'
export { KINDS, type Kind } from './annotators/annotator.js'
export { type PkiOptions, pki } from './annotators/pki.js'
export { source } from './annotators/source.js'
export { type TlsOptions, type TlsSocket, tls } from './annotators/tls.js'
export { type TpmOptions, tpm } from './annotators/tpm.js'
export {
  AnnotatorErrorEvent,
  type Announcing,
  type ListenerOptions,
  type SdkEventMap,
} from './base/events.js'
export type { Logger } from './base/logger.js'
export type { LatencyStats } from './base/time/latency.js'
export { type ClassicCodec, type ClassicOptions, classic } from './classic/classic.js'
export type { BatchOptions, SdkOptions } from './config/options.js'
export type { SdkStats } from './config/stats.js'
export { type DeadLetter, openDeadLetter } from './consume/dead-letter.js'
export type { DedupOptions, SeenStore } from './consume/dedup.js'
export {
  type BackdatedFinding,
  type CompletenessStats,
  type Finding,
  type FindingAbout,
  type ForkedFinding,
  IncompleteEvent,
  type MissingFinding,
  type SilentFinding,
} from './consume/findings.js'
export type { Group, GroupOptions } from './consume/group.js'
export type { SubscribedLeases } from './consume/lease-options.js'
export type { ConsumeOptions } from './consume/options.js'
export {
  type Received,
  type ReceivedBundle,
  type ReceivedClassic,
  RejectedEvent,
} from './consume/received.js'
export type { CompletenessWatch } from './consume/watch.js'
export type { MutateInput } from './delivery/made-from.js'
export type { Receipt } from './delivery/receipt.js'
export type { LeasedKey } from './keys/leased-key.js'
export type { Scalar } from './keys/raw.js'
export { signRecoverable } from './keys/recovery.js'
export type { Seed } from './keys/seed.js'
export type { Signer, WebCryptoKeyPair } from './keys/signer.js'
export {
  type GenerateKeyOptions,
  generateKey,
  type KeyPair,
  type SigningKeyInput,
  signBytes,
} from './keys/signing.js'
export type { WebCryptoKey } from './keys/web-crypto-key.js'
export type { Algorithm } from './model/algorithm.js'
export type { Engine } from './model/payload.js'
export type { TraceContext } from './model/trace-context.js'
export { openSdk } from './sdk/open.js'
export type { ReadyOptions, Sdk } from './sdk/sdk.js'
export type {
  ConnectionSaid,
  DiagnosticsChannels,
  MessageTook,
  PacketSaid,
} from './streams/channels.js'
export { type MqttEventMap, type MqttStream, mqtt } from './streams/mqtt/mqtt.js'
export type { MqttOptions, MqttTls } from './streams/mqtt/options.js'
export { consoleStream, type MemoryStream, memory } from './streams/simple.js'
export type { StreamStats } from './streams/stats.js'
export type {
  Acceptance,
  PublishOptions,
  StreamContext,
  StreamDestination,
  StreamProvider,
} from './streams/stream.js'
export { tee } from './streams/tee.js'
export type { MixedSubscribeOptions, SubscribeOptions, SubscriptionOptions } from './subscribe/options.js'
export { subscribe } from './subscribe/subscribe.js'
export type { Subscription, SubscriptionEventMap, SubscriptionStats } from './subscribe/subscription.js'
export * from './verifying.js'
