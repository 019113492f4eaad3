import { ApiError } from '../../lib/api.ts'
import { confirm } from '../../ui/confirm.ts'

type Yes = { allowStopped?: string[] }

/**
 * Assigns devices. Where that ends their flows, since the instance has no target or one that runs none, the person is
 * asked first.
 * @returns undefined when the answer was no.
 */
export async function unlessEmpty<T>(assign: (yes: Yes) => Promise<T>): Promise<T | undefined> {
  try {
    return await assign({})
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'flows_not_started') throw error
    const sure = await confirm({
      title: 'Nothing Will Run',
      message:
        'This instance has no target snapshot with enabled nodes. The flows that run now end, and nothing runs in their place.',
      confirmLabel: 'Assign Anyway',
      danger: true,
    })
    return sure ? assign({ allowStopped: ['nodes'] }) : undefined
  }
}
