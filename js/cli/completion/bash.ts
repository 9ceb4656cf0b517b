import type { Offer } from './offers.js'

/** A script for bash: options where one is begun, commands where there are some, files everywhere else. */
export function bash(offers: readonly Offer[]): string {
  return `_alvarium() {
  local current="\${COMP_WORDS[COMP_CWORD]}" offered=""
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

/** Those with more words come first: what stands behind them may be anything. */
function branch({ words, commands, options }: Offer): string {
  const pattern = words.length > 0 ? `"${words.join(' ')} "*` : '*'
  const offered = commands.length > 0 ? commands.map(({ name }) => name) : options.map(({ long }) => long)
  return `    ${pattern}) offered="${offered.join(' ')}" ;;`
}
