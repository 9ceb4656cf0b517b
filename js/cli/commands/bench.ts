import { Command } from 'commander'
import { examples, type Runs } from './parts.js'

/** Measures this machine. */
export function benchCommand(runs: Runs): Command {
  return new Command('bench')
    .summary('measures the speed on this machine')
    .description(
      'Measures a call and a verification for some seconds, without a network. Shows medians in microseconds. The benchmarks against other SDKs are in the repository (npm run bench).',
    )
    .option('--json', 'write JSON')
    .addHelpText('after', examples(['alvarium bench', 'run it alone: other programs make it slower']))
    .action(runs(() => import('../measure/run.js')))
}
