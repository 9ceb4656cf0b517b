import type { TestDatabase } from '../store/databases.js'

/** Statements that undo each step of the schema, by its version. A new step gets a line. */
const UNDO: readonly (readonly [version: number, statements: readonly string[]])[] = [
  [12, ['drop table alvarium.arrival', 'alter table alvarium.datum drop column forgotten']],
  [11, ['alter table alvarium.beside drop column key']],
  [10, ['alter table alvarium.head drop column naming']],
  [9, ['drop table alvarium.classic', 'alter table alvarium.head drop column classic']],
  [8, ['drop index alvarium.evidence_batches']],
  [7, ['alter table alvarium.evidence add constraint evidence_digest_key unique (digest)']],
]

/** Gives a store the schema of an earlier version, 6 or later. For version 5, undo step 6 first: it changed rows. */
export async function undoSteps({ query }: TestDatabase, version: number): Promise<void> {
  for (const [, statements] of UNDO.filter(([step]) => step > version)) {
    for (const statement of statements) await query(statement)
  }
  await query('delete from alvarium.version where version > $1', [version])
}
