import { collect, connectionOptions, type Runs, Subcommand, whole } from './parts.js'

const port = whole(0, 65_535)

export function brokerCommand(runs: Runs): Subcommand {
  return new Subcommand('broker')
    .summary('runs a small MQTT broker, for trials')
    .description(
      'Runs a small MQTT 3.1.1 broker in memory, for this machine only. Web pages of other origins cannot connect. In production, use Mosquitto or RabbitMQ.',
    )
    .option('-p, --port <number>', 'for WebSocket; 0 picks a free port', port, 9001)
    .option('--tcp-port <number>', 'for MQTT over TCP; 0 picks a free port', port, 1883)
    .option('--allow-origin <origin>', 'also let web pages of this origin connect; repeatable', collect())
    .examples(['alvarium broker', 'ws://127.0.0.1:9001 and mqtt://127.0.0.1:1883'])
    .action(runs(() => import('../broker/run.js')))
}

/**
 * Names of the guarantees of a broker that `alvarium doctor` tests. They are repeated here because the module
 * `alvarium-command/doctor` is loaded only when the command runs.
 */
const PROMISES = [
  'accepted',
  'subscriber-killed',
  'order',
  'broker-killed',
  'retained',
  'group',
  'large-message',
]

export function doctorCommand(runs: Runs): Subcommand {
  return new Subcommand('doctor')
    .summary('tests a broker: what will it do with my messages?')
    .description(
      'Connects to a broker as the SDK does, tests each promise of the guide, and names the lines of its configuration to change. Publishes only under alvarium-doctor/, and cleans up there.',
    )
    .argument('<url>', 'the URL of the broker: ws, wss, mqtt or mqtts')
    .someOf('--only <promise>', 'check only this promise; repeatable', PROMISES)
    .option(
      '--messages <number>',
      'how many messages to publish for an absent subscriber; a limit above it is not found',
      whole(1, 100_000),
      1_500,
    )
    .option('--largest <bytes>', 'the largest message to try', whole(1_024, 16 * 1024 * 1024), 131_072)
    .option('--timeout <seconds>', 'for the whole test', whole(1, 86_400), 60)
    .option('--restart', 'wait until you have restarted the broker: does it still know its subscribers?')
    .option('--json', 'write JSON')
    .addOptions(connectionOptions())
    .exitCodes(
      'all promises that can be tested hold',
      'some do not',
      'it could not be decided: the broker cannot be reached, for example',
    )
    .examples(
      ['alvarium doctor mqtts://broker.example:8883', 'before you rely on it'],
      [
        'alvarium doctor ws://localhost:9001 --messages 20000',
        'does it keep a night of messages for a consumer that is down?',
      ],
      [
        'alvarium doctor ws://localhost:9001 --only broker-killed --restart --timeout 600',
        'restart it when you are asked to: is everything still there?',
      ],
      ['alvarium doctor mqtt://localhost --only subscriber-killed --json', 'as a check in a deployment'],
    )
    .action(runs(() => import('../doctor/run.js')))
}
