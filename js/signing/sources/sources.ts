/// <reference lib="esnext.disposable" preserve="true" />
// `alvarium-sdk/sources`: payloads larger than memory, in transit.

export type { Digesting, PayloadSource, Progress, SourceOptions } from '../../foundation/model/payload.js'
export { type HashingOptions, type HashingStream, hashing } from './hashing.js'
