import { Argument, Command } from 'commander'
import { examples, type Runs } from './parts.js'

/** Teaches a shell the commands. */
export function completionCommand(runs: Runs): Command {
  return new Command('completion')
    .summary('teaches a shell the commands and options')
    .description('Writes a script with which a shell completes commands and options.')
    .addArgument(new Argument('<shell>', 'which one').choices(['bash', 'zsh', 'fish']))
    .addHelpText(
      'after',
      examples(
        ['source <(alvarium completion bash)', 'in ~/.bashrc'],
        ['source <(alvarium completion zsh)', 'in ~/.zshrc, behind compinit'],
        ['alvarium completion fish > ~/.config/fish/completions/alvarium.fish', 'once'],
      ),
    )
    .action(runs(() => import('../completion/run.js')))
}
