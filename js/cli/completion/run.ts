import type { Command } from 'commander'
import { EXIT, type Run } from '../session.js'

const SCRIPTS: Readonly<Record<string, (offers: readonly Offer[]) => string>> = {
  bash,
  // Call `bashcompinit` first: Zsh then runs Bash completion scripts.
  zsh: (offers) => `autoload -U +X bashcompinit && bashcompinit\n${bash(offers)}`,
  fish,
}

export const run: Run<object> = async ([shell = 'bash'], _, { out }, self) => {
  await out.write((SCRIPTS[shell] as typeof bash)(offersOf(self.parent as Command)))
  return EXIT.yes
}

interface Offer {
  /** Names of the command and subcommand after `alvarium`: zero, one or two. */
  readonly words: readonly string[]
  readonly commands: readonly { readonly name: string; readonly what: string }[]
  readonly options: readonly { readonly long: string; readonly what: string }[]
}

function offersOf(command: Command, words: readonly string[] = []): Offer[] {
  const help = command.createHelp()
  const commands = help.visibleCommands(command)
  const options = help.visibleOptions(command)
  return [
    {
      words,
      commands: commands.map((one) => ({ name: one.name(), what: one.summary() || one.description() })),
      options: options.flatMap(({ long, description }) => (long ? [{ long, what: description }] : [])),
    },
    ...command.commands.flatMap((one) => offersOf(one as Command, [...words, one.name()])),
  ]
}

function bash(offers: readonly Offer[]): string {
  return `_alvarium() {
  local IFS=$' \\t\\n' current="\${COMP_WORDS[COMP_CWORD]}" offered=""
  COMPREPLY=()
  case "\${COMP_WORDS[*]:1:COMP_CWORD-1} " in
${offers.toReversed().map(branch).join('\n')}
  esac
  if [[ "$current" != -* && "$offered" == -* ]]; then return; fi
  COMPREPLY=($(compgen -W "$offered" -- "$current"))
}
complete -o default -o bashdefault -F _alvarium alvarium
`
}

/** Returns one branch of the `case` statement. The pattern also matches all longer word sequences. */
function branch({ words, commands, options }: Offer): string {
  const pattern = words.length > 0 ? `"${words.join(' ')} "*` : '*'
  const offered = commands.length > 0 ? commands.map(({ name }) => name) : options.map(({ long }) => long)
  return `    ${pattern}) offered="${offered.join(' ')}" ;;`
}

function fish(offers: readonly Offer[]): string {
  return `${offers.flatMap(lines).join('\n')}\n`
}

function lines({ words, commands, options }: Offer): string[] {
  const when =
    words.length > 0
      ? words.map((word) => `__fish_seen_subcommand_from ${word}`).join('; and ')
      : '__fish_use_subcommand'
  return [
    ...commands.map(
      ({ name, what }) => `complete -c alvarium -f -n '${when}' -a ${name} -d ${fishQuoted(what)}`,
    ),
    ...options.map(
      ({ long, what }) => `complete -c alvarium -n '${when}' -l ${long.slice(2)} -d ${fishQuoted(what)}`,
    ),
  ]
}

/** Quotes a string for fish, where single quotation marks require escapes for `\` and `'`. */
function fishQuoted(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`
}
