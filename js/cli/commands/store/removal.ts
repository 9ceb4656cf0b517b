import { Command } from 'commander'
import { examples, type Runs } from '../parts.js'
import { databaseOption, payloadArgument, payloadOptions } from './options.js'

export function pruneCommand(runs: Runs): Command {
  return new Command('prune')
    .summary('removes what is old; the log stays provable')
    .description(
      'Removes bundles and messages that were received before a time. Their ids stay in the log, and verdicts tell how many were pruned. There is no way back: export them first.',
    )
    .addOption(databaseOption())
    .requiredOption('--before <time>', 'received before; where that is not known, signed before')
    .option('--json', 'write JSON')
    .addHelpText(
      'after',
      examples(
        ['alvarium store export > evidence.ndjson', 'keep the messages first, if you may need them'],
        ['alvarium store prune --before 2026-01-01T00:00:00Z', 'and remove what is older'],
      ),
    )
    .action(runs(() => import('../../store/prune.js')))
}

export function forgetCommand(runs: Runs): Command {
  const command = new Command('forget')
    .summary('removes all that names a payload')
    .description(
      'Removes all bundles about a payload, and those that say that something was made from it, with their messages. Their ids stay in the log. There is no way back.',
    )
    .addArgument(payloadArgument())
    .option('--json', 'write JSON')
  for (const option of [databaseOption(), ...payloadOptions()]) command.addOption(option)
  return command
    .addHelpText(
      'after',
      examples(
        [
          'alvarium store forget ann@example.com --payload-key --hash none',
          'a text that is its own payload key',
        ],
        ['alvarium store forget letter.txt', 'the payload in a file, by its SHA-256'],
      ),
    )
    .action(runs(() => import('../../store/forget.js')))
}
