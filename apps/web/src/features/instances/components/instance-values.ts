import { ApplicationName } from '@app/contract/applications'
import { InstanceName } from '@app/contract/instances'
import * as z from 'zod/mini'

const chosen = (what: string) => z.string().check(z.minLength(1, `Choose ${what}`))
const text = z.string()

const instance = {
  name: InstanceName,
  projectType: chosen('an instance type'),
  stack: chosen('a stack'),
  template: chosen('a template'),
}
const nothing = { name: text, projectType: text, stack: text, template: text }
const application = ApplicationName.check(z.minLength(1, 'An application needs a name'))

/** The kind of form: an instance in a new application, in a chosen one, or the application alone [INST-40]. */
export const schemas = {
  'new application': z.object({ ...instance, application }),
  'application alone': z.object({ ...nothing, application }),
  instance: z.object({ ...instance, application: chosen('an application') }),
}
export type InstanceValues = z.output<(typeof schemas)['instance']>
export type FormKind = keyof typeof schemas

/** Is something left out that the form cannot do without [INST-40]? */
export function isBlank(kind: FormKind, { application, ...instance }: InstanceValues): boolean {
  const needed = kind === 'application alone' ? [application] : [application, ...Object.values(instance)]
  return needed.some((value) => value.trim() === '')
}
