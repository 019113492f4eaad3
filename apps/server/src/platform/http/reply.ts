import * as z from 'zod/mini'

/** Makes what is shown of a value. */
type Show = (value: unknown) => unknown

/** A value without fields is shown as it is. */
const whole = undefined

/**
 * Writes answers as JSON, with the fields that the schema names and no others. Built at the first use: start-up does not
 * pay for routes that nobody calls. The writer throws when a field is absent that the schema requires.
 */
export function replyWriter(schema: z.core.$ZodType): (value: unknown) => string {
  let show: Show | undefined
  return (value) => {
    show ??= shown(schema) ?? ((as) => as)
    return JSON.stringify(show(value))
  }
}

function shown(schema: z.core.$ZodType): Show | undefined {
  const { def } = (schema as z.core.$ZodTypes)._zod
  switch (def.type) {
    case 'object':
      return holdsAnything(def) ? whole : fieldsOf(def.shape)
    case 'array':
      return eachOf(def.element)
    case 'record':
      return entriesOf(def.valueType)
    case 'union':
      return firstOf(def.options)
    case 'pipe':
      return shown(def.out)
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
    case 'readonly':
      return shown(def.innerType)
    case 'string':
    case 'number':
    case 'boolean':
    case 'null':
    case 'literal':
    case 'enum':
    case 'unknown':
    case 'any':
    case 'transform':
      return whole
    default:
      throw new Error(`Answers cannot hold what is a ${def.type}`)
  }
}

const holdsAnything = ({ catchall }: z.core.$ZodObjectDef) =>
  catchall !== undefined && catchall._zod.def.type !== 'never'

/**
 * Written as the literal of an object for each schema, and in this way only: to set one field after the other by its name
 * takes longer than to make the JSON.
 */
function fieldsOf(shape: Readonly<Record<string, z.core.$ZodType>>): Show {
  const shows: (Show | undefined)[] = []
  const fields = Object.entries(shape).map(([name, schema]) => {
    const key = JSON.stringify(name)
    const value = `value[${key}]`
    const at = shows.push(shown(schema)) - 1
    const some = shows[at] ? `(${value} === null ? null : shows[${at}](${value}))` : value
    return `${key}: ${value} === undefined ? ${isOptional(schema) ? 'undefined' : `absent(${key})`} : ${some}`
  })
  // oxlint-disable-next-line typescript/no-implied-eval -- made of names that the contract gives its fields, as strings
  return new Function('shows', 'absent', `return (value) => ({ ${fields.join(', ')} })`)(shows, absent) as Show
}

const isOptional = (schema: z.core.$ZodType) => schema._zod.optout === 'optional'

function absent(name: string): never {
  throw new Error(`"${name}" is required`)
}

function eachOf(schema: z.core.$ZodType): Show | undefined {
  const show = shown(schema)
  return show && ((list) => (list as unknown[]).map((one) => show(one)))
}

function entriesOf(schema: z.core.$ZodType): Show | undefined {
  const show = shown(schema)
  return (
    show &&
    ((record) => Object.fromEntries(Object.entries(record as object).map(([name, value]) => [name, show(value)])))
  )
}

function firstOf(options: readonly z.core.$ZodType[]): Show | undefined {
  const shows = options.map(shown)
  if (shows.every((show) => show === whole)) return whole
  return (value) => {
    const at = options.findIndex((option) => z.safeParse(option, value).success)
    if (at < 0) throw new Error('An answer is none of those that are expected')
    const show = shows[at]
    return show ? show(value) : value
  }
}
