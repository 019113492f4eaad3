import { threadStateOf } from './identity.ts'
import type { InstanceRecord } from '../record.store.ts'

const silent = 'The instance has not answered for 15 seconds and more'

/** The reason people read while an instance does not answer: as much as the kernel tells about its process. */
export function hungReason({ pid }: Pick<InstanceRecord, 'pid'>): string {
  switch (pid === undefined ? undefined : threadStateOf(pid)) {
    case 'T':
    case 't':
      return `${silent}: its process was paused from outside. Continue it with SIGCONT, or restart the instance.`
    case 'D':
      return `${silent}: its process waits for a disk or another device. Check the disk of the platform.`
    case 'S':
      return `${silent}, and its process is idle: a flow may be blocked in a synchronous call. Restart the instance.`
    default:
      return 'A flow has not let anything else run for 15 seconds and more: it may be in an endless loop. Restart the instance.'
  }
}
