import { AlvariumError } from '../../../foundation/base/errors.js'
import type { Annotation, Bundle } from '../../../foundation/model/bundle.js'
import type { StatedSet } from '../../../signing/keys/trust-policy.js'
import type { Allowed } from '../policy/policy.js'
import { TextList } from './text-list.js'

/** Field of a statement, and the texts that are allowed in it. Without a list, every text is allowed. */
export interface Check {
  /** Path of the field, such as `host` or `annotations[1].kind`. */
  readonly field: string
  readonly value: string
  readonly texts: TextList | undefined
}

export type Statement = Pick<Bundle, 'action' | 'host' | 'layer'> & {
  readonly annotations: readonly Pick<Annotation, 'kind' | 'tag'>[]
}

interface AllowedSets {
  readonly sets?: readonly string[] | undefined
}

/** Statements that a signer, or another key under a lease of the signer, may sign. */
export class Rules {
  readonly #signer: string
  readonly #actions: TextList | undefined
  readonly #hosts: TextList | undefined
  readonly #layers: TextList | undefined
  readonly #kinds: TextList | undefined
  readonly #tags: TextList | undefined
  readonly #sets: TextList | undefined

  constructor(signer: string, { actions, hosts, layers, kinds, tags, sets }: Allowed & AllowedSets) {
    this.#signer = signer
    this.#actions = textsOf(actions)
    this.#hosts = textsOf(hosts)
    this.#layers = textsOf(layers)
    this.#kinds = textsOf(kinds)
    this.#tags = textsOf(tags)
    this.#sets = textsOf(sets)
  }

  /** True if actions are listed. Annotations of other SDKs are then refused: their signatures cover no action. */
  get hasActions(): boolean {
    return this.#actions !== undefined
  }

  /**
   * Returns the first field of {@link checksOf} whose text is not allowed. Builds no list of checks, because
   * this runs for every bundle.
   *
   * @param from - index of the first annotation to check
   * @param until - index after the last annotation to check
   */
  firstRefused(
    { action, host, layer, annotations }: Statement,
    from = 0,
    until = annotations.length,
  ): Check | undefined {
    const [kinds, tags] = [this.#kinds, this.#tags]
    if (this.#actions?.allows(action) === false)
      return { field: 'action', value: action, texts: this.#actions }
    if (this.#hosts?.allows(host) === false) return { field: 'host', value: host, texts: this.#hosts }
    if (this.#layers?.allows(layer) === false) return { field: 'layer', value: layer, texts: this.#layers }
    const end = kinds || tags ? Math.min(until, annotations.length) : 0
    for (let at = from; at < end; at++) {
      const { kind, tag } = annotations[at] as Statement['annotations'][number]
      if (kinds?.allows(kind) === false)
        return { field: `annotations[${at}].kind`, value: kind, texts: kinds }
      if (tags?.allows(tag) === false) return { field: `annotations[${at}].tag`, value: tag, texts: tags }
    }
    return undefined
  }

  /**
   * Yields each field of a statement that rules can restrict, with its allowed texts. The order of the fields
   * is action, host, layer, then the kind and tag of each annotation.
   */
  *checksOf({ action, host, layer, annotations }: Statement): Generator<Check, void> {
    yield { field: 'action', value: action, texts: this.#actions }
    yield { field: 'host', value: host, texts: this.#hosts }
    yield { field: 'layer', value: layer, texts: this.#layers }
    for (const [at, { kind, tag }] of annotations.entries()) {
      yield { field: `annotations[${at}].kind`, value: kind, texts: this.#kinds }
      yield { field: `annotations[${at}].tag`, value: tag, texts: this.#tags }
    }
  }

  /** Asserts that the signer may seal a set of this name on this host. @throws AlvariumError `SIGNER_NOT_ALLOWED` */
  assertSet({ name, host }: Pick<StatedSet, 'name' | 'host'>): void {
    const checks = [
      { field: 'host', value: host, texts: this.#hosts },
      { field: 'set', value: name, texts: this.#sets },
    ]
    const refused = checks.find(({ texts, value }) => texts?.allows(value) === false)
    if (refused) throw this.refusal(refused, '')
  }

  refusal({ field, value, texts }: Check, place: string): AlvariumError {
    const got = JSON.stringify(shorten(value))
    return notAllowedError(`${place}${field}: ${this.#permitted(texts as TextList, field)}, got ${got}`)
  }

  actionRefusal(): AlvariumError {
    const listed = listOf((this.#actions as TextList).written)
    return notAllowedError(
      `action: ${this.#signer} may only say ${listed}, got an unsigned action of a classic message`,
    )
  }

  #permitted({ written }: TextList, field: string): string {
    if (written.length > 0) return `${this.#signer} may only say ${listOf(written)}`
    return `${this.#signer} is not permitted to state any ${field.split('.').at(-1)}`
  }
}

function textsOf(texts: readonly string[] | undefined): TextList | undefined {
  return texts && new TextList(texts)
}

/** Maximum number of texts that an error lists. More would hide the fault. */
const MAX_LISTED = 8
const MAX_SHOWN_CHARACTERS = 100

function listOf(texts: readonly string[]): string {
  const shown = texts.slice(0, MAX_LISTED).map((text) => (text === '' ? '""' : shorten(text)))
  const left = texts.length - shown.length
  if (left > 0) return `${shown.join(', ')} or one of ${left} more`
  const last = shown.pop() ?? ''
  return shown.length > 0 ? `${shown.join(', ')} or ${last}` : last
}

function shorten(text: string): string {
  return text.length > MAX_SHOWN_CHARACTERS ? `${text.slice(0, MAX_SHOWN_CHARACTERS)}…` : text
}

function notAllowedError(text: string): AlvariumError {
  return new AlvariumError('SIGNER_NOT_ALLOWED', text)
}
