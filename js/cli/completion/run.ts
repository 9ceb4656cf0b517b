import type { Command } from 'commander'
import { EXIT, type Run } from '../session.js'
import { bash } from './bash.js'
import { fish } from './fish.js'
import { type Offer, offersOf } from './offers.js'

const SCRIPTS: Readonly<Record<string, (offers: readonly Offer[]) => string>> = {
  bash,
  // Zsh reads the scripts of bash when it is asked to.
  zsh: (offers) => `autoload -U +X bashcompinit && bashcompinit\n${bash(offers)}`,
  fish,
}

export const run: Run<object> = async ([shell = 'bash'], _, { out }, self) => {
  await out.write((SCRIPTS[shell] as typeof bash)(offersOf(self.parent as Command)))
  return EXIT.yes
}
