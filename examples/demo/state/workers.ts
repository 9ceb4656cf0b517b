/** The two workers that every visit has. The racer is spawned by its panel: `new Link('racer')`. */
import { Link } from './link.ts'

export const maker = new Link('maker')
export const verifier = new Link('verifier')
