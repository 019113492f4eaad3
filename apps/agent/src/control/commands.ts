import { explained } from '../agent.errors.ts'
import type { Log } from '../agent.log.ts'
import type { LogStream } from '../logs/log.stream.ts'
import type { Command } from '../link/broker.link.ts'
import type { Actions } from './actions.ts'
import type { Editor } from '../editor/editor.ts'
import type { Modes } from './modes.ts'

interface CommandsDependencies {
  actions: Actions
  modes: Modes
  editor: Editor
  stream: LogStream
  log: Log
  wake(): void
  reply(command: Command, payload: object): Promise<void>
}

/** Follows the commands that the platform sends over the broker. Those of other releases are passed over. */
export function createCommands({ actions, modes, editor, stream, log, wake, reply }: CommandsDependencies) {
  async function act(command: Command): Promise<void> {
    try {
      actions.begin((command.payload as { action?: unknown } | undefined)?.action)
      await reply(command, { success: true })
    } catch (error) {
      await reply(command, { success: false, error: explained(error).message })
    }
  }

  const startEditor = async (command: Command): Promise<void> =>
    reply(command, await editor.start((command.payload as { token?: unknown } | undefined)?.token))

  return (command: Command): void => {
    // The next report is answered with the desired state.
    if (command.command === 'update') return wake()
    if (command.command === 'startLog') return stream.start(command.since)
    if (command.command === 'stopLog') return stream.stop()
    if (command.command === 'stopEditor') return editor.stop()
    const answer =
      command.command === 'action'
        ? act(command)
        : command.command === 'upload'
          ? reply(command, modes.upload() ?? {})
          : command.command === 'startEditor'
            ? startEditor(command)
            : undefined
    answer?.catch((error: Error) => log.warn(`The platform got no answer: ${error.message}`))
  }
}
