import * as v from 'valibot'
import { describe } from '../../../foundation/base/errors.js'
import { digits, readOptions, strict } from '../../../foundation/base/options/schema.js'
import { urlIn } from '../../../foundation/base/text/text.js'
import { NAMES } from './names.js'

/** Settings of an OpenLineage facet: the producer, and the pack with the evidence. */
export interface OpenLineageOptions {
  /** URI of the code that emits the events, as in `producer` of each event. */
  readonly producer: string
  /**
   * Evidence pack with the bundles: the URI of its file, and the `id` from `verifyPack`, 64 lower-case
   * hexadecimal digits.
   */
  readonly pack?: { readonly uri: string; readonly id: string } | undefined
}

/** Facets of a run, for `run.facets` of an OpenLineage event. */
export interface OpenLineageFacets {
  /** Evidence about the run. Its JSON Schema is `examples/openlineage/AlvariumEvidenceRunFacet.json`. */
  readonly alvarium_evidence: {
    readonly _producer: string
    readonly _schemaURL: string
    /** Key ids of the signers, each once. */
    readonly signers: readonly string[]
    /** Ids of the bundles, each once. */
    readonly bundles: readonly string[]
    readonly pack?: { readonly uri: string; readonly id: string }
  }
}

const uri = () =>
  v.pipe(
    v.string('a URI'),
    v.check((given) => urlIn(given) !== undefined, 'a URI'),
  )
const schema = strict({ producer: uri(), pack: v.optional(strict({ uri: uri(), id: digits(64) })) })

const FACET_SCHEMA = `${NAMES}openlineage/1-0-0/AlvariumEvidenceRunFacet.json`

/**
 * Builds a facet for OpenLineage events that names the evidence about a run (OpenLineage 2-0-2, Custom
 * Facets). The facet is not signed and contains no annotations. It states only where the evidence is.
 *
 * @param bundles - the bundles that were signed in the run, such as verified bundles; only `id` and `signer` are read
 * @returns the facets, for `run.facets` of the event
 * @throws TypeError for bundles without ids or signers
 * @throws AlvariumError `CONFIG_INVALID` naming the option
 *
 * @example
 * ```ts
 * import { toOpenLineage } from 'alvarium-sdk/packs'
 *
 * const facets = toOpenLineage([bundle], { producer: 'https://example.com/pipeline' })
 * facets.alvarium_evidence.bundles[0] === bundle.id // true
 * ```
 */
export function toOpenLineage(
  bundles: Iterable<{ readonly id: string; readonly signer: string }>,
  options: OpenLineageOptions,
): OpenLineageFacets {
  const { producer, pack } = readOptions(schema, options, 'toOpenLineage')
  const ids = new Set<string>()
  const signers = new Set<string>()
  for (const bundle of bundles) {
    const { id, signer } = Object(bundle)
    if (typeof id !== 'string' || typeof signer !== 'string') {
      throw new TypeError(`bundles: expected bundles with id and signer, got ${describe(bundle)}`)
    }
    ids.add(id)
    signers.add(signer)
  }
  const evidence = { _producer: producer, _schemaURL: FACET_SCHEMA, signers: [...signers], bundles: [...ids] }
  return { alvarium_evidence: pack ? { ...evidence, pack } : evidence }
}
