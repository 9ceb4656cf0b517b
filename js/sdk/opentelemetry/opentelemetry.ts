// `alvarium-sdk/opentelemetry`: spans and metrics, through the package @opentelemetry/api, which must be installed.

export type { InstrumentOptions, SdkInstrumentOptions } from './instrument.js'
export { type InstrumentableSdk, instrumentSdk } from './sdk.js'
export { type InstrumentableSubscription, contextOf, instrumentSubscription } from './subscription.js'
