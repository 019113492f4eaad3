import type { LogEntry } from '@app/contract/instance-link'

/** A line of the log of this device, of Node-RED or of the agent itself. */
export type Line = Omit<LogEntry, 'src'>
