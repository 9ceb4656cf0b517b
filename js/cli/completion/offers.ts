import type { Command } from 'commander'

/** What can be typed behind some words. */
export interface Offer {
  /** Behind `alvarium`: none, one or two. */
  readonly words: readonly string[]
  readonly commands: readonly { readonly name: string; readonly what: string }[]
  readonly options: readonly { readonly long: string; readonly what: string }[]
}

/** Everything that a command takes, and its commands. */
export function offersOf(command: Command, words: readonly string[] = []): Offer[] {
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
