import * as v from 'valibot'
import { loadArtifacts } from '#artifacts'
import { AlvariumError } from '../../../foundation/base/errors.js'
import { integer, MAX_TIMEOUT_MS, oneOf, strict } from '../../../foundation/base/options/schema.js'
import type { HashName } from '../../../foundation/model/bundle.js'
import type { Annotator } from '../../../signing/annotators/annotator.js'
import { mock } from '../../../signing/annotators/mock.js'
import { pki } from '../../../signing/annotators/pki.js'
import { source } from '../../../signing/annotators/source.js'
import { tls } from '../../../signing/annotators/tls.js'
import { tpm } from '../../../signing/annotators/tpm.js'
import type { VerifyingKeyInput } from '../../../signing/keys/verifying.js'
import { CONFIGURABLE } from '../../../transport/http/options.js'
import { pkiHttp } from '../../../transport/http/pki-http.js'
import { type AnnotatorEntry, type AnnotatorTable, type ConfigContext, madeBy, maybe } from './entries.js'
import { authority, hostName } from './streams.js'

interface EntryContext extends ConfigContext {
  /** Error that occurred when the file of the public key was read. */
  readonly unread?: unknown
  readonly hash: HashName
  /** Names of the public key in HTTP requests: the name of its file, and its path as in the Python SDK. */
  readonly keyNames: readonly string[]
  readonly requests: Readonly<Record<string, VerifyingKeyInput>> | undefined
}

interface BuiltIn {
  readonly members: v.ObjectEntries
  make(entry: AnnotatorEntry, given: EntryContext): Annotator | PromiseLike<Annotator>
}

const text = maybe(v.string('a string'))
/** Valibot schema of the hash in an entry. Default: the hash of the config, unless it is `none`. */
const hash = maybe(oneOf(['sha256', 'md5']))
const port = maybe(integer(1, 65_535, 443))
const urlPath = maybe(v.pipe(v.string('a string'), v.regex(/^\//, 'a path that begins with /')))
/** Valibot schemas of the address of the vulnerability database OSV, or of a mirror. */
const OSV = {
  provider: maybe(strict({ host: hostName, protocol: oneOf(['http', 'https']), port })),
  paths: maybe(
    strict({ queryBatch: urlPath, query: v.optional(v.pipe(v.unknown(), v.description('No effect'))) }),
  ),
}
const ASKING = {
  accept: maybe(
    v.array(
      oneOf(['transitive', 'toolchain', 'lock-file', 'unlocked', 'source', 'purl', 'ecosystem', 'unscanned']),
      'an array of reasons',
    ),
  ),
  ignore: maybe(v.array(v.string('an id'), 'an array of ids')),
  timeoutMs: maybe(integer(1, MAX_TIMEOUT_MS, 4000)),
  cacheMs: maybe(integer(0, MAX_TIMEOUT_MS, 300_000)),
}
const omit = maybe(v.array(oneOf(['dev']), 'an array'))
/** Annotator `src`. A sample config of the Rust SDK calls it `source`. */
const src: BuiltIn = { members: {}, make: () => source() }

/** Annotators of the other SDKs, by their names in configs. File annotators are loaded on demand. */
export const BUILT_IN: Readonly<Record<string, BuiltIn>> = {
  src,
  source: src,
  tls: {
    members: { peerCertificate: maybe(oneOf(['required', 'optional'])) },
    make: (entry) => tls(optionsIn(entry)),
  },
  tpm: { members: {}, make: () => tpm() },
  pki: { members: {}, make: (_, given) => pki({ verifyingKey: publicKey(given) }) },
  'pki-http': {
    members: Object.fromEntries(Object.entries(CONFIGURABLE).map(([name, schema]) => [name, maybe(schema)])),
    make: (entry, given) => pkiHttp({ ...optionsIn(entry), keys: requestKeys(given) }),
  },
  checksum: {
    members: { hash, artifactPath: text, checksumPath: text },
    make: async (entry, given) => {
      const { checksum } = await loadArtifacts()
      return checksum({ hash: fileHash(given), ...optionsIn(entry) })
    },
  },
  'source-code': {
    members: { hash, sourceCodePath: text, checksumPath: text, links: maybe(oneOf(['follow', 'skip'])) },
    make: async (entry, given) => {
      const { sourceCode } = await loadArtifacts()
      return sourceCode({ hash: fileHash(given), ...optionsIn(entry) })
    },
  },
  vulnerability: {
    members: { type: maybe(oneOf(['osv'])), ...OSV, path: text, sbom: text, results: text, ...ASKING },
    make: async (entry) => {
      const { type: _, provider: __, paths: ___, ...options } = optionsIn(entry)
      const { vulnerability } = await loadArtifacts()
      return vulnerability({ ...options, url: osvUrl(entry) })
    },
  },
  sbom: {
    members: {
      type: maybe(oneOf(['spdx', 'cyclonedx'])),
      version: maybe(oneOf(['SPDX-2.2', 'SPDX-2.3', '1.4', '1.5', '1.6'])),
      omit,
      sbomPath: text,
      buildPath: text,
    },
    make: async (entry) => {
      const { sbom } = await loadArtifacts()
      return sbom(optionsIn(entry))
    },
  },
  mock: {
    members: { shouldSatisfy: v.nullish(v.boolean('true or false'), false) },
    make: ({ shouldSatisfy }) => mock({ shouldSatisfy: shouldSatisfy === true }),
  },
}

interface OsvEntry {
  readonly provider?: { readonly host: string; readonly protocol: string; readonly port?: number }
  readonly paths?: { readonly queryBatch?: string }
}

function osvUrl(entry: AnnotatorEntry): string | undefined {
  const { provider, paths } = entry as unknown as OsvEntry
  if (!provider) return undefined
  const { host, protocol, port } = provider
  const { queryBatch = '/v1/querybatch' } = paths ?? {}
  return `${protocol}://${authority(host, port)}${queryBatch}`
}

/** Returns the config's hash for annotators that check files; for `none`, undefined, so that their default applies. */
function fileHash({ hash }: EntryContext): 'sha256' | 'md5' | undefined {
  return hash === 'none' ? undefined : hash
}

function optionsIn({ kind: _, ...options }: AnnotatorEntry): Record<string, unknown> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
}

/** Returns the public keys for HTTP requests: the config's key by all names, and `requests`. */
function requestKeys(given: EntryContext): Record<string, VerifyingKeyInput> {
  const { keyNames, requests } = given
  if (requests !== undefined && given.verifyingKey === undefined) return { ...requests }
  const key = publicKey(given)
  return { ...Object.fromEntries(keyNames.map((name) => [name, key])), ...requests }
}

function publicKey({ verifyingKey, unread }: EntryContext): VerifyingKeyInput {
  if (verifyingKey !== undefined) return verifyingKey
  if (unread !== undefined) throw unread
  throw new AlvariumError('CONFIG_INVALID', 'needs a public key in signature.public or keys.verifyingKey')
}

export function annotatorsOf(
  entries: readonly AnnotatorEntry[],
  ownAnnotators: AnnotatorTable,
  given: EntryContext,
): Promise<Annotator[]> {
  return Promise.all(
    entries.map(async (entry) => {
      const { kind } = entry
      const make = Object.hasOwn(ownAnnotators, kind) ? ownAnnotators[kind] : undefined
      if (make) return madeBy(`annotators (${kind})`, () => make(entry, given))
      return builtIn(entry, given)
    }),
  )
}

async function builtIn(entry: AnnotatorEntry, given: EntryContext): Promise<Annotator> {
  try {
    return await (BUILT_IN[entry.kind] as BuiltIn).make(entry, given)
  } catch (error) {
    if (!(error instanceof AlvariumError) || error.code !== 'CONFIG_INVALID') throw error
    throw new AlvariumError('CONFIG_INVALID', `annotators (${entry.kind}): ${error.message}`, {
      cause: error,
    })
  }
}
