import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const folder = join(import.meta.dirname, '../../docs/decisions')

const intro = `<!-- Written by \`npm run gen\` from the titles of the decisions. -->

# Decisions

Each page says what was decided, why, and what follows. Code and docs cite one by its number, as in "decision 21".
\`npm run check\` fails on a number that does not exist. A new decision takes the next free number. A decision that no
longer holds stays, and says at its top which one replaced it. A missing number was never used.

What the platform must do is in the [specification](../specification/README.md); these pages say why it does it so.
`

/** Returns the index for pages given as name and text. @throws Error for a page without a title that begins with its number */
export function decisionsText(pages: { name: string; text: string }[]): string {
  const lines = pages.map(({ name, text }) => {
    const number = Number(name.slice(0, 4))
    const title = new RegExp(`^# ${number}\\. (.+)\n`).exec(text)?.[1]
    if (title === undefined) throw new Error(`docs/decisions/${name} must begin with "# ${number}. " and a title`)
    return `- [${number}. ${title}](${name})`
  })
  return `${intro}\n${lines.join('\n')}\n`
}

/** The text of docs/decisions/README.md. */
export function decisionsPage(): string {
  const names = readdirSync(folder).filter((name) => /^\d{4}-.+\.md$/.test(name))
  return decisionsText(names.sort().map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') })))
}
