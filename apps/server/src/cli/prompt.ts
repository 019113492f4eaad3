import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'

/** Asks on the terminal, without showing what is typed. @throws Error when there is no terminal to ask on. */
export async function askSecret(question: string): Promise<string> {
  if (!process.stdin.isTTY)
    throw new Error('There is no terminal to ask for the passphrase on: set FORGE_BACKUP_PASSPHRASE.')
  process.stderr.write(question)
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: process.stdin, output: silent, terminal: true })
  try {
    return await lines.question('')
  } finally {
    lines.close()
    process.stderr.write('\n')
  }
}
