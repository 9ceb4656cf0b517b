import { Command, Option } from 'commander'
import { examples, type Runs, repeated, whole } from './parts.js'

const port = whole(0, 65_535)

/** Runs a broker. */
export function brokerCommand(runs: Runs): Command {
  return new Command('broker')
    .summary('a small MQTT broker, to try things with')
    .description(
      'Runs a small MQTT 3.1.1 broker in memory, for this machine alone: pages of other origins in its browsers are refused. It needs the package aedes beside this one. Where messages matter, run Mosquitto or RabbitMQ.',
    )
    .addOption(
      new Option('-p, --port <number>', 'for WebSocket; 0 takes a free one').argParser(port).default(9001),
    )
    .addOption(
      new Option('--tcp-port <number>', 'for plain MQTT; 0 takes a free one').argParser(port).default(1883),
    )
    .option(
      '--allow-origin <origin>',
      'let pages from there connect too, beside those of this machine; can be repeated',
      repeated(),
    )
    .addHelpText(
      'after',
      examples(
        ['npm install --global aedes', 'once, where alvarium-sdk was installed so'],
        ['alvarium broker', 'ws://127.0.0.1:9001 and mqtt://127.0.0.1:1883'],
      ),
    )
    .action(runs(() => import('../broker/run.js')))
}
