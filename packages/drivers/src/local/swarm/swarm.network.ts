import { type Engine, unless } from '../containers/engine.ts'
import { labels } from '../containers/shared.ts'

/** The overlay network of instances, over which they reach other services of the swarm by name. */
export function createOverlay(engine: Engine, name: string) {
  return {
    name,
    /** Makes it unless it is there. What goes over it from machine to machine is encrypted. */
    async ensure(): Promise<void> {
      if (await unless(engine.ask('GET', `/networks/${name}`), 404)) return
      const body = {
        Name: name,
        CheckDuplicate: true,
        Driver: 'overlay',
        Attachable: true,
        Options: { encrypted: '' },
        Labels: { [`${labels.home}.network`]: '1' },
      }
      // Somebody else may have made it just now.
      await unless(engine.ask('POST', '/networks/create', { body }), 409)
    },
  }
}
