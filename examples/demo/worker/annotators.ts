import type { Asked } from '../protocol.ts'
import { satisfies } from '../rule.ts'
import { type Annotator, pki, source, tls } from './sdk.ts'

/** The annotators that the visitor has chosen. `tls` is asked without a socket: in a page it looks at the page. */
export function annotatorsFor(asked: Asked, publicKey: Uint8Array): Annotator[] {
  const { rule } = asked
  return [
    ...(asked.src ? [source()] : []),
    ...(asked.tls ? [tls() as Annotator] : []),
    ...(asked.pki ? [pki({ verifyingKey: publicKey })] : []),
    ...(rule
      ? [
          {
            kind: rule.kind,
            needs: 'payload',
            isSatisfied: ({ payload }) => satisfies(payload, rule),
          } as Annotator,
        ]
      : []),
  ]
}
