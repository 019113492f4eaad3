import * as z from 'zod/mini'

/** One field of a stack in a form: its texts and the pattern of what may stand there. */
export const StackProperty = z.object({
  label: z.string(),
  description: z.optional(z.string()),
  validate: z.string(),
  invalidMessage: z.optional(z.string()),
})
export type StackProperty = z.infer<typeof StackProperty>

/** The properties of a stack [ASTACK-19]. */
export const stackPropertyFields: Record<'nodered' | 'nodejs' | 'memory', StackProperty> = {
  nodered: {
    label: 'Node-RED version',
    description: 'An exact version, fetched from the npm registry.',
    validate: String.raw`^\d+\.\d+\.\d+$`,
    invalidMessage: 'An exact version such as 5.0.7',
  },
  nodejs: {
    label: 'Node.js version',
    description: 'Empty for the Node.js that runs the platform.',
    validate: String.raw`^(\d+\.\d+\.\d+)?$`,
    invalidMessage: 'An exact version such as 24.21.0',
  },
  memory: {
    label: 'Memory in MB',
    description: 'The limit of each instance.',
    validate: String.raw`^(6[4-9]|[7-9]\d|[1-9]\d{2,3}|[1-5]\d{4}|6[0-4]\d{3}|65[0-4]\d{2}|655[0-2]\d|6553[0-6])$`,
    invalidMessage: 'A number from 64 to 65536',
  },
}

export const StackProperties = z.object({
  nodered: z.string().check(z.regex(/^\d+\.\d+\.\d+$/, 'An exact version such as 5.0.7')),
  memory: z.number().check(z.int(), z.minimum(64), z.maximum(65_536)),
  /** The Node.js it runs on; without it, the one of the platform. */
  nodejs: z.optional(z.string().check(z.regex(/^\d+\.\d+\.\d+$/, 'An exact version such as 24.21.0'))),
})
export type StackProperties = z.infer<typeof StackProperties>

const whole = z.union([
  z.number(),
  z.pipe(
    z.string().check(z.maxLength(40)),
    z.transform((value: string) => Number(value.trim() || Number.NaN)),
  ),
])
const { memory, nodered, nodejs } = stackPropertyFields
/** Properties as forms send them: numbers may be texts, an empty Node.js is the platform's. */
export const StackPropertiesInput = z.object({
  nodered: z.string().check(z.maxLength(40), z.regex(new RegExp(nodered.validate), nodered.invalidMessage)),
  memory: z.pipe(
    whole,
    z
      .number(memory.invalidMessage)
      .check(z.refine((value) => new RegExp(memory.validate).test(String(value)), memory.invalidMessage)),
  ),
  nodejs: z.optional(
    z.pipe(
      z.string().check(z.maxLength(40), z.regex(new RegExp(nodejs.validate), nodejs.invalidMessage)),
      z.transform((value: string) => (value === '' ? undefined : value)),
    ),
  ),
})
export type StackPropertiesInput = z.output<typeof StackPropertiesInput>
