import type { Foreseen } from '@app/contract'
import type { Driver, ModuleNeeds } from '@app/drivers'
import { coerce, gt, satisfies, valid, validRange } from 'semver'
import { stackProperties } from '../catalogue/index.ts'
import { effectiveSettings } from '../instance-settings/index.ts'
import type { WholeInstance } from '../instances/index.ts'
import type { FlowNode } from '../flows/index.ts'
import type { ModuleNote } from './foresee.store.ts'

interface Asked {
  before: WholeInstance
  /** The instance as it will be. */
  after: WholeInstance
  nodes: readonly FlowNode[]
  notes: readonly ModuleNote[]
  /** The instance that it comes from. */
  source: string | undefined
  /** The Node-RED that it ran on. */
  nodered: string | undefined
}

/** The software an instance runs on. */
function groundOf(row: WholeInstance) {
  const { nodered, nodejs = process.versions.node } = stackProperties({ properties: row.stack_properties })
  return { nodered, nodejs }
}
const modulesOf = (row: WholeInstance) => effectiveSettings(row).palette?.modules ?? []

/** Modules that ask for another Node-RED or Node.js than the instance has, and contents of a newer Node-RED. */
export async function tooOld(driver: Driver, asked: Asked): Promise<Foreseen[]> {
  const { before, after, nodes, notes, source, nodered } = asked
  const ground = groundOf(after)
  const newer: Foreseen[] =
    nodered !== undefined && gt(coerce(nodered) ?? '0.0.0', coerce(ground.nodered) ?? '0.0.0')
      ? [
          {
            kind: 'stack',
            sentence: `It ran on Node-RED ${nodered}, and the instance has ${ground.nodered}. Nodes may work differently.`,
          },
        ]
      : []
  const modules = modulesOf(after)
  const old = groundOf(before)
  const had = new Set(modulesOf(before).map(({ name, version }) => `${name} ${version}`))
  const stays = old.nodered === ground.nodered && old.nodejs === ground.nodejs
  const changed = modules.filter(({ name, version }) => !stays || !had.has(`${name} ${version}`))
  if (changed.length === 0) return newer
  const names = changed.map(({ name }) => name)
  const needs = {
    ...(source === undefined ? {} : await driver.moduleNeeds(source, names)),
    ...(await driver.moduleNeeds(after.id, names)),
  }
  const used = new Set(nodes.map(({ type }) => type))
  const typesOf = (name: string) => notes.filter((one) => one.name === name).flatMap(({ types }) => types)
  return [
    ...newer,
    ...changed.flatMap(({ name, version }): Foreseen[] => {
      const need = needs[name]
      // It says so of the version that lies there, which another one need not.
      if (!need || (valid(version) !== null && need.version !== version)) return []
      const fault = faultOf(need, ground)
      if (!fault) return []
      // Node-RED loads no nodes that ask for a newer one.
      const lost = fault.of === 'Node-RED' ? typesOf(name).filter((type) => used.has(type)) : []
      const sentence = `The module ${name} ${need.version} needs ${fault.of} ${fault.range}. The instance has ${fault.has}.`
      return [
        {
          kind: 'stack',
          sentence,
          ...(lost.length > 0 ? { stops: true, codes: lost.map((type) => `type:${type}`) } : {}),
        },
      ]
    }),
  ]
}

function faultOf({ nodered, node }: ModuleNeeds, ground: { nodered: string; nodejs: string }) {
  const asks = [
    { of: 'Node-RED', range: nodered, has: ground.nodered },
    { of: 'Node.js', range: node, has: ground.nodejs },
  ]
  return asks.find(
    (ask): ask is typeof ask & { range: string } =>
      validRange(ask.range) !== null && !satisfies(ask.has, ask.range!, { includePrerelease: true }),
  )
}
