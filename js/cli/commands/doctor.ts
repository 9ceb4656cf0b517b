import { Command, Option } from 'commander'
import { connectionOptions, examples, type Runs, repeated, whole } from './parts.js'

/** The names of `alvarium-sdk/doctor`'s promises, which is loaded only when the command runs. */
const PROMISES = [
  'accepted',
  'subscriber-killed',
  'order',
  'broker-killed',
  'retained',
  'group',
  'large-message',
]

/** Examines a broker. */
export function doctorCommand(runs: Runs): Command {
  const command = new Command('doctor')
    .summary('what will this broker do with my messages?')
    .description(
      'Connects to a broker as the SDK does, tries what the guide promises, and says which lines of its configuration to change. It publishes under alvarium-doctor/ alone, and removes what it leaves there.',
    )
    .argument('<url>', 'of the broker: ws, wss, mqtt or mqtts')
    .addOption(
      new Option('--only <promise>', 'check only this one; can be repeated')
        .choices(PROMISES)
        .argParser(repeated(PROMISES)),
    )
    .addOption(
      new Option(
        '--messages <number>',
        'published for a subscriber that is away: a higher limit does not show',
      )
        .argParser(whole(1, 100_000))
        .default(1_500),
    )
    .addOption(
      new Option('--largest <bytes>', 'of the largest message to try')
        .argParser(whole(1_024, 16 * 1024 * 1024))
        .default(131_072),
    )
    .addOption(new Option('--timeout <seconds>', 'for all of it').argParser(whole(1, 86_400)).default(60))
    .option('--json', 'for programs')
  for (const option of connectionOptions()) command.addOption(option)
  return command
    .addHelpText(
      'after',
      `
Exit codes: 0 all promises that can be tried hold, 1 some do not, 2 it could not be told: the broker cannot be reached, for example.
${examples(
  ['alvarium doctor mqtts://broker.example:8883', 'before it is relied on'],
  ['alvarium doctor ws://localhost:9001 --messages 20000', 'is there room for a night without a consumer?'],
  ['alvarium doctor mqtt://localhost --only subscriber-killed --json', 'in a deployment'],
)}`,
    )
    .action(runs(() => import('../doctor/run.js')))
}
