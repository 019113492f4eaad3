import {
  BillingProperties,
  type InstanceType,
  type Stack,
  StackProperties,
  Template,
  type TemplateSummary,
  type UserSummary,
} from '@app/contract'
import { jsonColumn } from '../../platform/db/json.ts'
import { iso } from '../../platform/clock.ts'
import type { InstanceTypeWithUse, StackWithType, TemplateRow, TemplateWithUse } from './catalogue.store.ts'
import { settingsView, storedSettingsOf } from './settings.view.ts'

/** The use count is for administrators only. */
export function instanceTypeView(row: InstanceTypeWithUse, admin: boolean): InstanceType {
  return {
    id: row.id,
    name: row.name,
    active: row.active === 1,
    description: row.description,
    order: row.position,
    properties: billingOf(row.properties, row.id),
    defaultStack: row.default_stack_id,
    driver: row.driver,
    createdAt: iso(row.created_at),
    ...(admin ? { instanceCount: Number(row.instance_count), stackCount: Number(row.stack_count) } : {}),
  }
}

/** The product, the price and the price text of an instance type. */
export const billingOf = jsonColumn('instance_types.properties', BillingProperties)
const readStackProperties = jsonColumn('stacks.properties', StackProperties)
export const stackProperties = ({ id = 'a stack', properties }: { id?: string; properties: string }) =>
  readStackProperties(properties, id)
export const stackLinks = (id: string, baseUrl: string) => ({ self: `${baseUrl}/api/v1/stacks/${id}` })
export const templateLinks = (id: string, baseUrl: string) => ({ self: `${baseUrl}/api/v1/templates/${id}` })

export function stackView(row: StackWithType, baseUrl: string, admin: boolean): Stack {
  return {
    id: row.id,
    name: row.name,
    label: row.label,
    active: row.active === 1,
    ...(row.type_id ? { projectType: row.type_id } : {}),
    ...(row.type_name ? { projectTypeName: row.type_name } : {}),
    properties: stackProperties(row),
    meta: { state: row.state, ...(row.reason === null ? {} : { reason: row.reason }) },
    ...(row.replaced_by ? { replacedBy: row.replaced_by } : {}),
    createdAt: iso(row.created_at),
    ...(admin ? { instanceCount: Number(row.instance_count) } : {}),
    links: stackLinks(row.id, baseUrl),
  }
}

export function templateSummaryView(
  row: TemplateWithUse,
  owner: UserSummary | undefined,
  baseUrl: string,
): TemplateSummary {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    active: row.active === 1,
    instanceCount: Number(row.instance_count),
    createdAt: iso(row.created_at),
    ...(owner ? { owner } : {}),
    revision: row.revision,
    links: templateLinks(row.id, baseUrl),
  }
}

const policyOf = jsonColumn('templates.policy', Template.shape.policy)
/** Settings and policy of a template as stored: nested, as on the wire. */
export function templateContents(row: Pick<TemplateRow, 'settings' | 'policy'> & { id?: string }) {
  return {
    settings: storedSettingsOf(row),
    policy: policyOf(row.policy, row.id ?? 'a template'),
  }
}

export function templateView(row: TemplateWithUse, owner: UserSummary | undefined, baseUrl: string): Template {
  const { settings, policy } = templateContents(row)
  return { ...templateSummaryView(row, owner, baseUrl), settings: settingsView(settings), policy }
}
