import type { DriverName, InstanceTypeInput, InstanceTypePatch } from '@app/contract'
import type { Actor } from '../../platform/authz/actor.ts'
import { type ColumnMap, columnsOf } from '../../platform/db/columns.ts'
import { type Tx, flag } from '../../platform/db/tables.ts'
import { fail } from '../../platform/http/failure.ts'
import { newId } from '../../platform/ids.ts'
import { deleteInstanceType, isUsed, updateInstanceType, updateStack } from './catalogue.edit.store.ts'
import {
  findInstanceType,
  findStack,
  insertInstanceType,
  listInstanceTypes,
  type InstanceTypeRow,
  setDefaultStack,
} from './catalogue.store.ts'
import { platformScope } from '../audit/index.ts'
import { billingOf } from './catalogue.view.ts'
import { type EditDependencies, checkUnused, nameTaken, unlessUsed, updatesOf } from './catalogue.edit.ts'

type Billing = NonNullable<InstanceTypeInput['properties']>

const ref = ({ id, name }: InstanceTypeRow) => ({ projectType: { id, name } })
const what = 'an instance type'
const editable: ColumnMap<InstanceTypePatch, InstanceTypeRow> = {
  name: 'name',
  description: 'description',
  active: { active: flag },
  order: 'position',
  defaultStack: 'default_stack_id',
  driver: 'driver',
  properties: { properties: (properties) => JSON.stringify(properties) },
}

/** The actions of administrators on instance types. */
export function createTypeEdits({ database, clock, audit, driver }: EditDependencies) {
  async function found(tx: Tx, id: string): Promise<InstanceTypeRow> {
    const row = await findInstanceType(tx, id)
    if (!row) throw fail('not_found')
    return row
  }
  /**
   * A subscription keeps one quantity for each product, so two types share a product only at the same price.
   * @throws Failure invalid_request
   */
  async function checkProduct(tx: Tx, id: string, { billingProductId: product, billingPriceId }: Billing) {
    if (!product) return
    const others = (await listInstanceTypes(tx)).filter((other) => other.id !== id)
    const clash = others.find(({ properties, id: otherId }) => {
      const other = billingOf(properties, otherId)
      return other.billingProductId === product && other.billingPriceId !== billingPriceId
    })
    if (!clash) return
    const sentence = `The instance type ${clash.name} has this product with another price. Use a product of its own`
    throw fail('invalid_request', sentence, { field: 'properties' })
  }
  /** @throws Failure invalid_request for a driver that this server does not have. */
  function checkDriver(name: DriverName | null | undefined): void {
    if (name && !driver.offers.includes(name))
      throw fail('invalid_request', `This server does not have the driver ${name}`, { field: 'driver' })
  }
  /** One without a type gets this one. @throws Failure invalid_stack unless it is an active stack of this type. */
  async function claimDefault(tx: Tx, typeId: string, stackId: string): Promise<void> {
    const stack = await findStack(tx, stackId)
    if (!stack?.active || (stack.type_id ?? typeId) !== typeId)
      throw fail('invalid_stack', undefined, { field: 'defaultStack' })
    if (stack.type_id === null) await updateStack(tx, stackId, { type_id: typeId })
  }

  return {
    /** @throws Failure invalid_name 409 when the name is taken, invalid_stack. */
    async create(actor: Actor, input: InstanceTypeInput): Promise<string> {
      checkDriver(input.driver)
      const row: InstanceTypeRow = {
        id: newId(),
        name: input.name,
        description: input.description ?? '',
        active: flag(input.active ?? true),
        position: input.order ?? 1,
        properties: JSON.stringify(input.properties ?? {}),
        default_stack_id: null,
        driver: input.driver ?? null,
        created_at: clock.now(),
      }
      await nameTaken(() =>
        database.transact(async (tx) => {
          await checkProduct(tx, row.id, input.properties ?? {})
          await insertInstanceType(tx, row)
          if (input.defaultStack) {
            await claimDefault(tx, row.id, input.defaultStack)
            await setDefaultStack(tx, row.id, input.defaultStack)
          }
          await audit.record(tx, actor, 'platform.project-type.created', platformScope, ref(row))
        }),
      )
      return row.id
    },

    /** @throws Failure invalid_name 409, invalid_stack; invalid_request for the billing of a type that is used [ATYPE-12]. */
    async update(actor: Actor, id: string, patch: InstanceTypePatch): Promise<void> {
      await nameTaken(() =>
        database.transact(async (tx) => {
          const row = await found(tx, id)
          if (patch.properties && (await isUsed(tx, 'type_id', id))) {
            const sentence = 'The billing of an instance type with instances cannot be changed'
            throw fail('invalid_request', sentence, { field: 'properties' })
          }
          if (patch.driver !== row.driver) checkDriver(patch.driver)
          if (patch.properties) await checkProduct(tx, id, patch.properties)
          if (patch.defaultStack && patch.defaultStack !== row.default_stack_id)
            await claimDefault(tx, id, patch.defaultStack)
          const change = columnsOf(patch, editable)
          const updates = updatesOf(row, change, editable)
          if (updates.length === 0) return
          await updateInstanceType(tx, id, change)
          await audit.record(tx, actor, 'platform.project-type.updated', platformScope, {
            ...ref({ ...row, ...change }),
            updates,
          })
        }),
      )
    },

    /** @throws Failure invalid_request while instances are of this type. */
    async remove(actor: Actor, id: string): Promise<void> {
      await unlessUsed(what, () =>
        database.transact(async (tx) => {
          const row = await found(tx, id)
          await checkUnused(tx, what, 'type_id', id)
          await deleteInstanceType(tx, id)
          await audit.record(tx, actor, 'platform.project-type.deleted', platformScope, ref(row))
        }),
      )
    },
  }
}
