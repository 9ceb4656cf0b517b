import { Command, Option } from 'commander'
import {
  collect,
  controlMessageOptions,
  examples,
  pictureOptions,
  type Runs,
  receivedOption,
  SOURCE,
  topicOptions,
  trustOptions,
  whole,
} from './parts.js'

/** Adds the options for weights and requirements of a score. */
function addRules(command: Command): Command {
  return command
    .option('--weights <json>', 'the weight of each kind, for example {"tls":2}; all others weigh 1')
    .option(
      '--require <kind>',
      'score 0 if no annotation of this kind is satisfied, or if one is not; repeatable',
      collect(),
    )
    .option('--once-per-signer', 'count each signer once per kind; if it said yes and no, count the no')
}

/** Adds the options for messages and for the keys that verify them. */
function addMessages(command: Command): void {
  const options = [...trustOptions(), ...controlMessageOptions(), receivedOption(), ...topicOptions()]
  for (const option of options) command.addOption(option)
}

export function scoreCommand(runs: Runs): Command {
  const command = new Command('score')
    .summary('scores each payload: how far can it be trusted?')
    .description(
      'Reads messages as verify does. The score of a payload is the weight of its satisfied annotations, in percent of the weight of all. Messages that do not verify do not count; if none verifies, the exit code is 2. Memory grows with the number of payloads.',
    )
    .argument('[source...]', SOURCE)
  addRules(command)
    .addOption(new Option('--min <percent>', 'exit with 1 if a payload scores less').argParser(whole(0, 100)))
    .option('--json', 'write JSON, one line per payload')
  addMessages(command)
  return command
    .addHelpText(
      'after',
      examples(
        ['alvarium score messages.ndjson -k public.key', 'the messages of a file'],
        ['alvarium score archive/ -k public.key', 'everything that a file stream wrote into a folder'],
        [
          'alvarium score --url ws://localhost:9001 --topic alvarium -n 1000 -k public.key',
          'the next 1,000 messages of a topic',
        ],
        [`alvarium score audit.ndjson -k keys/ --weights '{"tls":2}' --min 80`, 'a gate in a pipeline'],
        [
          'alvarium score audit.ndjson -k keys/ --require pki --once-per-signer --min 80',
          'a gate that no signer passes by repeating a yes',
        ],
      ),
    )
    .action(runs(() => import('../score/run.js')))
}

export function lineageCommand(runs: Runs): Command {
  const command = new Command('lineage')
    .summary('shows what a payload was made from, back to its sources')
    .description(
      'Reads messages as verify does. Follows a payload back to its sources, by the previous payload key of each mutate.',
    )
    .argument(
      '<key>',
      'the payload key or its first digits; or a file with the payload, or - for standard input',
    )
    .argument('[source...]', SOURCE)
  addRules(command).option('--json', 'write JSON')
  for (const option of pictureOptions()) command.addOption(option)
  addMessages(command)
  return command
    .addHelpText(
      'after',
      examples(
        [
          'alvarium lineage reading.json messages.ndjson -k public.key',
          'the sources of the payload in reading.json',
        ],
        [
          'alvarium lineage 9F86D081 archive/ -k public.key',
          'the sources of the payload whose payload key begins with 9F86D081',
        ],
        ['alvarium lineage report.pdf archive/ -k keys/ --as svg -o lineage.svg', 'a picture for a report'],
      ),
    )
    .action(runs(() => import('../score/lineage.js')))
}
