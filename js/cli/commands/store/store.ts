import { type Runs, Subcommand } from '../parts.js'
import { ingestCommand, initCommand, judgeCommand } from './intake.js'
import { aboutCommand, exportCommand, historyCommand, lineageCommand, scoreCommand } from './payload.js'
import { auditCommand, checkpointCommand } from './proofs.js'
import { forgetCommand, pruneCommand } from './removal.js'
import { serveCommand } from './serve.js'
import { findCommand, missingCommand, signersCommand } from './signers.js'

export function storeCommand(runs: Runs): Subcommand {
  return new Subcommand('store')
    .summary('keeps verified bundles in a database, and answers questions about payloads')
    .description(
      'Keeps verified bundles in PostgreSQL, or in a folder on this machine, and answers questions about payloads.',
    )
    .addCommands(runs, ...COMMANDS)
}

const COMMANDS = [
  initCommand,
  ingestCommand,
  judgeCommand,
  aboutCommand,
  historyCommand,
  findCommand,
  lineageCommand,
  scoreCommand,
  auditCommand,
  checkpointCommand,
  pruneCommand,
  forgetCommand,
  signersCommand,
  missingCommand,
  exportCommand,
  serveCommand,
]
