import { once } from 'node:events'
import { openWitness } from 'alvarium-sdk/witness'
import { textOf } from '../../foundation/base/errors.js'
import { invalid } from '../fault.js'
import { trustedKeys } from '../keys/trusted.js'
import { EXIT, type Run } from '../session.js'
import { bold, dim, green, red, safeText } from '../terminal/shown.js'
import { WitnessFolder } from './folder.js'
import { listenAsWitness } from './server.js'

interface WitnessArguments {
  readonly name: string
  readonly state: string
  readonly log?: readonly string[]
  readonly signer?: readonly string[]
  readonly host: string
  readonly port: number
}

export const run: Run<WitnessArguments> = async (_, options, session) => {
  const { name, log: logs = [], signer, host, port } = options
  if (logs.length === 0 && signer === undefined)
    throw invalid('--log', 'a log or a --signer to watch', 'none')
  const signers = signer && (await trustedKeys(signer))
  const folder = await WitnessFolder.open(options.state)
  try {
    const { signingKey } = folder
    const witness = await openWitness({ name, signingKey, logs, signers, state: folder })
    const failed = (error: unknown) =>
      session.err.line(safeText`${red('✗')} nothing was signed: ${textOf(error)}`)
    session.begin()
    const listening = await listenAsWitness(witness, { host, port, failed }).catch((error) => {
      throw invalid('--port', 'a free address and port', textOf(error))
    })
    await session.out.line(safeText`${green('✓')} ${listening.url}`)
    await session.out.line(safeText`  its public key, for readers: ${bold(witness.vkey)}`)
    await session.err.line(dim(`its state is in ${options.state}; Ctrl-C ends it`))
    if (!session.interrupted.aborted) await once(session.interrupted, 'abort')
    await listening.close()
  } finally {
    await folder.close()
  }
  return EXIT.yes
}
