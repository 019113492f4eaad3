import { optionally } from './config.setting.ts'
import { processors, wholeNumber } from './config.values.ts'

/** Limits of one instance, besides the memory of its stack. */
export interface LimitsConfig {
  /** Processors. */
  instanceCpus?: number
  /** MB on disk; 0 takes former limits away. */
  instanceDiskMb?: number
}

/** The settings of these limits. */
export const limitSettings = {
  FORGE_INSTANCE_CPUS: optionally(processors, {
    about:
      'Processors that one instance may use at most, with all that its flows start. Works where the server may create control groups: see docs/isolation.md. A change applies at the next start of an instance.',
    expected: 'a number from 0.1 to 1024, with at most two decimals',
    fallback: 'unlimited',
    example: '0.5',
  }),
  FORGE_INSTANCE_DISK_MB: optionally(wholeNumber(0, 999_999), {
    about:
      'Disk space of FORGE_HOME that one instance may use, in MB: the quota of its user. Works as root on ext4 and XFS with user quotas: see docs/isolation.md. A change applies at the next start of an instance. 0 removes earlier limits.',
    expected: 'a whole number from 0 to 999999',
    fallback: 'unlimited',
    example: '2048',
  }),
}

interface Values {
  FORGE_INSTANCE_CPUS?: number | undefined
  FORGE_INSTANCE_DISK_MB?: number | undefined
}

/** The limits that are set. */
export const limitsOf = ({ FORGE_INSTANCE_CPUS: cpus, FORGE_INSTANCE_DISK_MB: disk }: Values): LimitsConfig => ({
  ...(cpus !== undefined && { instanceCpus: cpus }),
  ...(disk !== undefined && { instanceDiskMb: disk }),
})
