import * as v from 'valibot'
import { joinWithOr, oneOf, strict } from '../../../foundation/base/options/schema.js'
import { HASHES, LAYERS } from '../../../foundation/model/bundle.js'
import { BUILT_IN } from './annotators.js'
import { type AnnotatorEntry, type AnnotatorTable, maybe, type StreamTable } from './entries.js'
import { streamSchema } from './streams.js'

const text = v.string('a string')
const path = v.pipe(text, v.nonEmpty('the path of a key file'))
const ignoredMember = v.optional(v.pipe(v.unknown(), v.description('No effect')))

/** Key types: `ed25519`, which the messages of every SDK can use, and types that only bundles can use. */
const TYPES = ['ed25519', 'P-256', 'secp256k1', 'SM2'] as const
const BROKEN_IN_GO = ['ecdsa-x509', 'ecdsa-secp256k1']
const type = v.picklist(TYPES, ({ input }) => {
  const isGos = typeof input === 'string' && BROKEN_IN_GO.includes(input)
  const why =
    "; the Go SDK's signatures of this type cannot be verified: for bundles, name the curve of the private key"
  return joinWithOr(TYPES, input) + (isGos ? why : '')
})
const key = strict({ type, path })

/** Returns the Valibot schema of `signature`, also with the Java SDK's names `publicKey` and `privateKey`. */
const signatureSchema = (isKeyGiven: boolean) =>
  v.pipe(
    strict({
      public: maybe(key),
      private: maybe(key),
      publicKey: maybe(v.pipe(key, v.description('As public'))),
      privateKey: maybe(v.pipe(key, v.description('As private'))),
      public_key_stronghold: ignoredMember,
      private_key_stronghold: ignoredMember,
    }),
    v.check((given) => !(given.public && given.publicKey), 'public or publicKey, not both'),
    v.check((given) => !(given.private && given.privateKey), 'private or privateKey, not both'),
    v.rawCheck(({ dataset: { typed, value }, addIssue }) => {
      if (isKeyGiven || !typed || value.private || value.privateKey) return
      const message = 'the type and path of a private key, or keys.signingKey'
      const place = {
        type: 'object',
        origin: 'value',
        input: value,
        key: 'private',
        value: undefined,
      } as const
      addIssue({ message, input: undefined, path: [place] })
    }),
  )

/**
 * Returns the Valibot schema of the other SDKs' configs, extended by your own annotators and streams.
 *
 * @param isKeyGiven - true if the caller has passed the private key, so that the config needs none
 */
export function configSchema(annotators: AnnotatorTable, streams: StreamTable, isKeyGiven: boolean) {
  return strict({
    $schema: ignoredMember,
    annotators: v.nullish(annotatorsSchema(annotators), []),
    layer: v.nullish(oneOf(LAYERS), 'app'),
    hash: v.nullish(strict({ type: oneOf(HASHES) }), { type: 'sha256' }),
    signature: v.nullish(signatureSchema(isKeyGiven), {}),
    stream: streamSchema(streams),
    logging: ignoredMember,
  })
}

/**
 * Returns the Valibot schema of `annotators`: an array of names, or of objects with options as in Java.
 * Earlier versions of the Go SDK have two arrays: built-in annotators, and the application's own.
 */
function annotatorsSchema(ownAnnotators: AnnotatorTable) {
  const kinds = [...new Set([...Object.keys(BUILT_IN), ...Object.keys(ownAnnotators)])]
  const name = v.pipe(
    oneOf(kinds),
    v.transform((kind): AnnotatorEntry => ({ kind })),
  )
  const objects = kinds.map((kind) => {
    const entries = { kind: v.literal(kind) }
    if (Object.hasOwn(ownAnnotators, kind)) return v.looseObject(entries)
    return strict({ ...entries, ...BUILT_IN[kind]?.members })
  })
  const object = v.variant('kind', objects, ({ input }) => joinWithOr(kinds, input))
  const entry = v.union([name, object], ({ input }) => joinWithOr(kinds, input))
  const list = v.array(entry, 'an array of kinds')
  const lists = v.pipe(
    strict({ basic: v.nullish(list, []), extended: v.nullish(list, []) }),
    v.transform(({ basic, extended }) => [...basic, ...extended]),
  )
  return v.union([list, lists], 'an array of kinds, or of objects with a kind')
}

export type Config = v.InferOutput<ReturnType<typeof configSchema>>
