import {
  controlMessageOptions,
  type Runs,
  receivedOption,
  SOURCE,
  Subcommand,
  topicOptions,
  trustOptions,
} from './parts.js'
import { witnessesOption } from './store/options.js'

export function auditCommand(runs: Runs): Subcommand {
  return new Subcommand('audit')
    .summary('compares messages with checkpoints: was any left out?')
    .description(
      [
        'Compares messages with the checkpoints of their signers: what is missing, what is in no log, and whose log is forked.',
        'openSdk({ checkpoints }) signs them, alvarium annotate does not. Checkpoints can be among the messages, or in files next to them. Messages may come in any order, and repeat.',
        'Messages of the Alvarium SDKs for Go, Java, Rust and Python are in no log.',
      ].join(' '),
    )
    .argument('[source...]', SOURCE)
    .option('--json', 'write JSON, one line per signer')
    .addOptions(
      trustOptions(),
      controlMessageOptions(),
      witnessesOption('witnesses that must have seen each run'),
      receivedOption(),
      topicOptions(),
    )
    .exitCodes(
      'nothing is missing, up to the last checkpoint of each run',
      'something is missing, is in no log, or did not verify',
      'it could not be decided (no checkpoints, a part of a log that is not known, an unknown signer)',
    )
    .examples(
      ['alvarium audit messages.ndjson checkpoints.ndjson --key public.key', 'was any message left out?'],
      [
        'alvarium audit archive/ --trust trust.json --json',
        'the same for programs, with the names of a trust policy',
      ],
    )
    .action(runs(() => import('../audit/run.js')))
}
