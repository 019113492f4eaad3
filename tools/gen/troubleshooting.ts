import { type ErrorCode, errors, healthCodes } from '@app/contract'
import { join } from 'node:path'
import { errorHelp } from '../handbook/error-help.ts'
import { sentencesByCode } from '../handbook/sentences.ts'

const intro = `<!-- Written by \`npm run gen\` from the contract, the sources of the server and tools/handbook/error-help.ts. -->

# Troubleshooting

Find the message that you see, then its cause and what to do. Search for a few words of it.

Every error of the platform has a code. Scripts find it in \`code\`; the console shows the sentence.

## The server does not start

The server says why in one sentence and ends.

| Message | What to do |
| --- | --- |
| The disk of … is full | Free at least 20 MB on that disk, then start again. |
| … is damaged, or no database of SQLite | [Restore a backup](backup.md#restoring) into a new FORGE_HOME. |
| … cannot be read or written by the user of the server | Give the folder to that user: \`chown -R <user> <folder>\`. |
| … is on a disk that is mounted read-only | Mount it for writing, or set FORGE_HOME to another folder. |
| PostgreSQL at … refuses the user or the password | Correct FORGE_DATABASE_URL. Write \`@\` and \`/\` in a password as \`%40\` and \`%2F\`. |
| PostgreSQL at … does not exist | Create the database. |
| PostgreSQL at … does not answer | Check that it runs, and the address in FORGE_DATABASE_URL. |
| PostgreSQL at … is read-only | Set FORGE_DATABASE_URL to the primary. |
| A setting is refused by name | See [Settings](settings.md) for what it must be. Unknown names that begin with \`FORGE_\` are refused as well. |

## The instance does not work

| What you see | What to do |
| --- | --- |
| *crashed*, or *safe* | Read the reason on the overview and the [log](logs.md). [States](logs.md#states) explains them. |
| The flows do not run | The page names the missing node type or module. [Install the module](modules.md), then deploy. |
| A module cannot be installed | [Modules](modules.md) says what happens then. REG01 on the [Health page](health.md#reg01) means that the registry cannot be reached. |
| The address of the instance does not open | [ADDR03](health.md#addr03): the wildcard name does not lead to the server. |
| The editor shows no live status | [ADDR02](health.md#addr02): WebSockets do not come through the reverse proxy. |
| 421 | The reverse proxy changed the Host header: see [Addresses and TLS](addresses.md#reverse-proxy). |
`

function errorSection(code: ErrorCode, todo: string, others: string[]): string {
  const { status, message } = errors[code]
  const also = others.filter((sentence) => sentence !== message)
  return [
    `### ${message[0]!.toUpperCase()}${message.slice(1)} <a id="${code}"></a>`,
    '',
    todo,
    '',
    `Code \`${code}\`, status ${status.join(' or ')}.`,
    '',
    ...(also.length > 0
      ? ['Other messages with this code:', '', ...also.map((sentence) => `- ${escaped(sentence)}`), '']
      : []),
  ].join('\n')
}

const escaped = (text: string) => text.replace(/[*_`<[]/g, '\\$&')

/** The handbook page about messages: every error of the contract and every health code. @throws Error for an error without help. */
export function troubleshootingPage(): string {
  const sentences = sentencesByCode(join(import.meta.dirname, '../..'))
  const explained = new Set(errorHelp.flatMap((group) => Object.keys(group.errors)))
  const missing = Object.keys(errors).filter((code) => !explained.has(code))
  if (missing.length > 0) throw new Error(`tools/handbook/error-help.ts says nothing of: ${missing.join(', ')}`)
  const groups = errorHelp.map(({ title, about, errors: help }) => {
    const sections = Object.entries(help).map(([code, todo]) =>
      errorSection(code as ErrorCode, todo, sentences.get(code) ?? []),
    )
    return `## ${title}\n\n${about}\n\n${sections.join('\n')}`
  })
  const health = Object.entries(healthCodes).map(
    ([code, { means }]) => `| [${code}](health.md#${code.toLowerCase()}) | ${means} |`,
  )
  return `${intro}\n${groups.join('\n')}\n## Health codes\n\nAdministrators see these under *Admin Settings, Health*. Choose a code to see what to do.\n\n| Code | Meaning |\n| --- | --- |\n${health.join('\n')}\n`
}
