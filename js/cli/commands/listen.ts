import { Command, Option } from 'commander'
import { ACTIONS } from '../../model/bundle.js'
import { examples, listeningOptions, type Runs, repeated, trustedKeys } from './parts.js'

/** Watches a topic. */
export function listenCommand(runs: Runs): Command {
  const command = new Command('listen')
    .summary('what comes over a topic, verified: tail -f for a fabric')
    .description(
      'Subscribes to a topic of a broker, verifies what comes and shows it, bundles and the messages of other SDKs.',
    )
    .argument('<url>', 'of the broker: ws, wss, mqtt or mqtts')
    .argument('<topic>', 'a topic, + and # allowed')
    .addOption(trustedKeys())
    .addOption(
      new Option('--action <action>', 'only these; can be repeated')
        .choices(ACTIONS)
        .argParser(repeated(ACTIONS)),
    )
    .option('--kind <kind>', 'only what has an annotation of this kind; can be repeated', repeated())
    .option('--host <name>', 'only what this host says; can be repeated', repeated())
    .option('--satisfied', 'only where every annotation (of these kinds) is satisfied')
    .option('--unsatisfied', 'only where one is not')
    .option('--json', 'for programs, a line for each bundle')
    .option('--raw', 'the messages themselves, to be kept or piped on')
  for (const option of listeningOptions()) command.addOption(option)
  return command
    .addHelpText(
      'after',
      `
What does not verify is told on standard error, and ends nothing.
${examples(
  ['alvarium listen ws://localhost:9001 alvarium/# -k public.key', 'everything, as it comes'],
  ['alvarium listen mqtts://broker:8883 site/+ -k keys/ --unsatisfied --kind tls', 'what came over no TLS'],
  [
    'alvarium listen ws://localhost:9001 alvarium -k public.key --json -n 100 > hundred.ndjson',
    'the next hundred, for a program',
  ],
)}`,
    )
    .action(runs(() => import('../listen/run.js')))
}
