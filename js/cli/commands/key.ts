import { Command } from 'commander'
import { examples, type Runs } from './parts.js'

/** Looks at keys. */
export function keyCommand(runs: Runs): Command {
  const show = new Command('show')
    .summary('shows key id, half (private or public), algorithm and form')
    .description(
      'Shows the key id that messages name, and whether the file has the private or the public half, its algorithm and its form.',
    )
    .argument('<file...>', 'a file with a private or a public key')
    .option('--seed', 'the file has the bare private seed of the Rust SDK')
    .option('--json', 'write JSON, one line per file')
    .addHelpText(
      'after',
      examples(
        ['alvarium key show public.key', 'whom would I trust with this public key?'],
        ['alvarium key show --seed rust/private.key', 'a bare seed looks like a public key'],
      ),
    )
    .action(runs(() => import('../keys/show.js')))
  return new Command('key').summary('shows key files').description('Shows key files.').addCommand(show)
}
