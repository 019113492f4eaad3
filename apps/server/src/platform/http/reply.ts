import * as z from 'zod/mini'

/** Makes what is shown of a value. */
type Show = (value: unknown) => unknown

/** A value without named fields is shown as it is. */
const asItIs = undefined

/**
 * Writes answers as JSON, with the fields that the schema names and no others, unless it says that there may be others.
 * Built at the first use: start-up does not pay for routes that nobody calls. The writer throws when a field is absent
 * that the schema requires; types see to the rest.
 */
export function replyWriter(schema: z.core.$ZodType): (value: unknown) => string {
  let show: Show | undefined
  return (value) => {
    show ??= shown(schema) ?? ((answer) => answer)
    return JSON.stringify(show(value))
  }
}

function shown(schema: z.core.$ZodType): Show | undefined {
  const { def } = (schema as z.core.$ZodTypes)._zod
  switch (def.type) {
    case 'object':
      return objectOf(def)
    case 'array':
      return eachOf(def.element)
    case 'record':
      return entriesOf(def.valueType)
    case 'union':
      return firstOf(def.options)
    case 'pipe':
      return shown(def.out)
    case 'optional':
    case 'readonly':
    // Filled in where the value was read, so it is there.
    case 'prefault':
      return shown(def.innerType)
    case 'nullable':
      return orNull(def.innerType)
    case 'string':
    case 'number':
    case 'boolean':
    case 'null':
    case 'literal':
    case 'enum':
    case 'unknown':
    case 'any':
    case 'transform':
      return asItIs
    default:
      throw new Error(`Answers cannot hold what is a ${def.type}`)
  }
}

function objectOf({ shape, catchall }: z.core.$ZodObjectDef): Show | undefined {
  const named = fieldsOf(shape)
  if (catchall === undefined || catchall._zod.def.type === 'never') return named
  if (Object.keys(shape).length === 0) return asItIs
  return (value) => ({ ...(value as object), ...(named(value) as object) })
}

/** Generates the literal of an object: to set one field after the other by its name is slower than `JSON.stringify`. */
function fieldsOf(shape: Readonly<Record<string, z.core.$ZodType>>): Show {
  const shows: (Show | undefined)[] = []
  const fields = Object.entries(shape).map(([name, schema]) => {
    const key = JSON.stringify(name)
    const value = `value[${key}]`
    const at = shows.push(shown(schema)) - 1
    const some = shows[at] ? `shows[${at}](${value})` : value
    return `${key}: ${value} === undefined ? ${isOptional(schema) ? 'undefined' : `absent(${key})`} : ${some}`
  })
  // oxlint-disable-next-line typescript/no-implied-eval -- made of names that the contract gives its fields, as strings
  return new Function('shows', 'absent', `return (value) => ({ ${fields.join(', ')} })`)(shows, absent) as Show
}

const isOptional = (schema: z.core.$ZodType) => schema._zod.optout === 'optional'

function absent(name: string): never {
  throw new Error(`"${name}" is required`)
}

function orNull(schema: z.core.$ZodType): Show | undefined {
  const show = shown(schema)
  return show && ((value) => (value === null ? null : show(value)))
}

function eachOf(schema: z.core.$ZodType): Show | undefined {
  const show = shown(schema)
  return show && ((list) => (list as unknown[]).map((one) => show(one)))
}

function entriesOf(schema: z.core.$ZodType): Show | undefined {
  const show = shown(schema)
  if (!show) return asItIs
  const entry = ([name, value]: [string, unknown]) => [name, value === undefined ? undefined : show(value)] as const
  return (record) => Object.fromEntries(Object.entries(record as object).map(entry))
}

function firstOf(options: readonly z.core.$ZodType[]): Show | undefined {
  const shows = options.map(shown)
  if (shows.every((show) => show === asItIs)) return asItIs
  return (value) => {
    const at = options.findIndex((option) => z.safeParse(option, value).success)
    if (at < 0) throw new Error('The answer is of no kind that the contract has for it')
    const show = shows[at]
    return show ? show(value) : value
  }
}
