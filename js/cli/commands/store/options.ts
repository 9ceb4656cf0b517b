import { Argument, Option } from 'commander'
import { HASHES } from '../../../foundation/model/bundle.js'
import { PAYLOAD, Subcommand, whole } from '../parts.js'

export function asking(name: string, given: readonly Argument[], options: readonly Option[]): Subcommand {
  const command = new Subcommand(name).addOptions(databaseOption(), options, timeoutOption())
  for (const argument of given) command.addArgument(argument)
  return command.option('--json', 'write JSON')
}

export function databaseOption(): Option {
  return new Option(
    '-d, --database <where>',
    'postgres://user@host/database, or a folder for one process',
  ).default('alvarium-store')
}

export function timeoutOption(): Option {
  return new Option('--query-timeout <seconds>', 'the most that a query may take')
    .argParser(whole(1, 86_400))
    .default(10)
}

export function policyOption(
  description = 'verify what is stored again by this trust policy: what it refuses does not count',
): Option {
  return new Option('-t, --trust <file>', description)
}

export function payloadArgument(isRequired = true): Argument {
  return new Argument(isRequired ? '<payload>' : '[payload]', PAYLOAD)
}

export function payloadOptions(): Option[] {
  return [
    new Option('--payload-key', 'the payload is given by its payload key'),
    new Option('--hash <name>', 'the hash of the payload key').choices(HASHES).default('sha256'),
  ]
}

/** Returns `--witnesses`. @param use - start of the help text */
export function witnessesOption(use: string): Option {
  return new Option(
    '--witnesses <file>',
    `${use}: JSON such as { "witnesses": [{ "url", "vkey" }], "quorum": 2 }`,
  )
}

export function pageOptions(): Option[] {
  return [limitOption(100, 10_000), afterOption()]
}

export function listOptions(): Option[] {
  const all = new Option('--all', 'as many as there are, page by page')
  const trust = policyOption('verify what is stored again by this trust policy, and show what it refuses')
  return [limitOption(100, 1e12), all.conflicts('limit'), afterOption(), trust]
}

function afterOption(): Option {
  return new Option('--after <place>', 'behind this one: the next page')
}

export function limitOption(fallback: number, max: number): Option {
  return new Option('--limit <number>', 'at most so many').argParser(whole(1, max)).default(fallback)
}
