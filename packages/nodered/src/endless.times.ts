import { createRequire } from 'node:module'
import { join } from 'node:path'

interface Expression {
  years: { nextYear(from: number): number | null }
  _nextYear(from: { year: number }): unknown
}

/** The calendar repeats itself after as many years. */
const cycle = 400

/**
 * The package by which Node-RED's inject finds its next time looks for it without end where there is none, as for a 31st
 * of February, and nothing else runs meanwhile. Ends that search. `nodeRedPath`: folder of the stack.
 */
export function endSearchForTimes(nodeRedPath: string): void {
  const require = createRequire(join(nodeRedPath, 'node_modules', '@node-red', 'nodes', 'package.json'))
  try {
    const { prototype } = (require('cronosjs') as { CronosExpression: { prototype: Expression } }).CronosExpression
    if (typeof prototype._nextYear !== 'function' || done.has(prototype)) return
    const search = prototype._nextYear
    prototype._nextYear = function (from) {
      const { years } = this
      const nextYear = (year: number) => (year > from.year + cycle ? null : years.nextYear(year))
      return search.call(Object.create(this, { years: { value: { nextYear } } }) as Expression, from)
    }
    done.add(prototype)
  } catch {
    // Another version of Node-RED may not have it.
  }
}

const done = new WeakSet<Expression>()
