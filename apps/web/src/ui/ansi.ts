/** A run of text in one look. `style` holds class names of the system, empty for plain text. */
export type AnsiRun = { text: string; style: string }

// eslint-style rules about control characters do not apply: these are the very characters to find.
// oxlint-disable-next-line no-control-regex
const escape = /\u001b\[([0-9;]*)m|\u001b\[[0-9;?]*[A-Za-z]|\u001b\][^\u0007]*\u0007/g

const inks: Record<number, string> = {
  30: 'text-muted',
  31: 'text-bad-text',
  32: 'text-ok-text',
  33: 'text-warn-text',
  34: 'text-busy-text',
  35: 'text-accent-text',
  36: 'text-busy-text',
  37: 'text-ink',
}

/** The text without its escape sequences. */
export function stripAnsi(text: string): string {
  return text.includes('\u001b') ? text.replace(escape, '') : text
}

/** Cuts a line with terminal colours into runs. Colours become those of the theme; other sequences are dropped. */
export function parseAnsi(text: string): AnsiRun[] {
  if (!text.includes('\u001b')) return [{ text, style: '' }]
  const runs: AnsiRun[] = []
  const look = { ink: '', bold: false, dim: false, underline: false }
  let at = 0
  const push = (end: number) => {
    if (end > at) runs.push({ text: text.slice(at, end), style: classes(look) })
  }
  for (const match of text.matchAll(escape)) {
    push(match.index)
    at = match.index + match[0].length
    if (match[1] !== undefined) apply(look, match[1].split(';').map(Number))
  }
  push(text.length)
  return runs
}

type Look = { ink: string; bold: boolean; dim: boolean; underline: boolean }

function apply(look: Look, codes: number[]): void {
  for (let i = 0; i < codes.length; i++) {
    const code = codes[i] ?? 0
    if (code === 0) Object.assign(look, { ink: '', bold: false, dim: false, underline: false })
    else if (code === 1) look.bold = true
    else if (code === 2) look.dim = true
    else if (code === 4) look.underline = true
    else if (code === 22) Object.assign(look, { bold: false, dim: false })
    else if (code === 24) look.underline = false
    else if (code === 39) look.ink = ''
    // Colours by number or by red, green and blue carry arguments; they have no counterpart in a theme.
    else if (code === 38 || code === 48) i += codes[i + 1] === 5 ? 2 : 4
    else look.ink = inks[code >= 90 ? code - 60 : code] ?? look.ink
  }
}

function classes(look: Look): string {
  const ink = look.dim && look.ink === '' ? 'text-muted' : look.ink
  return [ink, look.bold && 'font-bold', look.underline && 'underline'].filter(Boolean).join(' ')
}
