import { ourVerdict, type Question } from './our-verdicts.js'

Object.assign(globalThis, {
  async verdictsOf(questions: readonly Question[]): Promise<string[]> {
    const verdicts: string[] = []
    for (const question of questions) verdicts.push(await ourVerdict(question))
    return verdicts
  },
})
