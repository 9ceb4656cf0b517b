import { type Runs, Subcommand, trustOptions } from '../parts.js'
import { databaseOption, payloadArgument, payloadOptions } from './options.js'

export function pruneCommand(runs: Runs): Subcommand {
  return new Subcommand('prune')
    .summary('removes what is old; the log stays provable')
    .description(
      'Removes bundles and messages that were received before a time. Their ids stay in the log, and verdicts tell how many were pruned. There is no way back: export them first.',
    )
    .addOption(databaseOption())
    .requiredOption('--before <time>', 'received before; where that is not known, signed before')
    .option('--json', 'write JSON')
    .examples(
      ['alvarium store export > evidence.ndjson', 'keep the messages first, if you may need them'],
      ['alvarium store prune --before 2026-01-01T00:00:00Z', 'and remove what is older'],
    )
    .action(runs(() => import('../../store/prune.js')))
}

export function forgetCommand(runs: Runs): Subcommand {
  return new Subcommand('forget')
    .summary('removes all that names payloads')
    .description(
      'Removes all bundles about payloads, and those that say that something was made from them, with their messages: in one transaction, unless it is too much for one. Their ids stay in the log. There is no way back.',
    )
    .addArgument(payloadArgument(false))
    .option('--json', 'write JSON')
    .addOptions(databaseOption(), payloadOptions())
    .option('--payload-keys <file>', 'a file with a payload key on each line')
    .option('--tag <tag>', 'the payloads of all bundles with this tag. The tag itself stays')
    .option(
      '--inputs-of <payload>',
      'the payloads that this one was made from directly: a file, or a payload key',
    )
    .option('--report <file>', 'audit the store afterwards, and write a report for your records')
    .optionsGroup('For the audit of --report:')
    .addOptions(trustOptions())
    .option('--checkpoint <file>', 'a checkpoint of the store that was kept elsewhere')
    .option('--vkey <key>', "the public key of the store's log")
    .addHelpText(
      'after',
      `
Exit codes:
  0  payloads were forgotten
  2  the store knows none of them`,
    )
    .examples(
      [
        'alvarium store forget ann@example.com --payload-key --hash none',
        'a text that is its own payload key',
      ],
      ['alvarium store forget letter.txt', 'the payload in a file, by its SHA-256'],
      [
        'alvarium store forget --payload-keys list.txt --report removal.md -t trust.json',
        'many at once, with a report for your records',
      ],
      ['alvarium store forget --tag person-17', 'all payloads with this tag'],
    )
    .action(runs(() => import('../../store/forget.js')))
}
