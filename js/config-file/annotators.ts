import * as v from 'valibot'
import type { Annotator } from '../annotators/annotator.js'
import { pki } from '../annotators/pki.js'
import { source } from '../annotators/source.js'
import { tls } from '../annotators/tls.js'
import { tpm } from '../annotators/tpm.js'
import { mock } from '../artifacts/mock.js'
import { AlvariumError } from '../base/errors.js'
import { integer, oneOf, strict } from '../base/schema.js'
import { pkiHttp } from '../http/http.js'
import type { VerifyingKeyInput } from '../keys/verifying.js'
import type { HashName } from '../model/bundle.js'
import { maybe } from './maybe.js'
import { authority, hostName } from './streams.js'
import type { AnnotatorEntry, AnnotatorTable, ConfigContext } from './tables.js'

/** What our own annotators want to know besides. */
export interface Given extends ConfigContext {
  /** Why the file of the public key cannot be read. */
  readonly unread?: unknown
  readonly hash: HashName
  /** How requests call the public key: by its file's name, or by its path as Python does. */
  readonly keyNames: readonly string[]
}

/** An annotator that a config can name. */
export interface BuiltIn {
  /** What an entry can say beside its kind. */
  readonly members: v.ObjectEntries
  make(entry: AnnotatorEntry, given: Given): Annotator | PromiseLike<Annotator>
}

const text = maybe(v.string('a string'))
/** The config's own, unless the entry says another. */
const hash = maybe(oneOf(['sha256', 'md5']))
const port = maybe(integer(1, 65_535, 443))
/** Where OSV, or a mirror of it, is. */
const OSV = {
  provider: maybe(strict({ host: hostName, protocol: oneOf(['http', 'https']), port })),
  paths: maybe(
    strict({ queryBatch: text, query: v.optional(v.pipe(v.unknown(), v.description('No effect'))) }),
  ),
}
const omit = maybe(v.array(oneOf(['dev']), 'an array'))
/** What `src` is called in a sample of the Rust SDK. */
const src: BuiltIn = { members: {}, make: () => source() }

/** All that the other SDKs have, by their names in configs. What looks at files is loaded when it is named. */
export const BUILT_IN: Readonly<Record<string, BuiltIn>> = {
  src,
  source: src,
  tls: { members: {}, make: () => tls() },
  tpm: { members: {}, make: () => tpm() },
  pki: { members: {}, make: (_, given) => pki({ verifyingKey: publicKey(given, 'pki') }) },
  'pki-http': {
    members: { dialect: maybe(oneOf(['go', 'java', 'python'])), origin: text },
    make: ({ kind: _, ...options }, given) => {
      const key = publicKey(given, 'pki-http')
      return pkiHttp({ ...options, keys: Object.fromEntries(given.keyNames.map((name) => [name, key])) })
    },
  },
  checksum: {
    members: { hash, artifactPath: text, checksumPath: text },
    make: async (entry, given) => {
      const { kind: _, ...options } = entry
      const { checksum } = await import('#artifacts')
      return checksum({ ...options, hash: fileHash(entry, given) })
    },
  },
  'source-code': {
    members: { hash, sourceCodePath: text, checksumPath: text, links: maybe(oneOf(['follow', 'skip'])) },
    make: async (entry, given) => {
      const { kind: _, ...options } = entry
      const { sourceCode } = await import('#artifacts')
      return sourceCode({ ...options, hash: fileHash(entry, given) })
    },
  },
  vulnerability: {
    members: { type: maybe(oneOf(['osv'])), ...OSV, path: text },
    make: async (entry) => {
      const { path, ...where } = entry as OsvEntry
      const { vulnerability } = await import('#artifacts')
      return vulnerability({ path, url: osvUrl(where) })
    },
  },
  sbom: {
    members: {
      type: maybe(oneOf(['spdx', 'cyclonedx'])),
      version: text,
      omit,
      sbomPath: text,
      buildPath: text,
    },
    make: async ({ kind: _, ...options }) => {
      const { sbom } = await import('#artifacts')
      return sbom(options)
    },
  },
  mock: {
    members: { shouldSatisfy: v.nullish(v.boolean('true or false'), false) },
    make: ({ shouldSatisfy }) => mock({ shouldSatisfy: shouldSatisfy === true }),
  },
}

interface OsvEntry {
  readonly path?: string
  readonly provider?: { readonly host: string; readonly protocol: string; readonly port?: number }
  readonly paths?: { readonly queryBatch?: string }
}

/** Its own, unless the config says another. */
function osvUrl({ provider, paths }: OsvEntry): string | undefined {
  if (!provider) return undefined
  const { host, protocol, port } = provider
  const { queryBatch = '/v1/querybatch' } = paths ?? {}
  return `${protocol}://${authority(host, port)}${queryBatch}`
}

/** With `none`, which says nothing of files, they have their default. */
function fileHash(entry: AnnotatorEntry, { hash }: Given): 'sha256' | 'md5' | undefined {
  return (entry as FileEntry).hash ?? (hash === 'none' ? undefined : hash)
}

interface FileEntry {
  readonly hash?: 'sha256' | 'md5'
}

function publicKey({ verifyingKey, unread }: Given, kind: string): VerifyingKeyInput {
  if (verifyingKey !== undefined) return verifyingKey
  if (unread !== undefined) throw unread
  const text = `signature.public: expected the key that ${kind} looks for, got none`
  throw new AlvariumError('CONFIG_INVALID', text)
}

/** Makes the annotators that a config names, in its order. */
export function annotatorsOf(
  entries: readonly AnnotatorEntry[],
  own: AnnotatorTable,
  given: Given,
): Promise<Annotator[]> {
  return Promise.all(
    entries.map(async (entry) => {
      const { kind } = entry
      if (Object.hasOwn(own, kind)) return (own[kind] as AnnotatorTable[string])(entry, given)
      return (BUILT_IN[kind] as BuiltIn).make(entry, given)
    }),
  )
}
