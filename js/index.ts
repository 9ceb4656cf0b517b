/// <reference lib="esnext.disposable" preserve="true" />

export * from './entries/verify.js'
export {
  AnnotatorErrorEvent,
  type ListenerOptions,
  type SdkEventMap,
  type TypedEventTarget,
} from './foundation/base/events.js'
export type { Logger } from './foundation/base/logger.js'
export type { LatencyStats } from './foundation/base/time/latency.js'
export type { Algorithm } from './foundation/model/algorithm.js'
export type { Engine } from './foundation/model/payload.js'
export type { TraceContext } from './foundation/model/trace-context.js'
export type { BatchOptions, SdkOptions } from './sdk/config/options.js'
export type { SdkStats } from './sdk/config/stats.js'
export type { MutateInput } from './sdk/delivery/inputs.js'
export type { Receipt } from './sdk/delivery/receipt.js'
export { openSdk } from './sdk/instance/open.js'
export type { ReadyOptions, Sdk } from './sdk/instance/sdk.js'
export type { MixedSubscribeOptions, SubscribeOptions, SubscriptionOptions } from './sdk/subscribe/options.js'
export { subscribe } from './sdk/subscribe/subscribe.js'
export type { Subscription, SubscriptionEventMap, SubscriptionStats } from './sdk/subscribe/subscription.js'
export type {
  Annotator,
  AnnotatorContext,
  AnyAnnotator,
  CallContext,
  KeyAnnotator,
  PayloadAnnotator,
  PayloadContext,
} from './signing/annotators/annotator.js'
export { KINDS, type Kind } from './signing/annotators/annotator.js'
export { type PkiOptions, pki } from './signing/annotators/pki.js'
export { source } from './signing/annotators/source.js'
export { type TlsOptions, type TlsSocket, tls } from './signing/annotators/tls.js'
export { type TpmOptions, tpm } from './signing/annotators/tpm.js'
export { signRecoverable } from './signing/keys/ec/recovery.js'
export type { Scalar } from './signing/keys/forms/raw.js'
export type { Seed } from './signing/keys/forms/seed.js'
export type { WebCryptoKey } from './signing/keys/forms/web-crypto-key.js'
export type { LeasedKey } from './signing/keys/leased-key.js'
export type { Signer, WebCryptoKeyPair } from './signing/keys/signer.js'
export {
  type GenerateKeyOptions,
  generateKey,
  type KeyPair,
  type SigningKeyInput,
  signBytes,
} from './signing/keys/signing.js'
export type {
  ConnectionInfo,
  DiagnosticsChannels,
  MessageTiming,
  PacketInfo,
} from './transport/streams/channels.js'
export { type MqttEventMap, type MqttStream, mqtt } from './transport/streams/mqtt/mqtt.js'
export type { MqttOptions, MqttTls } from './transport/streams/mqtt/options.js'
export { consoleStream, type MemoryStream, memory } from './transport/streams/simple.js'
export type { StreamStats } from './transport/streams/stats.js'
export type {
  Acceptance,
  PublishOptions,
  StreamContext,
  StreamDestination,
  StreamProvider,
} from './transport/streams/stream.js'
export { tee } from './transport/streams/tee.js'
export { type ClassicCodec, type ClassicOptions, classic } from './verifying/classic/classic.js'
export { type DeadLetter, openDeadLetter } from './verifying/consume/dead-letter.js'
export type { DedupOptions, SeenStore } from './verifying/consume/dedup.js'
export {
  type BackdatedFinding,
  type CompletenessStats,
  type Finding,
  type FindingAbout,
  type ForkedFinding,
  IncompleteEvent,
  type MissingFinding,
  type SilentFinding,
} from './verifying/consume/findings.js'
export type { Group, GroupOptions } from './verifying/consume/group.js'
export type { SubscribedLeases } from './verifying/consume/lease-options.js'
export type { ConsumeOptions } from './verifying/consume/options.js'
export {
  type Received,
  type ReceivedBundle,
  type ReceivedClassic,
  RejectedEvent,
} from './verifying/consume/received.js'
export type { CompletenessWatch } from './verifying/consume/watch.js'
