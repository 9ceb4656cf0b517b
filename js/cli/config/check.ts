import { access } from 'node:fs/promises'
import { memory, openSdk } from 'alvarium-sdk'
import { readConfig } from 'alvarium-sdk/config'
import { AlvariumError } from '../../base/errors.js'
import { EXIT, type ExitCode, type Run } from '../session.js'
import { green, padded, red, type Shown, shown, yellow } from '../terminal/shown.js'
import { type Foreseen, foresee, isTold } from './foreseen.js'

/** What a config says, or all that is wrong with it, unless something kept us from looking. */
type Checked =
  | {
      readonly works: true
      readonly signer: string
      readonly annotators: readonly string[]
      readonly hash: string
      readonly layer: string
      readonly warnings: readonly Foreseen[]
    }
  | {
      readonly works: false
      readonly isTold: boolean
      readonly code: string
      readonly faults: readonly string[]
    }

export const run: Run<{ readonly json?: boolean }> = async ([file = ''], { json = false }, { out }) => {
  const checked = await check(file)
  if (json) await out.json(checked)
  else for (const row of rowsOf(file, checked)) await out.line(row)
  return exitOf(checked)
}

function exitOf(checked: Checked): ExitCode {
  if (!checked.works) return checked.isTold ? EXIT.no : EXIT.unknown
  return checked.warnings.some(({ answer }) => answer === 'unknown') ? EXIT.unknown : EXIT.yes
}

/** Opens an SDK that publishes nowhere, with the key alone: the annotators may ask what is not here. */
async function check(file: string): Promise<Checked> {
  try {
    const { signingKey, annotators, hash = 'sha256', layer = 'app' } = await readConfig(file)
    const sdk = await openSdk({ signingKey, annotators: [], stream: memory() })
    if (signingKey instanceof Uint8Array) signingKey.fill(0)
    const { bundle } = await sdk.create(new Uint8Array(0))
    await sdk.close()
    const kinds = annotators.map(({ kind }) => kind)
    const warnings = await foresee(annotators)
    return { works: true, signer: bundle.signer, annotators: kinds, hash, layer, warnings }
  } catch (error) {
    if (!(error instanceof AlvariumError)) throw error
    const isThere = await access(file).then(
      () => true,
      () => false,
    )
    return {
      works: false,
      isTold: isThere && isTold(error),
      code: error.code,
      faults: error.message.split('\n'),
    }
  }
}

function rowsOf(file: string, checked: Checked): Shown[] {
  if (!checked.works) {
    return [
      shown`${red('✗')} ${file}  ${checked.code}`,
      ...checked.faults.map((fault) => shown`    ${fault}`),
    ]
  }
  const { signer, annotators, hash, layer, warnings } = checked
  return [
    shown`${green('✓')} ${file} would work`,
    ...Object.entries({ signer, annotators: annotators.join(', '), hash, layer }).map(
      ([name, value]) => shown`    ${padded(name, 12)}${value}`,
    ),
    ...warnings.map(warning),
  ]
}

function warning({ kind, answer, why }: Foreseen): Shown {
  return answer === 'no'
    ? shown`  ${yellow('!')} ${kind} would answer no to every call: ${why}`
    : shown`  ${yellow('?')} ${kind}: it could not be decided whether it can ever be satisfied: ${why}`
}
