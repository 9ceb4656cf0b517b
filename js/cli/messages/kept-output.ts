import { invalid } from '../fault.js'
import type { Session } from '../session.js'

/** Options of a subscription with a name. */
export interface NamedOptions {
  readonly clientId?: string
  readonly mayLose?: boolean
}

/**
 * Refuses a named subscription that writes to a pipe, or to a file that a shell has opened. The broker forgets a message while it is in the pipe,
 * or behind a line that a kill has cut off.
 *
 * @throws AlvariumError `CONFIG_INVALID` with the alternatives
 */
export function assertKeptOutput({ clientId, mayLose = false }: NamedOptions, { out }: Session): void {
  if (clientId === undefined || mayLose || out.isTerminal) return
  throw invalid('--client-id', 'an output that keeps what is acknowledged', PIPE)
}

const PIPE = [
  'standard output, which loses it if a process is killed: keep messages with alvarium listen --raw --out FILE,',
  'store them with alvarium store ingest --url, or add --may-lose',
].join(' ')
