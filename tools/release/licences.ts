import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { listed, readLock } from './lock.ts'

const isLicence = (name: string) => /^(licen[cs]e|copying|notice)/i.test(name)

/** The texts of the licences of these packages, each once for all packages that share it. */
export function licencesText(root: string, folders: readonly string[]): string {
  const lock = readLock(root)
  const byText = new Map<string, string[]>()
  for (const folder of folders.filter((path) => path.includes('node_modules/'))) {
    const [one] = listed(lock, [folder])
    const text = textIn(join(root, folder)) ?? `Licence: ${one!.license}. The package holds no text of it.`
    byText.set(text, [...(byText.get(text) ?? []), `${one!.name} ${one!.version}`])
  }
  return [...byText].map(([text, names]) => `${names.join(', ')}\n\n${text}\n`).join(`\n${'-'.repeat(80)}\n\n`)
}

function textIn(folder: string): string | undefined {
  const names = namesIn(folder).filter(isLicence)
  const texts = names.map((name) => readFileSync(join(folder, name), 'utf8').trim())
  return texts.length > 0 ? texts.join('\n\n') : undefined
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => (entry.isFile() ? [entry.name] : []))
  } catch {
    // An optional package of another system.
    return []
  }
}
