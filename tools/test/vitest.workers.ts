import { availableParallelism } from 'node:os'

/**
 * Test files that run at once: one more than there are cores, because a server that is killed over and over, a
 * Node-RED or a browser leaves them idle now and then.
 */
export const workers = availableParallelism() + 1
