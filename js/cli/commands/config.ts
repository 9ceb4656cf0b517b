import { Command } from 'commander'
import { examples, type Runs } from './parts.js'

/** Looks at configs. */
export function configCommand(runs: Runs): Command {
  const check = new Command('check')
    .summary('would it work, and what does it say?')
    .description(
      'Reads the config of an Alvarium SDK, JSON or YAML, with the keys that it names. Nothing is connected. Annotators that look at this machine (checksum, mock, sbom, source-code, tpm) are asked once, and named where they would answer no to every call.',
    )
    .argument('<file>', 'the config')
    .option('--json', 'for programs')
    .addHelpText(
      'after',
      `
Exit codes: 0 it would work, 1 it would not: all that is wrong is told, each member by its path; 2 it could not be told, as
something cannot be read, or an annotator's check takes too long.
${examples(['alvarium config check config.json', 'before it is deployed'])}`,
    )
    .action(runs(() => import('../config/check.js')))
  return new Command('config').summary('looks at configs').description('Looks at configs.').addCommand(check)
}
