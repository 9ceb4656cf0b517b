import { Command, Option } from 'commander'
import { examples, type Runs, repeated, SOURCE, topicOptions, trustedKeys, whole } from './parts.js'

const WEIGHTS = '--weights <json>'
const WEIGHTS_MEAN = 'of kinds, for example {"tls":2}; those that are not named weigh 1'

const REQUIRE = 'without a yes of this kind, or with a no, a payload scores 0; can be repeated'
const ONCE = 'count each signer once for each kind; where it has said both, the no'

/** Judges payloads. */
export function scoreCommand(runs: Runs): Command {
  const command = new Command('score')
    .summary('how far can each payload be trusted?')
    .description(
      'Reads messages as verify does, and says of each payload which share of what was said about it, by weight, was satisfied. What does not verify counts for nothing; where nothing verifies it ends with 2. Memory grows with the number of payloads.',
    )
    .argument('[source...]', SOURCE)
    .addOption(trustedKeys())
    .option(WEIGHTS, WEIGHTS_MEAN)
    .option('--require <kind>', REQUIRE, repeated())
    .option('--once-per-signer', ONCE)
    .addOption(new Option('--min <percent>', 'end with 1 when a payload has less').argParser(whole(0, 100)))
    .option('--json', 'for programs, a line for each payload')
  for (const option of topicOptions()) command.addOption(option)
  return command
    .addHelpText(
      'after',
      examples(
        ['alvarium score messages.ndjson -k public.key', 'from a file'],
        ['alvarium score archive/ -k public.key', 'from all that a file stream has written into a folder'],
        [
          'alvarium score --url ws://localhost:9001 --topic alvarium -n 1000 -k public.key',
          'from the next thousand messages of a topic',
        ],
        [`alvarium score audit.ndjson -k keys/ --weights '{"tls":2}' --min 80`, 'a gate in a pipeline'],
        [
          'alvarium score audit.ndjson -k keys/ --require pki --once-per-signer --min 80',
          'one that no signer passes by saying yes often',
        ],
      ),
    )
    .action(runs(() => import('../score/run.js')))
}

/** Follows a payload back. */
export function lineageCommand(runs: Runs): Command {
  const command = new Command('lineage')
    .summary('what was a payload made from, and that, and so on?')
    .description(
      'Reads messages as verify does, and follows a payload back along the keys of what it was made from (mutate).',
    )
    .argument('<key>', 'of the payload, or the beginning of one; or a file with the payload')
    .argument('[source...]', SOURCE)
    .addOption(trustedKeys())
    .option(WEIGHTS, WEIGHTS_MEAN)
    .option('--require <kind>', REQUIRE, repeated())
    .option('--once-per-signer', ONCE)
    .option('--json', 'for programs')
  for (const option of topicOptions()) command.addOption(option)
  return command
    .addHelpText(
      'after',
      examples(
        ['alvarium lineage reading.json messages.ndjson -k public.key', 'of the payload in that file'],
        ['alvarium lineage 9F86D081 archive/ -k public.key', 'of the one whose key begins so'],
      ),
    )
    .action(runs(() => import('../score/lineage.js')))
}
