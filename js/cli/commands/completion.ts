import { Argument, Command } from 'commander'
import { examples, type Runs } from './parts.js'

/** Teaches a shell the commands. */
export function completionCommand(runs: Runs): Command {
  return new Command('completion')
    .summary('writes a completion script for your shell')
    .description('Writes a script that completes commands and options in your shell.')
    .addArgument(new Argument('<shell>', 'the shell').choices(['bash', 'zsh', 'fish']))
    .addHelpText(
      'after',
      examples(
        ['source <(alvarium completion bash)', 'in ~/.bashrc'],
        ['source <(alvarium completion zsh)', 'in ~/.zshrc, after compinit'],
        ['alvarium completion fish > ~/.config/fish/completions/alvarium.fish', 'once'],
      ),
    )
    .action(runs(() => import('../completion/run.js')))
}
