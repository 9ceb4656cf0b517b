// Entry `alvarium-sdk/opentelemetry`: spans and metrics for the package @opentelemetry/api, which must be
// installed.

export type { InstrumentOptions, SdkInstrumentOptions } from './instrument.js'
export { type InstrumentableSdk, instrumentSdk } from './sdk.js'
export { contextOf, type InstrumentableSubscription, instrumentSubscription } from './subscription.js'
