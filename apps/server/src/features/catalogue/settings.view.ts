import { HttpAuthType, InstanceSettings } from '@app/contract'
import * as z from 'zod/mini'
import { oftenReadJson } from '../../platform/db/json.ts'

/** Settings as kept: the hash of a password in place of whether there is one, secret variables sealed. */
const StoredSettings = z.extend(InstanceSettings, {
  httpNodeAuth: z.optional(
    z.partial(z.object({ type: HttpAuthType, user: z.string(), pass: z.union([z.string(), z.boolean()]) })),
  ),
})
export type StoredSettings = z.infer<typeof StoredSettings>

const ofInstances = oftenReadJson('instances.settings', StoredSettings)
const ofTemplates = oftenReadJson('templates.settings', StoredSettings)
const empty = '{}'

interface SettingsRow {
  settings: string
  id?: string
}

/** The settings of an instance's own, as kept. @throws Error when they do not have the shape of settings. */
export const ownSettings = ({ settings, id = 'an instance' }: SettingsRow): StoredSettings =>
  settings === empty ? {} : ofInstances(settings, id)

/** The settings of a template, as kept. @throws Error when they do not have the shape of settings. */
export const storedSettingsOf = ({ settings, id = 'a template' }: SettingsRow): StoredSettings =>
  ofTemplates(settings, id)

/** Settings as people may see them: whether there is a password, and no value of a secret variable. */
export function settingsView({ httpNodeAuth, env = [], ...settings }: StoredSettings): InstanceSettings {
  return {
    ...settings,
    ...(httpNodeAuth ? { httpNodeAuth: { ...httpNodeAuth, pass: Boolean(httpNodeAuth.pass) } } : {}),
    env: env.map((entry) => (entry.encrypted ? { ...entry, value: '' } : entry)),
  }
}
