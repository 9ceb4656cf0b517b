import type { Option } from 'commander'
import {
  controlMessageOptions,
  pictureOptions,
  type Runs,
  receivedOption,
  SOURCE,
  Subcommand,
  scoringOption,
  topicOptions,
  trustOptions,
  whole,
} from './parts.js'

function messageOptions(): Option[] {
  return [scoringOption(), ...trustOptions(), ...controlMessageOptions(), receivedOption(), ...topicOptions()]
}

export function scoreCommand(runs: Runs): Subcommand {
  return new Subcommand('score')
    .summary('scores each payload: how far can it be trusted?')
    .description(
      'Reads messages as verify does, and scores payloads by a scoring policy, as store score does. Without one, the score of a payload is the share of its satisfied annotations, or that of its lowest source. It is unknown if not all sources are known, or if there are more than 1,000: then the exit code is 2. Messages that do not verify do not count in a score. If one was refused, the exit code is 1. If one could not be decided, or none verifies, it is 2. Memory grows with the number of messages.',
    )
    .argument('[source...]', SOURCE)
    .addOptions(messageOptions())
    .option('--min <percent>', 'exit with 1 if a payload scores less', whole(0, 100))
    .option('--json', 'write JSON, one line per payload')
    .examples(
      ['alvarium score messages.ndjson -k public.key', 'the messages of a file'],
      ['alvarium score archive/ -k public.key', 'everything that a file stream wrote into a folder'],
      [
        'alvarium score --url ws://localhost:9001 --topic alvarium -n 1000 -k public.key',
        'the next 1,000 messages of a topic',
      ],
      ['alvarium score audit.ndjson -k keys/ --policy scoring.json --min 80', 'a gate in a pipeline'],
    )
    .action(runs(() => import('../score/run.js')))
}

export function lineageCommand(runs: Runs): Subcommand {
  return new Subcommand('lineage')
    .summary('shows what a payload was made from, back to its sources')
    .description(
      'Reads messages as verify does. Follows a payload back to its sources, by what signers say in mutate. The payload has its score, and each source the score by its own annotations.',
    )
    .argument(
      '<key>',
      'the payload key or its first digits; or a file with the payload, or - for standard input',
    )
    .argument('[source...]', SOURCE)
    .option('--json', 'write JSON')
    .addOptions(pictureOptions(), messageOptions())
    .examples(
      [
        'alvarium lineage reading.json messages.ndjson -k public.key',
        'the sources of the payload in reading.json',
      ],
      [
        'alvarium lineage 9F86D081 archive/ -k public.key',
        'the sources of the payload whose payload key begins with 9F86D081',
      ],
      ['alvarium lineage report.pdf archive/ -k keys/ --as svg -o lineage.svg', 'a picture for a report'],
    )
    .action(runs(() => import('../score/lineage.js')))
}
