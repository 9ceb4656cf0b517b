import { Command } from 'commander'
import { examples, type Runs } from './parts.js'

/** Looks at keys. */
export function keyCommand(runs: Runs): Command {
  const show = new Command('show')
    .summary('its id, which half it is, and how it is written')
    .description(
      'Shows the id of a key, by which messages name it, which half it is, its algorithm and its form.',
    )
    .argument('<file...>', 'of a key, private or public')
    .option('--seed', 'what could be a public key is the private seed of the Rust SDK')
    .option('--json', 'for programs, a line for each key')
    .addHelpText(
      'after',
      examples(
        ['alvarium key show public.key', 'whom would I trust?'],
        ['alvarium key show --seed rust/private.key', 'a seed alone looks like a public key'],
      ),
    )
    .action(runs(() => import('../keys/show.js')))
  return new Command('key').summary('looks at keys').description('Looks at keys.').addCommand(show)
}
