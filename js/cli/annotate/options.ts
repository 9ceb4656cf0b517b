import type { ClassicDialect, HashName, Layer } from 'alvarium-sdk'
import type { BrokerOptions } from '../broker-options.js'
import type { FormatOptions } from '../input/payloads.js'

export interface AnnotateOptions extends BrokerOptions, FormatOptions {
  readonly key?: string
  readonly seed?: boolean
  readonly config?: string
  readonly annotator?: readonly string[]
  readonly pkiKey?: string
  readonly action: 'create' | 'mutate' | 'transit' | 'publish'
  readonly from?: readonly string[]
  readonly inputs?: string
  readonly hash?: HashName
  readonly layer?: Layer
  readonly tag?: string
  readonly out?: string
  readonly append?: boolean
  readonly force?: boolean
  readonly topic?: string
  readonly codec?: 'json' | 'cbor'
  readonly dialect?: ClassicDialect
  readonly batch?: number
  readonly watch?: boolean
  readonly resume?: string
}

/** Names of the package's annotators that `--annotator` accepts. Any other value is the path of a module. */
export const KINDS: readonly string[] = ['src', 'tpm', 'pki']
