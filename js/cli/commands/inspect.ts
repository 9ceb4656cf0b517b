import { Command } from 'commander'
import { examples, type Runs } from './parts.js'

/** Looks into a message. */
export function inspectCommand(runs: Runs): Command {
  return new Command('inspect')
    .summary('shows what a message says and which bytes are signed')
    .description(
      'Shows the parts of a message: its fields, the signed bytes, the signature, the proof. Verifies nothing.',
    )
    .argument('[source]', 'a file, the message itself, or - for standard input (the default)')
    .option('--json', 'write JSON')
    .addHelpText(
      'after',
      examples(
        ['alvarium inspect message.json', 'what does it say, and what was signed?'],
        ['mosquitto_sub -t alvarium -C 1 | alvarium inspect', 'the next message of a topic'],
      ),
    )
    .action(runs(() => import('../inspect/run.js')))
}
