// `alvarium-sdk/opentelemetry`: spans and metrics, through the package @opentelemetry/api, which has to be there.

export type { InstrumentOptions, SdkInstrumentOptions } from './instrument.js'
export { type Annotating, instrumentSdk } from './sdk.js'
export { type Consuming, contextOf, instrumentSubscription } from './subscription.js'
