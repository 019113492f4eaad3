import {
  defaultTemplatePolicy,
  defaultTemplateSettings,
  envNameFault,
  type PaletteModule,
  type Template,
} from '@app/contract'
import { useState } from 'react'
import { changedSince } from '../../lib/changed-since.ts'
import {
  at,
  editorFields,
  faultsOf,
  listFaults,
  moduleFields,
  faultsOfVariables,
  paletteFields,
  securityFields,
  type SettingValues,
  toVariables,
  type Variable,
  valuesOf,
} from '../instance-settings/index.ts'

const fields = [...editorFields, ...moduleFields, ...securityFields, ...paletteFields]
const policies = [...fields.map(({ name }) => name), 'palette_modules']

/** The first values of the editor; a new template has no id. */
export type TemplateBase = Pick<Template, 'name' | 'description' | 'active' | 'settings' | 'policy'>
export const newTemplate: TemplateBase = {
  name: '',
  description: '',
  active: true,
  settings: defaultTemplateSettings,
  policy: defaultTemplatePolicy,
}

interface Edited {
  values: SettingValues
  policy: Record<string, boolean>
  variables?: Variable[]
  modules?: PaletteModule[]
}
const untouched: Edited = { values: {}, policy: {} }
const text: readonly string[] = ['name', 'description', 'active']

/** Returns the variables to send; blank and broken names are dropped. */
const sentVariables = (variables: readonly Variable[]) =>
  variables
    .filter(({ name }) => envNameFault(name) === undefined)
    .map(({ name, value, encrypted, policy = true }) => ({ name, value, policy, ...(encrypted ? { encrypted } : {}) }))

const editedSince = (sent: Edited, now: Edited): Edited => ({
  values: changedSince(sent.values, now.values),
  policy: changedSince(sent.policy, now.policy) as Edited['policy'],
  ...(now.variables && now.variables !== sent.variables ? { variables: now.variables } : {}),
  ...(now.modules && now.modules !== sent.modules ? { modules: now.modules } : {}),
})

/** A template while it is edited: only what was changed is kept beside what is saved [ATPL-19]. */
export function useTemplateForm(saved: TemplateBase, isNew: boolean) {
  const [edited, setEdited] = useState(untouched)
  const [refused, setRefused] = useState<Record<string, string>>({})
  const { name, description, active } = saved
  const before: SettingValues = { name, description, active, ...valuesOf(fields, saved.settings) }
  const values = { ...before, ...edited.values }
  const kept = Object.fromEntries(policies.map((key) => [key, at(saved.policy, key) === true]))
  const policy = { ...kept, ...edited.policy }
  const savedVariables = toVariables(saved.settings.env ?? [])
  const savedModules = saved.settings.palette?.modules ?? []
  const variables = edited.variables ?? savedVariables
  const modules = edited.modules ?? savedModules
  const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)
  const variablesChanged = !same(sentVariables(variables), sentVariables(savedVariables))
  const modulesChanged = !same(modules, savedModules)
  const changedValues = Object.keys(values).filter((key) => values[key] !== before[key])
  const changedPolicy = policies.filter((key) => policy[key] !== kept[key])
  const settingFaults = faultsOf(Object.fromEntries(fields.map((field) => [field.name, values[field.name]])))
  const errors: Record<string, string | undefined> = {
    ...refused,
    ...settingFaults,
    ...(String(values.name).trim() === '' ? { name: 'Required' } : {}),
  }
  const variableFaults = faultsOfVariables(variables)
  const moduleFaulty = listFaults(modules).some((fault) => Object.keys(fault).length > 0)
  const dirty = changedValues.length > 0 || changedPolicy.length > 0 || variablesChanged || modulesChanged
  const change = (next: Partial<Edited>) => {
    setRefused({})
    setEdited({ ...edited, ...next })
  }

  /** The settings that changed; those of the sign-in together, since the server judges them together [ATPL-22]. */
  function settings(): SettingValues {
    const auth = changedValues.some((key) => key.startsWith('httpNodeAuth'))
    const basic = values.httpNodeAuth_type === 'basic'
    const plain = changedValues.filter((key) => !text.includes(key) && !key.startsWith('httpNodeAuth'))
    return {
      ...Object.fromEntries(plain.map((key) => [key, values[key]])),
      ...(auth
        ? {
            httpNodeAuth_type: values.httpNodeAuth_type,
            httpNodeAuth_user: basic ? values.httpNodeAuth_user : '',
            httpNodeAuth_pass: basic ? values.httpNodeAuth_pass || (saved.settings.httpNodeAuth?.pass ?? false) : '',
          }
        : {}),
      ...(variablesChanged ? { env: sentVariables(variables) } : {}),
      ...(modulesChanged ? { palette_modules: modules } : {}),
    }
  }

  return {
    values,
    policy,
    variables,
    modules,
    errors,
    /** Nobody has failed to name a new template before they began. */
    nameFault: isNew && edited.values.name === undefined ? undefined : errors.name,
    variableFaults,
    dirty,
    valid: Object.keys(errors).length === 0 && Object.keys(variableFaults).length === 0 && !moduleFaulty,
    hasSecret: saved.settings.httpNodeAuth?.pass === true,
    /** To be marked; in a new one everything is new. */
    isChanged: (key: string) => !isNew && (changedValues.includes(key) || changedPolicy.includes(key)),
    set: (key: string, value: unknown) => change({ values: { ...edited.values, [key]: value } }),
    setPolicy: (key: string, open: boolean) => change({ policy: { ...edited.policy, [key]: open } }),
    setVariables: (next: Variable[]) => change({ variables: next }),
    setModules: (next: PaletteModule[]) => change({ modules: next }),
    refuse: setRefused,
    reset() {
      setRefused({})
      setEdited(untouched)
    },
    /** Everything that was edited is saved, but for what was edited meanwhile. */
    settle() {
      setRefused({})
      setEdited((now) => editedSince(edited, now))
    },
    /** Returns the changed fields, to be sent. */
    body: () => ({
      ...Object.fromEntries(text.filter((key) => changedValues.includes(key)).map((key) => [key, values[key]])),
      settings: settings(),
      policy: Object.fromEntries(changedPolicy.map((key) => [key, policy[key]])),
    }),
  }
}
export type TemplateForm = ReturnType<typeof useTemplateForm>
