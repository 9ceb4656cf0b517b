import { Argument } from 'commander'
import { type Runs, Subcommand } from './parts.js'

export function configCommand(runs: Runs): Subcommand {
  const check = new Subcommand('check')
    .summary('checks a config: would it work, and what does it set up?')
    .description(
      'Reads an Alvarium config (JSON or YAML) and the key files that it names. Connects to nothing. Asks the annotators that look at this machine once (checksum, mock, sbom, source-code, tpm), and warns if one would answer no to every call.',
    )
    .argument('<file>', 'the config file')
    .option('--json', 'write JSON')
    .exitCodes(
      'the config works',
      'it does not; each mistake is listed with its path',
      'it could not be decided: a file cannot be read, or an annotator takes too long',
    )
    .examples(['alvarium config check config.json', 'before you deploy it'])
    .action(runs(() => import('../config/check.js')))
  return new Subcommand('config')
    .summary('checks config files')
    .description('Checks config files.')
    .addCommand(check)
}

export function completionCommand(runs: Runs): Subcommand {
  return new Subcommand('completion')
    .summary('writes a completion script for your shell')
    .description('Writes a script that completes commands and options in your shell.')
    .addArgument(new Argument('<shell>', 'the shell').choices(['bash', 'zsh', 'fish']))
    .examples(
      ['source <(alvarium completion bash)', 'in ~/.bashrc'],
      ['source <(alvarium completion zsh)', 'in ~/.zshrc, after compinit'],
      ['alvarium completion fish > ~/.config/fish/completions/alvarium.fish', 'once'],
    )
    .action(runs(() => import('../completion/run.js')))
}

export function benchCommand(runs: Runs): Subcommand {
  return new Subcommand('bench')
    .summary('measures the speed on this machine')
    .description(
      'Measures a call and a verification for some seconds, without a network. Shows medians in microseconds. The benchmarks against other SDKs are in the repository (npm run bench).',
    )
    .option('--json', 'write JSON')
    .examples(['alvarium bench', 'run it alone: other programs make it slower'])
    .action(runs(() => import('../measure/run.js')))
}
