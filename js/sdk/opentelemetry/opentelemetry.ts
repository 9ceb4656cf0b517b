// Entry `alvarium-sdk/opentelemetry`: spans and metrics by the peer dependency @opentelemetry/api.

export type { InstrumentOptions, SdkInstrumentOptions } from './instrument.js'
export { type InstrumentableSdk, instrumentSdk } from './sdk.js'
export { contextOf, type InstrumentableSubscription, instrumentSubscription } from './subscription.js'
