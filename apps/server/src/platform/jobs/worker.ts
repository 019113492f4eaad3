import type { Tx } from '../db/tables.ts'

/** Which of several servers works off the jobs. */
export interface Worker {
  /** Is it still this one? Asked in the transaction of every claim, and true until that has ended. */
  holds(tx: Tx): Promise<boolean>
  /** Lets a job be asked for while some server is there to work it off. @throws Failure where there is none */
  demand(tx: Tx): Promise<void>
}
