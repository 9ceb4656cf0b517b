import type { Offer } from './offers.js'

/** A script for fish, which shows what each command and option is for. */
export function fish(offers: readonly Offer[]): string {
  return `${offers.flatMap(lines).join('\n')}\n`
}

function lines({ words, commands, options }: Offer): string[] {
  const when =
    words.length > 0
      ? words.map((word) => `__fish_seen_subcommand_from ${word}`).join('; and ')
      : '__fish_use_subcommand'
  return [
    ...commands.map(({ name, what }) => `complete -c alvarium -f -n '${when}' -a ${name} -d ${quoted(what)}`),
    ...options.map(
      ({ long, what }) => `complete -c alvarium -n '${when}' -l ${long.slice(2)} -d ${quoted(what)}`,
    ),
  ]
}

/** As fish has it: in quotation marks of one stroke, two characters are escaped. */
function quoted(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`
}
