import { ourVerdict, type Question } from './our-verdicts.js'

/** Answers questions in a page. */
Object.assign(globalThis, {
  async verdictsOf(questions: readonly Question[]): Promise<string[]> {
    const verdicts: string[] = []
    for (const question of questions) verdicts.push(await ourVerdict(question))
    return verdicts
  },
})
