import { defaultTemplatePolicy } from '@app/contract'
import { expect, test } from 'vitest'
import { editorFields, moduleFields, paletteFields, securityFields } from './setting-fields.ts'

const flags = (tree: object, prefix = ''): string[] =>
  Object.entries(tree).flatMap(([key, value]) =>
    typeof value === 'object' ? flags(value as object, `${prefix}${key}_`) : [`${prefix}${key}`],
  )

/** Settings that have a control of their own, which is no field of a group. */
const others = ['palette_installScripts', 'palette_modules', 'sleep_enabled', 'sleep_after']

test('[ATPL-26] every setting has a field but title and icon of the page and the address of the header', () => {
  const fields = [editorFields, moduleFields, securityFields, paletteFields].flat().map(({ name }) => name)
  const without = flags(defaultTemplatePolicy).filter((name) => ![...fields, ...others].includes(name))
  expect(without).toEqual(['page_title', 'page_favicon', 'header_url'])
})

test('[PAL-01] each field of the palette edits the setting of its name', () => {
  expect(paletteFields.map(({ label, name, kind }) => [label, name, kind])).toEqual([
    ['Allow installing nodes', 'palette_allowInstall', 'switch'],
    ['Excluded nodes', 'palette_nodesExcludes', 'text'],
    ['Denied nodes', 'palette_denyList', 'text'],
  ])
})
