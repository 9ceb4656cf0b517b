import { Command } from 'commander'
import { examples, type Runs } from './parts.js'

/** Measures this machine. */
export function benchCommand(runs: Runs): Command {
  return new Command('bench')
    .summary('how fast is it on this machine?')
    .description(
      'Measures for some seconds what a call and a verification take here, without any network: medians, in microseconds. The benches that compare it with others are in the repository (npm run bench).',
    )
    .option('--json', 'for programs')
    .addHelpText(
      'after',
      examples(['alvarium bench', 'while nothing else runs: others take their share of what is measured']),
    )
    .action(runs(() => import('../measure/run.js')))
}
