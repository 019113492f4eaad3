import type { DeviceDetails } from '@app/contract'

type NodeRed = NonNullable<DeviceDetails['nodeRed']>

/**
 * Whether the memory limit is in force, in a sentence; undefined before its agent has said anything. Nobody knows whether
 * Node-RED runs on a device that is offline.
 */
export function memoryState({ memory, memoryLimit }: NodeRed, isOffline: boolean): string | undefined {
  if (!memoryLimit) return undefined
  const { set, next, inForce } = memoryLimit
  if (set !== memory) return 'Saved. The device learns of it at its next check-in.'
  if (inForce === null) return `Node-RED starts with ${next} MB.`
  if (isOffline)
    return `The device is offline. Node-RED ran with ${inForce} MB${inForce === next ? '.' : `, and starts with ${next} MB.`}`
  if (inForce === next) return `In force: Node-RED runs with ${inForce} MB.`
  return `Node-RED runs with ${inForce} MB. Restart it to use ${next} MB.`
}

/** Whether Node-RED runs in the version that is set, in a sentence; undefined where none is set. */
export function versionState(device: Versioned): string | undefined {
  const { nodeRed, nodeRedVersion, refused, targetSnapshot, mode, status } = device
  const version = nodeRed?.version ?? null
  if (version === null) return undefined
  if (targetSnapshot === null) return 'Installed with the first target snapshot.'
  if (status === 'offline')
    return `The device is offline. It had Node-RED ${nodeRedVersion ?? 'of an unknown version'}.`
  if (nodeRedVersion === version) return `In force: Node-RED ${version} runs.`
  if (mode === 'developer') return 'Waits until developer mode is disabled.'
  if (refused?.snapshot === targetSnapshot.id) return `Not taken: ${refused.message}`
  return `Node-RED ${nodeRedVersion ?? 'of an unknown version'} runs until ${version} is installed.`
}
type Versioned = Pick<DeviceDetails, 'nodeRed' | 'nodeRedVersion' | 'refused' | 'targetSnapshot' | 'mode' | 'status'>
