import { Command, Option } from 'commander'
import { examples, type Runs, repeated, whole } from './parts.js'

const port = whole(0, 65_535)

/** Runs a broker. */
export function brokerCommand(runs: Runs): Command {
  return new Command('broker')
    .summary('runs a small MQTT broker, for trials')
    .description(
      'Runs a small MQTT 3.1.1 broker in memory, for this machine only. Web pages of other origins cannot connect. Install the package aedes first. In production, use Mosquitto or RabbitMQ.',
    )
    .addOption(
      new Option('-p, --port <number>', 'for WebSocket; 0 picks a free port').argParser(port).default(9001),
    )
    .addOption(
      new Option('--tcp-port <number>', 'for MQTT over TCP; 0 picks a free port')
        .argParser(port)
        .default(1883),
    )
    .option('--allow-origin <origin>', 'also let web pages of this origin connect; repeatable', repeated())
    .addHelpText(
      'after',
      examples(
        ['npm install --global aedes', 'once, if alvarium-sdk is installed globally'],
        ['alvarium broker', 'ws://127.0.0.1:9001 and mqtt://127.0.0.1:1883'],
      ),
    )
    .action(runs(() => import('../broker/run.js')))
}
