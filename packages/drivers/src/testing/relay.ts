import { connect, createServer } from 'node:net'
import { networkInterfaces } from 'node:os'

/** An address of this machine that others reach too. */
export const outerAddress = (): string =>
  Object.values(networkInterfaces())
    .flat()
    .find((one) => one !== undefined && one.family === 'IPv4' && !one.internal)!.address

/**
 * A port of this machine on all addresses that leads to one of the loopback address, where the platform of tests listens and
 * nothing in a container reaches it.
 */
export async function openRelay() {
  const relay = createServer({ allowHalfOpen: true })
  await new Promise<void>((resolve) => relay.listen(0, '0.0.0.0', resolve))
  return {
    port: (relay.address() as { port: number }).port,
    /** From now on connections go to this address. */
    leadTo(url: string): void {
      relay.on('connection', (incoming) => {
        const onward = connect({ host: '127.0.0.1', port: Number(new URL(url).port), allowHalfOpen: true })
        incoming.on('error', () => onward.destroy()).on('close', () => onward.destroy())
        onward.on('error', () => incoming.destroy()).on('close', () => incoming.destroy())
        incoming.pipe(onward).pipe(incoming)
      })
    },
    close: () => void relay.close(),
  }
}
