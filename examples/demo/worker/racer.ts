/** Racer: runs the experiments of the performance report in this browser. */
import type { Race, RaceSettings } from '../race.ts'
import { Outbox } from './outbox.ts'
import type { Part } from './port.ts'
import { Running } from './race/running.ts'
import { surroundings } from './race/surroundings.ts'

const NONE: Race = {
  phase: 'stopped',
  settings: { cells: [], rounds: 0 },
  rounds: 0,
  progress: 0,
  cells: [],
}

export function racer(): Part<'racer'> {
  let running: Running | undefined
  const outbox = new Outbox(() => running?.state ?? NONE)
  return {
    painted: () => outbox.painted(),
    handlers: {
      surroundings,
      race: (settings: RaceSettings) => {
        running?.stop()
        running = new Running(settings, () => outbox.changed())
        return running.run()
      },
      stop: () => running?.stop(),
    },
  }
}
