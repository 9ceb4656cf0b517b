import type { Asked } from '../protocol.ts'
import { satisfies } from '../rule.ts'
import { type Annotator, pki, source, tls } from './sdk.ts'

/** Returns the selected annotators. `tls` gets no socket: in a page, it checks the page's own connection. */
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
