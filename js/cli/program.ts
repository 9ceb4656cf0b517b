import type { Command, OutputConfiguration } from 'commander'
import { isQuotable } from '../foundation/base/text/text.js'
import { VERSION } from '../foundation/base/version.js'
import { annotateCommand } from './commands/annotate.js'
import { auditCommand } from './commands/audit.js'
import { brokerCommand, doctorCommand } from './commands/broker.js'
import { checkCommand } from './commands/check.js'
import { keyCommand, keygenCommand } from './commands/keys.js'
import { listenCommand } from './commands/listen.js'
import { packCommand } from './commands/pack.js'
import { type Runs, runner, Subcommand } from './commands/parts.js'
import { lineageCommand, scoreCommand } from './commands/score.js'
import { setCommand } from './commands/set.js'
import { benchCommand, completionCommand, configCommand } from './commands/setup.js'
import { storeCommand } from './commands/store/store.js'
import { trustCommand } from './commands/trust.js'
import { inspectCommand, verifyCommand } from './commands/verify.js'
import { witnessCommand } from './commands/witness.js'
import type { ExitCode, Session } from './session.js'
import { escapeText } from './terminal/safe-text.js'

const COMMANDS: readonly ((runs: Runs) => Command)[] = [
  keygenCommand,
  keyCommand,
  annotateCommand,
  verifyCommand,
  checkCommand,
  inspectCommand,
  listenCommand,
  scoreCommand,
  lineageCommand,
  auditCommand,
  setCommand,
  storeCommand,
  packCommand,
  witnessCommand,
  doctorCommand,
  brokerCommand,
  benchCommand,
  configCommand,
  trustCommand,
  completionCommand,
]

/**
 * Builds the command `alvarium` with all subcommands.
 *
 * @param became - called with the exit code of the subcommand that ran
 */
export function programFor(session: Session, became: (code: ExitCode) => void): Command {
  const program = new Subcommand('alvarium')
    .description(
      'Signs, publishes and verifies annotations about data, for Alvarium data confidence fabrics.',
    )
    .version(VERSION, '-V, --version')
    .examples(...FIRST_STEPS)
    .addCommands(runner(session, became), ...COMMANDS)
  addHelp(program)
  const configuration: OutputConfiguration = {
    writeOut: (text) => void session.out.write(text),
    writeErr: (text) => void session.err.write(text),
    getOutHelpWidth: () => session.out.columns,
    outputError: (text, write) => write(oneLine(text)),
  }
  for (const command of [program, ...everyCommand(program)]) {
    command.exitOverride().configureOutput(configuration)
    refuseSecond(command)
    command.showHelpAfterError(`(alvarium ${pathOf(command)}--help shows how)`)
  }
  return program
}

/** Adds the subcommand `help`, which accepts nested commands, as in `help store lineage`. */
function addHelp(program: Command): void {
  program
    .command('help [command...]')
    .description('shows the options of a command, with examples')
    .action((names: readonly string[]) => {
      const command = names.reduce<Command>((above, name) => {
        const found = above.commands.find((one) => one.name() === name)
        return found ?? above.error(`error: unknown command '${name}'`)
      }, program)
      command.help()
    })
}

/** Refuses a repeated option unless it collects values, because Commander would use the last one. */
function refuseSecond(command: Command): void {
  for (const option of command.options) {
    let isGiven = false
    command.on(`option:${option.name()}`, () => {
      if (isGiven && !Array.isArray(command.getOptionValue(option.attributeName())))
        command.error(`error: ${option.long}: was given twice: leave one out`)
      isGiven = true
    })
  }
}

function everyCommand(program: Command): Command[] {
  return program.commands.flatMap((command) => [command as Command, ...everyCommand(command as Command)])
}

function pathOf(command: Command): string {
  return command.parent ? `${pathOf(command.parent)}${command.name()} ` : ''
}

/** Pattern of the quoted value in an error text of Commander. */
const VALUE_OF_COMMANDER =
  /(?<=(?:argument|value|unknown option|unknown command) )'(.*)'(?= is invalid|\s*$|\s*\n\(Did)/s

/** Formats an error of Commander for a terminal. Hides a typed value that may be a secret. */
function oneLine(typed: string): string {
  const text = typed.replace(VALUE_OF_COMMANDER, (quote, value) => (isQuotable(value) ? quote : "'…'"))
  return `${escapeText(text.trim().replaceAll('\n', ' ')).replace(/^error:/, 'alvarium:')}\n`
}

const FIRST_STEPS = [
  ['alvarium keygen', 'makes a key pair: private.key and public.key'],
  [
    'alvarium annotate readings.csv --key private.key --out messages.ndjson',
    'signs an annotation about each record',
  ],
  ['alvarium verify messages.ndjson --key public.key', 'are they genuine, and what do they say?'],
] as const
