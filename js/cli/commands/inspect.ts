import { Command } from 'commander'
import { examples, type Runs } from './parts.js'

/** Looks into a message. */
export function inspectCommand(runs: Runs): Command {
  return new Command('inspect')
    .summary('what a message says and what is signed, without a key')
    .description(
      'Takes a message apart: what it says, the bytes that are signed, the signature, the proof. Nothing is verified.',
    )
    .argument('[source]', 'a file, a message itself, or - for what is piped in (the default)')
    .option('--json', 'for programs')
    .addHelpText(
      'after',
      examples(
        ['alvarium inspect message.json', 'what does it say, and what was signed?'],
        ['mosquitto_sub -t alvarium -C 1 | alvarium inspect', 'of the next message on a topic'],
      ),
    )
    .action(runs(() => import('../inspect/run.js')))
}
