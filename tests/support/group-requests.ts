// @internal: no test can look into a worker of a pool
import { openSealer, openVerifier } from '../../dist/sdk/pool/contexts.js'
import { MESSAGES } from '../../dist/sdk/pool/messages.js'
import type { SealRequest, VerifyRequest } from '../../dist/sdk/pool/protocol.js'
import { Packer } from '../../dist/signing/seal/packer.js'

export { openSealer, openVerifier, Packer }

export function sealRequest({ memory, size, length }: Packer): SealRequest {
  return { type: 'seal', job: 1, context: 1, memory, size, length, outOfLine: [] }
}

export function verifyRequest(message: Uint8Array, payload: Uint8Array): VerifyRequest {
  const contents = MESSAGES.empty(message.length + payload.length)
  contents.add({ message, payload })
  return contents.post(1, 1).request as VerifyRequest
}
