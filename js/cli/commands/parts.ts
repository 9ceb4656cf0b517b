import { Command, InvalidArgumentError, Option } from 'commander'
import { withOptionNames } from '../fault.js'
import { PICTURE_FORMATS } from '../lineage/formats.js'
import type { ExitCode, Run, Session } from '../session.js'

/** Function that returns a Commander action. The action loads a command's module and runs the command. */
export type Runs = <Options extends object>(
  load: () => Promise<{ readonly run: Run<Options> }>,
) => (...given: unknown[]) => Promise<void>

export function runner(session: Session, became: (code: ExitCode) => void): Runs {
  return <Options extends object>(load: () => Promise<{ readonly run: Run<Options> }>) =>
    async (...given: unknown[]) => {
      // Commander passes the arguments, then the options, then the command object.
      const command = given.at(-1) as Command
      const { run } = await load()
      try {
        const running = run(command.args, command.opts<Options>(), session, command)
        became(await Promise.race([running, session.endedEarly]))
      } catch (error) {
        throw withOptionNames(error, command)
      }
    }
}

/** Command of Commander with shorthands for what most subcommands have. */
export class Subcommand extends Command {
  addOptions(...options: readonly (Option | readonly Option[])[]): this {
    for (const option of options.flat()) this.addOption(option)
    return this
  }

  oneOf(flags: string, description: string, choices: readonly string[], fallback?: string): this {
    return this.addOption(new Option(flags, description).choices(choices).default(fallback))
  }

  someOf(flags: string, description: string, choices: readonly string[]): this {
    return this.addOption(new Option(flags, description).choices(choices).argParser(collect(choices)))
  }

  addCommands(runs: Runs, ...makers: readonly ((runs: Runs) => Command)[]): this {
    for (const make of makers) this.addCommand(make(runs))
    return this
  }

  exitCodes(yes: string, no: string, unknown: string): this {
    return this.addHelpText('after', `\nExit codes:\n  0  ${yes}\n  1  ${no}\n  2  ${unknown}`)
  }

  /** Adds example commands to the help text, each followed by its purpose. */
  examples(...rows: readonly (readonly [command: string, purpose: string])[]): this {
    const lines = rows.map(([command, purpose]) => `  ${command}\n      ${purpose}\n`)
    return this.addHelpText('after', `\nFor example:\n${lines.join('')}`)
  }
}

export const SOURCE = 'a file, a folder, the message itself, or - for standard input (the default)'

/** Returns `--as`, which draws a lineage as Mermaid text or SVG, and `--out` for the output file. */
export function pictureOptions(): Option[] {
  const description =
    'draw who said what of each payload, and when, for a report: Mermaid text or an SVG picture'
  return [
    new Option('--as <format>', description).choices(PICTURE_FORMATS).conflicts('json'),
    new Option('-o, --out <file>', 'with --as: the new file (default: standard output)'),
  ]
}

export const PAYLOAD = 'the file that is the payload, or - for standard input; or its payload key'

/** Returns `--key`, which is repeatable, and `--trust`, which replaces it. */
export function trustOptions(): Option[] {
  const key = new Option('-k, --key <file>', 'a public key to trust, or a folder of public keys; repeatable')
  const trust = '-t, --trust <file>'
  return [
    key.argParser(collect()),
    new Option(trust, 'a trust policy, in place of --key: who may say what, and until when'),
  ]
}

/** Returns `--received-at`, the time of receipt of messages from files. @param goesByIt - option that uses this time */
export function receivedOption(goesByIt = '--trust'): Option {
  const description = `when the messages were received, for ${goesByIt} (default: unknown)`
  return new Option('--received-at <time>', description)
}

export function scoringOption(): Option {
  return new Option('--policy <file>', 'a scoring policy as JSON (default: all kinds count alike)')
}

/** Returns `--leases`, for files with leases: permissions for other keys to sign in the name of `--trust` signers. */
export function leasesOption(): Option {
  const description = 'leases, for --trust: a file, with one on each line, or a folder of files; repeatable'
  return new Option('--leases <file>', description).argParser(collect())
}

/** Returns `--leases` and `--checkpoints`. Leases and checkpoints may also be among the messages. */
export function controlMessageOptions(): Option[] {
  const description =
    'checkpoints, for messages that came after their lease had ended, as --leases; repeatable'
  return [leasesOption(), new Option('--checkpoints <file>', description).argParser(collect())]
}

export function brokerUrl(): Option {
  return new Option('--url <url>', 'the URL of the broker: ws, wss, mqtt or mqtts')
}

/** Returns the connection options of a broker without `--url`: some commands have the URL as an argument. */
export function connectionOptions(): Option[] {
  return [
    new Option('--username <name>', 'the username at the broker'),
    new Option('--password-file <file>', 'a file with the password, so that no process list shows it'),
    new Option('--ca <file>', 'the certificate of the authority (CA) to trust, in PEM'),
    new Option('--qos <level>', 'the quality of service of MQTT').choices(['0', '1', '2']).default('1'),
  ]
}

export function listeningOptions(): Option[] {
  return [
    new Option('-n, --count <number>', 'stop after this many messages').argParser(whole(1, 1e12)),
    new Option(
      '--client-id <name>',
      'a durable subscription: the broker keeps messages for this client id while you do not listen',
    ),
    ...connectionOptions(),
  ]
}

/** Returns `--may-lose`, which lets a durable subscription write to a pipe. */
export function mayLoseOption(): Option {
  const description =
    'with --client-id, write to a pipe or a redirected file, which may lose what is acknowledged'
  return new Option('--may-lose', description)
}

/** Returns `--dead-letters`, the file for messages that are acknowledged but cannot be used. */
export function deadLettersOption(): Option {
  return new Option(
    '--dead-letters <file>',
    'append each message that is rejected to this file, as a dead letter',
  )
}

const FORMATS = ['lines', 'csv', 'json', 'rows', 'row-groups', 'length-prefixed', 'whole', 'chunks']

/** Returns the options for splitting a file into payloads. @param file - name of the file in the help text */
export function formatOptions(file: string): Option[] {
  return [
    new Option('-f, --format <format>', `what one payload is in ${file} (default: by file name)`).choices(
      FORMATS,
    ),
    new Option('--chunk-bytes <number>', 'the length of a payload with --format chunks')
      .argParser(whole(1, 1024 * 1024 * 1024))
      .default(65_536),
    new Option(
      '--delimiter <character>',
      'the character between fields of CSV, or tab (default: as a line sep=; says, or by the header)',
    ).argParser(delimiter),
    new Option(
      '--header-lines <number>',
      'lines before the first record, of which the last names the columns of CSV (default: 1 with csv, 0 with lines)',
    ).argParser(whole(0, 1_000)),
  ]
}

/** Returns the options for reading messages from a topic instead of files, in a group with other options. */
export function topicOptions(...others: readonly Option[]): Option[] {
  const topic = new Option('--topic <filter>', 'a topic filter; may have + and #')
  return [brokerUrl(), topic, ...listeningOptions(), ...others].map((option) =>
    option.helpGroup('Messages from a topic:'),
  )
}

/** Returns a Commander parser for a repeatable option, limited to `choices` if they are given. */
export function collect(choices?: readonly string[]): (one: string, before?: string[]) => string[] {
  return (one, before = []) => {
    if (choices?.includes(one) !== false) return [...before, one]
    throw new InvalidArgumentError(`Allowed choices are ${choices.join(', ')}.`)
  }
}

/** Parses `--delimiter`: `tab`, `\t`, a tab, or one printable ASCII character other than `"`. */
function delimiter(text: string): string {
  if (text === 'tab' || text === '\\t') return '\t'
  if (/^[\t\x20!#-~]$/.test(text)) return text
  throw new InvalidArgumentError('Expected one character of ASCII, or tab.')
}

/** Returns a Commander parser for whole numbers from `least` to `max`. */
export function whole(least: number, max: number): (text: string) => number {
  return (text) => {
    const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
    if (number >= least && number <= max) return number
    throw new InvalidArgumentError(`Expected a whole number from ${least} to ${max}.`)
  }
}
