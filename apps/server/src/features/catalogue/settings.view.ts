import type { InstanceSettings } from '@app/contract'

type HttpAuth = NonNullable<InstanceSettings['httpNodeAuth']>
/** Settings as kept: the hash of a password in place of whether there is one, secret variables sealed. */
export type StoredSettings = Omit<InstanceSettings, 'httpNodeAuth'> & {
  httpNodeAuth?: Omit<HttpAuth, 'pass'> & { pass?: string | boolean }
}

/** Settings as people may see them: whether there is a password, and no value of a secret variable. */
export function settingsView({ httpNodeAuth, env = [], ...settings }: StoredSettings): InstanceSettings {
  return {
    ...settings,
    ...(httpNodeAuth ? { httpNodeAuth: { ...httpNodeAuth, pass: Boolean(httpNodeAuth.pass) } } : {}),
    env: env.map((entry) => (entry.encrypted ? { ...entry, value: '' } : entry)),
  }
}
