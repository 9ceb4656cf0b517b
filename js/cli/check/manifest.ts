import { type Manifest, openManifest } from 'alvarium-sdk/sets'
import { AlvariumError, conflicts } from '../../foundation/base/errors.js'
import { outcomeOfCode } from '../../foundation/model/outcome.js'
import { Refusals } from '../audit/refusals.js'
import { invalid, pathText } from '../fault.js'
import type { TrustedAt } from '../keys/trusted.js'
import type { Session } from '../session.js'
import { piecesOf, saltIn } from '../set/files.js'
import { assertSalted, isManifestFile } from '../set/manifests.js'
import { assertNotLater, SignedLater } from '../verify/received.js'
import type { CheckArguments, SignedSource } from './signed-source.js'

export async function manifestsIn(sources: readonly string[]): Promise<string[]> {
  const found: string[] = []
  for (const source of sources) if (await isManifestFile(source)) found.push(source)
  return found
}

/** Refuses to check a manifest together with messages, or with options that apply only to messages. */
export function assertAlone(file: string, sources: readonly string[], options: CheckArguments): void {
  if (sources.length > 1) throw invalid('messages', `only the manifest ${pathText(file)}`, 'further files')
  for (const name of ['action', 'leases', 'checkpoints'] as const) {
    if (options[name] !== undefined) throw conflicts(`--${name}`, 'a manifest')
  }
}

export class CheckManifest implements SignedSource {
  readonly name = 'manifest'
  readonly isWhole = true
  readonly refusals: Refusals
  readonly foreign = { count: 0 }
  readonly #file: string
  readonly #session: Session

  constructor(file: string, session: Session) {
    this.#file = file
    this.#session = session
    this.refusals = new Refusals(session, 1)
  }

  /** Opens the manifest. Reports a manifest that does not verify, and returns undefined. */
  async open({ keyring, receivedAt }: TrustedAt, options: CheckArguments): Promise<Manifest | undefined> {
    const { salt, maxRecords } = options
    const trusting = { keyring, receivedAt, salt: await saltIn(salt), maxRecords }
    try {
      const manifest = await openManifest(piecesOf(this.#file, this.#session), trusting)
      assertSalted(manifest.statement, trusting.salt)
      assertNotLater(receivedAt, [manifest.statement])
      return manifest
    } catch (error) {
      if (!(error instanceof AlvariumError) || !isAbout(error)) throw error
      await this.refusals.add(this.#file, error)
      return undefined
    }
  }

  placeOf(): string {
    return this.#file
  }
}

/** Returns whether an error is about the manifest itself, not about the options or reading the file. */
function isAbout(error: AlvariumError): boolean {
  const { code } = error
  return outcomeOfCode(code) === 'does not hold' || code === 'SIGNER_UNKNOWN' || error instanceof SignedLater
}
