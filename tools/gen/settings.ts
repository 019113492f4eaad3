import { settings } from '../../apps/server/src/config.ts'

/** The text of docs/settings.md: every setting of the server, as its schema documents it. */
export function settingsPage(): string {
  const sections = Object.entries(settings).map(([name, doc]) => {
    const facts = [
      `- Must be: ${doc.expected}`,
      `- Default: ${doc.fallback ?? 'not set'}`,
      `- Example: \`${name}=${doc.example}\``,
      ...(doc.secret ? ['- Secret: it is never shown or logged'] : []),
      ...(doc.file ? [`- From a file: \`${name}_FILE=/path/to/file\``] : []),
    ]
    return `## ${name}\n\n${doc.about}\n\n${facts.join('\n')}\n`
  })
  return `<!-- Written by \`npm run gen\` from apps/server/src/config.ts. -->

# Settings

The server reads its settings from environment variables when it starts. All of them are optional. A value that
cannot be used stops the start with a sentence that names it, and so does an unknown name that begins with \`FORGE_\`.

A secret can stand in a file instead, as a container platform or systemd hands it out: set its name with \`_FILE\` at the
end to the path. The file holds the value alone. The user of the server must be able to read it.

${sections.join('\n')}`
}
