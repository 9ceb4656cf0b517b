import type { Annotation, Bundle, VerifiedBundle } from 'alvarium-sdk'

export interface Said extends Partial<Omit<VerifiedBundle, 'annotations' | 'key'>> {
  readonly key: string
  /** Answers by kind. */
  readonly answers?: Readonly<Record<string, boolean>>
}

let last = 0

/** Returns a bundle as if it had been verified, with a new id: for scoring, which verifies nothing. */
export function said({ answers = {}, ...given }: Said): VerifiedBundle {
  const id = String(++last)
  const annotations: Annotation[] = Object.entries(answers).map(([kind, isSatisfied]) => ({
    id: `${id} ${kind}`,
    kind,
    tag: '',
    isSatisfied,
  }))
  const bundle: Bundle = {
    action: 'create',
    signer: 'ab'.repeat(16),
    hash: 'sha256',
    host: 'edge-7',
    layer: 'app',
    timestamp: '2026-11-24T10:00:00Z',
    key: given.key,
    annotations,
  }
  return { ...bundle, id, payloadChecked: false, ...given }
}
