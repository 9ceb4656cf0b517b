import { AlvariumError } from '../base/errors.js'
import type { Question } from './panel.js'

/**
 * Annotators see the payloads themselves, and can transfer or resize their buffers: what would be hashed then is
 * another payload, or none.
 *
 * @returns what throws `PAYLOAD_INVALID` once a payload is not as long as it is now
 */
export function wholeness({ payload, previousPayload }: Question): () => void {
  const length = payload.length
  const previousLength = previousPayload?.length ?? 0
  return () => {
    assertLength(payload, length)
    if (previousPayload) assertLength(previousPayload, previousLength)
  }
}

function assertLength({ length }: Uint8Array, before: number): void {
  if (length === before) return
  const text = `payload: expected ${before} bytes until its annotators have answered, got ${length}`
  throw new AlvariumError('PAYLOAD_INVALID', `${text}: its buffer was transferred or resized`)
}
